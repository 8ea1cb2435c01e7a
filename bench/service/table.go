package service

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"
)

// results are the laps of every contestant, round by round.
type results map[string][]lap

// spread is the median of several rounds, with the least and the most.
type spread struct{ median, least, most float64 }

func spreadOf(values []float64) spread {
	if len(values) == 0 {
		return spread{math.NaN(), math.NaN(), math.NaN()}
	}
	slices.Sort(values)
	n := len(values)
	return spread{(values[(n-1)/2] + values[n/2]) / 2, values[0], values[n-1]}
}

// of is a value of a contestant over the rounds.
func (r results) of(name string, value func(lap) float64) spread {
	values := make([]float64, 0, len(r[name]))
	for _, l := range r[name] {
		values = append(values, value(l))
	}
	return spreadOf(values)
}

// ratio is one contestant's value by another's of the same round: what slows a
// whole round down cancels out.
func (r results) ratio(name, by string, value func(lap) float64) spread {
	values := make([]float64, 0, len(r[name]))
	for i, l := range r[name] {
		if i < len(r[by]) {
			values = append(values, value(l)/value(r[by][i]))
		}
	}
	return spreadOf(values)
}

func rate(l lap) float64      { return float64(l.many.Counted) / l.many.Elapsed.Seconds() }
func p50(l lap) float64       { return float64(l.many.P50) }
func p99(l lap) float64       { return float64(l.many.P99) }
func p50Alone(l lap) float64  { return float64(l.alone.P50) }
func cpu(l lap) float64       { return float64(l.many.Server) / float64(l.many.Counted) }
func cpuStored(l lap) float64 { return float64(l.many.Database) / float64(l.many.Counted) }
func size(l lap) float64      { return l.many.Bytes }

func (r results) print(out io.Writer, o Options) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s/%s, %d cores, %d connections, %d rounds of %s; medians; spread from the least to the most\n\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), o.Connections, o.Rounds, o.Lap)
	row := func(cells ...string) {
		line := fmt.Sprintf("%-44s %9s %15s", cells[0], cells[1], cells[2])
		for _, cell := range cells[3:] {
			line += fmt.Sprintf(" %10s", cell)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	row("service", "answers/s", "spread", "of bare", "p50", "p99", "p50 alone", "CPU", "database", "bytes")
	for _, line := range []struct{ name, what, by string }{
		{bareDecisions, "bare net/http, encoding/json", bareDecisions},
		{oursSQLite, "durable decision on SQLite, ours", bareDecisions},
		{groupSQLite, "  bare, one INSERT for each, grouped commits", bareDecisions},
		{insertSQLite, "  bare, one INSERT a transaction", bareDecisions},
		{oursPostgres, "durable decision on PostgreSQL, ours", bareDecisions},
		{copyPostgres, "  bare, grouped COPY", bareDecisions},
		{insertPostgres, "  bare, one INSERT a request", bareDecisions},
		{oursPreview, "preview, ours", barePreview},
		{barePreview, "  bare net/http, encoding/json", barePreview},
	} {
		if r[line.name] == nil {
			continue
		}
		rates := r.of(line.name, rate)
		row(line.what, fmt.Sprintf("%.0f", rates.median), fmt.Sprintf("%.0f–%.0f", rates.least, rates.most),
			plain(r.ratio(line.name, line.by, rate).median), span(r.of(line.name, p50).median), span(r.of(line.name, p99).median),
			span(r.of(line.name, p50Alone).median), span(r.of(line.name, cpu).median), span(r.of(line.name, cpuStored).median),
			fmt.Sprintf("%.0f", r.of(line.name, size).median))
	}
	r.targets(&b)
	_, err := io.WriteString(out, b.String())
	return err
}

func (r results) targets(b *strings.Builder) {
	b.WriteString("\ntargets\n")
	line := func(s spread, met func(median float64) bool, show func(float64) string, what string) {
		if math.IsNaN(s.median) {
			return // not measured
		}
		mark := "MISSED"
		if met(s.median) {
			mark = "met"
		}
		fmt.Fprintf(b, "  %-6s  %s: %s (%s to %s)\n", mark, what, show(s.median), show(s.least), show(s.most))
	}
	least := func(want float64) func(float64) bool { return func(x float64) bool { return x >= want } }
	most := func(want float64) func(float64) bool { return func(x float64) bool { return x <= want } }
	line(r.ratio(oursSQLite, bareDecisions, rate), least(0.45), plain, "durable decisions on SQLite at least 0.45 of the bare handler")
	line(r.ratio(oursSQLite, insertSQLite, rate), least(4), times, "durable decisions on SQLite at least 4 × one INSERT a transaction")
	if alone := r.of(oursSQLite, p50Alone); alone.median > 0 {
		line(alone, most(float64(400*time.Microsecond)), span, "durable decision on SQLite, one connection, p50 at most 400 µs")
	}
	line(r.ratio(oursPostgres, copyPostgres, rate), least(0.9), plain, "durable decisions on PostgreSQL at least 0.9 of bare grouped COPY")
	line(r.ratio(oursPreview, barePreview, cpu), most(1.3), plain, "CPU time of a preview at most 1.3 × the bare handler's")
}

func plain(ratio float64) string {
	if math.IsNaN(ratio) {
		return ""
	}
	return fmt.Sprintf("%.2f", ratio)
}

func times(ratio float64) string { return fmt.Sprintf("%.1f ×", ratio) }

// span writes a time in the unit that suits it, nothing for none.
func span(nanos float64) string {
	switch {
	case nanos == 0 || math.IsNaN(nanos):
		return ""
	case nanos < 1e6:
		return fmt.Sprintf("%.1f µs", nanos/1e3)
	default:
		return fmt.Sprintf("%.2f ms", nanos/1e6)
	}
}
