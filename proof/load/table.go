package load

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"verdict/internal/proof"
)

// Table returns the results as rows of a table: a heading, then one row for each
// stage.
func (c *Campaign) Table() [][]string {
	rows := [][]string{{
		"offered load", "sent per s", "done per s", "share of saturation", "refused", "p50", "p90", "p99", "p99.9",
		"max", "refusals p99", "sent late p99", "connections", "MiB", "stolen",
	}}
	rows = append(rows, c.row("closed loop", Step{Result: c.Saturation, Saturated: c.Rate}))
	for _, s := range c.Steps {
		rows = append(rows, c.row(fmt.Sprintf("%d %%", s.Percent), s))
	}
	return append(rows, c.row(fmt.Sprintf("back to %d %%", c.Back.Percent), c.Back))
}

func (c *Campaign) row(name string, s Step) []string {
	r := s.Result
	row := []string{name, "–", fmt.Sprintf("%.0f", r.Rate()), fmt.Sprintf("%.0f %%", 100*s.Share())}
	if r.Offered > 0 {
		row[1] = fmt.Sprintf("%.0f", r.Offered)
	}
	refused := 0.0
	if r.Due > 0 {
		refused = 100 * float64(r.Refused) / float64(r.Due)
	}
	row = append(row, fmt.Sprintf("%.1f %%", refused))
	for _, q := range []float64{0.5, 0.9, 0.99, 0.999} {
		row = append(row, short(r.Latency.Quantile(q)))
	}
	row = append(row, short(r.Latency.Max()))
	for _, h := range []*Histogram{&r.Refusal, &r.Behind} {
		text := "–"
		if h.Count() > 0 {
			text = short(h.Quantile(0.99))
		}
		row = append(row, text)
	}
	memory := "–"
	if s.Memory > 0 {
		memory = fmt.Sprint(s.Memory >> 20)
	}
	return append(row, fmt.Sprint(r.Conns), memory, fmt.Sprintf("%.0f %%", 100*s.Stolen))
}

// short formats a duration with about three significant digits.
func short(d time.Duration) string {
	switch {
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= 10*time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(10 * time.Microsecond).String()
}

// Summary returns the results that are not in the table, in sentences.
func (c *Campaign) Summary() []string {
	cores := "The load and the server shared all processors."
	if c.Separated {
		cores = "The server and its database had one half of the processors, the load the other."
	}
	recovery := "Latency did not return to normal."
	if c.Recovered {
		recovery = fmt.Sprintf("Back at %d %%, latency was normal again after %s, measured every %s.",
			c.Plan.Back, c.Recovery, window)
	}
	lines := []string{
		cores,
		fmt.Sprintf("%d decisions were answered with 200, and all of them were found again, "+
			"by usage and by paging through them.", c.Decisions),
		recovery,
		fmt.Sprintf("The server held %d MiB at most and logged %d KiB.", c.PeakMemory>>20, c.LogBytes>>10),
	}
	var probes []string
	for _, url := range slices.Sorted(maps.Keys(c.Probes)) {
		h := c.Probes[url]
		probes = append(probes, fmt.Sprintf("%s %d times, p50 %s, at most %s",
			path.Base(url), h.Count(), short(h.Quantile(0.5)), short(h.Max())))
	}
	slices.Sort(probes)
	return append(lines, "Probes during the whole run, each on a new connection: "+strings.Join(probes, "; ")+".")
}

// Markdown returns the results of the rounds on one database, with the limits that
// were not met. It shows the table of the round with the median saturation rate.
func (rs Rounds) Markdown(wrong []string) string {
	var b strings.Builder
	c := rs.Middle()
	fmt.Fprintf(&b, "**%s.** %s\n\n", c.Database, strings.Join(append(rs.Medians(), c.Summary()...), " "))
	b.WriteString(proof.Table(c.Table()))
	b.WriteString("\n")
	if len(wrong) == 0 {
		b.WriteString("Everything that must hold past saturation held.\n")
	}
	for _, w := range wrong {
		fmt.Fprintf(&b, "- Did not hold: %s\n", w)
	}
	return b.String()
}
