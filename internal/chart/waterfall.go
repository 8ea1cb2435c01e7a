package chart

import "html/template"

// Step is one amount that is added to the sum.
type Step struct {
	Label string
	Value float64
}

// Waterfall is a chart of a sum: its start, the amount that each step adds or
// subtracts, and its end. The bars are below each other, each under its own label.
// If Begin is "", there is no bar for the start.
type Waterfall struct {
	Head
	Unit       Unit
	Begin, End string // labels of the first and the last bar
	Base       float64
	Steps      []Step
}

// SVG draws the sum.
func (c Waterfall) SVG() template.HTML {
	base, ok := finite(c.Base)
	if !ok {
		return empty(c.Head, "waterfall", leastHeight)
	}
	steps := c.Steps[:min(len(c.Steps), mostBars)]
	var s span
	s.add(base)
	sum := base
	for _, step := range c.Steps {
		v, _ := finite(step.Value)
		sum, _ = finite(sum + v)
		s.add(sum)
	}
	if c.Begin == "" {
		s.add(0)
	}
	// The first and the last bar begin at the start of the axis. If the steps are
	// small compared with the sum, they would hardly be visible on an axis that
	// starts at zero, so the axis starts at a higher value.
	x := scale{from: s.from, to: s.to, low: 0, high: wide}
	if room := s.to - s.from; s.from > 0 && s.from > room*2 {
		x.from = s.from - room*0.5
	} else {
		x.from = min(s.from, 0)
	}
	if x.to <= x.from {
		x.to = x.from + 1
	}
	bars := c.falls(x.from, base, sum, steps)
	var p pen
	p.open(c.Head, "waterfall", float64(barPitch*float64(len(bars))))
	for i, f := range bars {
		p.fall(f, x, float64(barPitch*float64(i)), i > 0 && i < len(bars)-1)
	}
	return p.close()
}

// fall is one bar of a waterfall, from one value to another.
type fall struct {
	label, text string
	from, to    float64
	tone        Tone
}

// falls returns the bars from the start to the end. The argument steps has the first steps of the chart, each of
// which gets a bar of its own. All further steps share one bar. sum is the result of all steps of the chart.
func (c Waterfall) falls(floor, base, sum float64, steps []Step) []fall {
	var bars []fall
	if c.Begin != "" {
		bars = append(bars, fall{c.Begin, c.Unit.Format(base), floor, base, Grey})
	}
	at := base
	for _, step := range steps {
		v, _ := finite(step.Value)
		next, _ := finite(at + v)
		tone := Blue
		if v < 0 {
			tone = Orange
		}
		bars = append(bars, fall{step.Label, signed(c.Unit, v), at, next, tone})
		at = next
	}
	if len(c.Steps) > len(steps) {
		bars = append(bars, fall{"all others", signed(c.Unit, sum-at), at, sum, Grey})
		at = sum
	}
	return append(bars, fall{c.End, c.Unit.Format(at), floor, at, Grey})
}

// fall draws one bar and, if thread is set, the line that connects it with the bar
// above.
func (p *pen) fall(f fall, x scale, y float64, thread bool) {
	text := clip(f.text, wide/2)
	p.text("", start, 0, y+16, clip(f.label, wide-breadth(text)-16))
	p.text("num", finish, wide, y+16, text)
	p.rect("track", 0, y+22, wide, barThick, "")
	x1, x2 := x.at(min(f.from, f.to)), x.at(max(f.from, f.to))
	p.rect("fill "+f.tone.class(), x1, y+22, max(x2-x1, 1.5), barThick, f.label+": "+text)
	if thread {
		p.line("thread", x.at(f.from), y-8, x.at(f.from), y+22)
	}
}

// signed formats a step with its sign.
func signed(u Unit, v float64) string {
	if v > 0 {
		return "+" + u.Format(v)
	}
	return u.Format(v)
}

// Table returns a table: a row for the start unless Begin is "", a row for each step with the sum
// so far, and a row for the end.
func (c Waterfall) Table() Table {
	t := Table{Columns: []string{"", "Step", "Sum"}}
	sum, _ := finite(c.Base)
	if c.Begin != "" {
		t.Rows = append(t.Rows, []string{c.Begin, "", c.Unit.Format(sum)})
	}
	for _, step := range c.Steps {
		v, _ := finite(step.Value)
		sum, _ = finite(sum + v)
		t.Rows = append(t.Rows, []string{step.Label, signed(c.Unit, v), c.Unit.Format(sum)})
	}
	t.Rows = append(t.Rows, []string{c.End, "", c.Unit.Format(sum)})
	return t
}
