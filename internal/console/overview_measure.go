package console

import (
	"math"
	"strconv"

	"verdict/internal/chart"
	"verdict/internal/decisioning"
)

// timeRange is a range of time that the overview can show.
type timeRange struct {
	Name  string // the value of the query parameter "range"
	Label string
	of    decisioning.Range
}

// timeRanges returns the ranges in the order of their links.
func timeRanges() (list []timeRange) {
	for _, r := range decisioning.Ranges() {
		t := timeRange{Name: itoa(r.Slots) + "d", Label: itoa(r.Slots) + " days", of: r}
		if r.Hourly {
			t.Name, t.Label = itoa(r.Slots)+"h", itoa(r.Slots)+" hours"
		}
		list = append(list, t)
	}
	return list
}

// usualRange is the index of the range that is shown if the address names none.
const usualRange = 1

// timeRangeOf returns the range that the address names.
func timeRangeOf(v *visit) timeRange {
	all := timeRanges()
	for _, t := range all {
		if t.Name == v.query("range") {
			return t
		}
	}
	return all[usualRange]
}

// Running returns the name of the part of the range that is not over yet.
func (t timeRange) Running() string {
	if t.of.Hourly {
		return "the current hour"
	}
	return "today"
}

// slot returns the noun for one part of the range.
func (t timeRange) slot() string {
	if t.of.Hourly {
		return "hour"
	}
	return "day"
}

// measure is one figure of the overview, with a chart over time and a comparison with the period before.
type measure struct {
	Title  string
	Value  string
	Change string // the previous value, and by how much the figure has changed; "" if there is no previous value
	Chart  chart.Spark
}

// measures has the figures of the overview.
type measures struct {
	Range  timeRange
	Any    bool // whether anything was counted in the range
	List   []measure
	Causes chart.Bars // the main reasons
	Faults chart.Bars // the codes of errors
}

// RangeLinks returns the ranges to choose from.
func (measures) RangeLinks() []timeRange { return timeRanges() }

// mostCauses is the maximum number of reasons, and of errors, that are shown.
const mostCauses = 8

// measuresOf computes the figures that the overview shows for a time range.
func measuresOf(t timeRange, s *decisioning.Statistics) measures {
	m := measures{Range: t}
	sum := decisioning.Sum(s.Slots)
	m.Any = sum.Decisions() > 0 || sum.Requests() > 0
	if !m.Any {
		return m
	}
	d := drawing{t: t, s: s, all: sum}
	// Leave the running hour or day out of the comparison. It is incomplete, so it would look like a decline.
	over := len(s.Slots) - 1
	d.now, d.before = decisioning.Sum(s.Slots[:over]), decisioning.Sum(s.Before[:over])
	m.List = []measure{d.volume(), d.approval(), d.limit(), d.price(), d.latency(), d.errors()}
	m.Causes = causesOf("reasons", "Main reasons", "Of decisions that were not approved.", s.Reasons, chart.Blue)
	m.Faults = causesOf("errors", "Errors", "Requests that got no decision, by the code of the error.", s.Errors,
		chart.Grey)
	return m
}

// drawing computes the measures of a range.
type drawing struct {
	t           timeRange
	s           *decisioning.Statistics
	all         decisioning.Counts // the counts of the whole range
	now, before decisioning.Counts // the counts to compare, without the running hour or day
}

// spark returns a chart without values.
func (d *drawing) spark(id, title string, unit chart.Unit) chart.Spark {
	c := chart.Spark{
		Head: chart.Head{
			ID:          id,
			Title:       title + " by " + d.t.slot(),
			Description: "Dashed: the " + d.t.Label + " before.",
		},
		Unit:    unit,
		Of:      "Begins",
		Earlier: "The " + d.t.Label + " before",
	}
	format := "2 Jan"
	if d.t.of.Hourly {
		format = "2 Jan 15:04"
	}
	for i := range d.s.Slots {
		c.Labels = append(c.Labels, d.s.Slots[i].At.Format(format))
	}
	return c
}

// series returns a value of each slot.
func series(slots []decisioning.Counts, value func(*decisioning.Counts) float64) []float64 {
	list := make([]float64, len(slots))
	for i := range slots {
		list[i] = value(&slots[i])
	}
	return list
}

// line returns a measure whose chart is a line.
func (d *drawing) line(id, title string, unit chart.Unit, value func(*decisioning.Counts) float64) measure {
	m := measure{Title: title, Value: unit.Headline(value(&d.all)), Chart: d.spark(id, title, unit)}
	m.Chart.Line = &chart.Layer{Name: title, Tone: chart.Blue, Values: series(d.s.Slots, value)}
	m.Chart.Before = series(d.s.Before, value)
	m.Change = change(unit, value(&d.now), value(&d.before))
	return m
}

// share returns a measure of a share, whose line cannot be above 100 %.
func (d *drawing) share(id, title string, value func(*decisioning.Counts) float64) measure {
	m := d.line(id, title, chart.Percent, value)
	m.Chart.Most = 1
	return m
}

// change says by how much a figure differs from that of the period before, and names both figures: the figure of now is
// not the large one of the card, which includes the running hour or day. For percentages the difference is in points,
// for other figures in percent.
func change(unit chart.Unit, now, before float64) string {
	if math.IsNaN(before) || math.IsNaN(now) || unit == chart.Count && now == 0 && before == 0 {
		return ""
	}
	text, difference := "from "+unit.Headline(before)+" to "+unit.Headline(now), now-before
	switch {
	case unit == chart.Percent:
		difference *= 100
		if by := strconv.FormatFloat(math.Abs(difference), 'f', 1, 64); by != "0.0" {
			return arrow(difference) + " " + by + " points, " + text
		}
	case before != 0:
		if by := strconv.FormatFloat(math.Abs(difference/before)*100, 'f', 0, 64); by != "0" {
			return arrow(difference) + " " + by + " %, " + text
		}
	case now != 0:
		return arrow(difference) + " " + text
	}
	return "unchanged at " + unit.Headline(before)
}

func arrow(difference float64) string {
	if difference < 0 {
		return "▼"
	}
	return "▲"
}

func (d *drawing) volume() measure {
	of := func(c *decisioning.Counts) float64 { return float64(c.Decisions()) }
	m := measure{
		Title:  "Decisions",
		Value:  grouped(strconv.FormatInt(d.all.Decisions(), 10)),
		Change: change(chart.Count, of(&d.now), of(&d.before)),
		Chart:  d.spark("volume", "Decisions", chart.Count),
	}
	m.Chart.Layers = []chart.Layer{
		{Name: "Approved", Tone: chart.Approved, Values: series(d.s.Slots,
			func(c *decisioning.Counts) float64 { return float64(c.Approved) })},
		{Name: "Referred", Tone: chart.Referred, Values: series(d.s.Slots,
			func(c *decisioning.Counts) float64 { return float64(c.Referred) })},
		{Name: "Declined", Tone: chart.Declined, Values: series(d.s.Slots,
			func(c *decisioning.Counts) float64 { return float64(c.Declined) })},
	}
	m.Chart.Before = series(d.s.Before, of)
	return m
}

// ratio returns a divided by b, or NaN if b is 0.
func ratio(a, b int64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return float64(a) / float64(b)
}

func (d *drawing) approval() measure {
	return d.share("approval", "Approval rate",
		func(c *decisioning.Counts) float64 { return ratio(c.Approved, c.Decisions()) })
}

func (d *drawing) limit() measure {
	return d.line("limit", "Average limit", chart.Rupees,
		func(c *decisioning.Counts) float64 { return math.Round(ratio(c.LimitPaise, c.Offers) / 100) })
}

func (d *drawing) price() measure {
	return d.line("price", "Average rate", chart.Percent,
		func(c *decisioning.Counts) float64 { return ratio(c.RateBP, c.Offers) / 10_000 })
}

// answeredPercent is the percentile of the response times that the overview shows.
const answeredPercent = 95

func (d *drawing) latency() measure {
	return d.line("latency", "95 % answered within", chart.Millis, func(c *decisioning.Counts) float64 {
		if within, ok := c.Within(answeredPercent); ok {
			return float64(within.Milliseconds())
		}
		return math.NaN()
	})
}

func (d *drawing) errors() measure {
	return d.share("failures", "Requests with an error",
		func(c *decisioning.Counts) float64 { return ratio(c.Errors, c.Requests()) })
}

// causesOf returns a bar chart of the most frequent names in list.
func causesOf(id, title, description string, list []decisioning.Named, tone chart.Tone) chart.Bars {
	c := chart.Bars{
		Head:  chart.Head{ID: id, Title: title, Description: description},
		Unit:  chart.Count,
		Of:    "Code",
		Parts: []chart.Part{{Tone: tone}},
	}
	for _, n := range list[:min(len(list), mostCauses)] {
		c.Rows = append(c.Rows, chart.Bar{
			Label:  n.Name,
			Text:   grouped(strconv.FormatInt(n.Count, 10)) + ", before " + grouped(strconv.FormatInt(n.Before, 10)),
			Values: []float64{float64(n.Count)},
		})
	}
	return c
}
