package chart

import (
	"html/template"
	"math"
)

// Part is one part of every horizontal bar.
type Part struct {
	Name string
	Tone Tone
}

// Bar is one horizontal bar with a value for each part. Text, if set, replaces the
// formatted sum at its end.
type Bar struct {
	Label  string
	Text   string
	Values []float64
}

// Bars is a chart of horizontal bars. The label of each bar is above it, so that
// long labels fit on a narrow screen.
type Bars struct {
	Head
	Unit  Unit
	Of    string // heading of the table's first column, which contains the labels
	Parts []Part // if empty, each bar is one blue part without a name
	Rows  []Bar
	Full  float64 // value of a full-length bar; a larger bar or mark replaces it
	Mark  float64 // value of a vertical line, such as a limit; 0 for none
}

const (
	mostBars = 40
	barPitch = 46.0
	barThick = 12.0
)

// SVG draws the bars.
func (c Bars) SVG() template.HTML {
	rows := c.Rows[:min(len(c.Rows), mostBars)]
	if len(rows) == 0 {
		return empty(c.Head, "bars", leastHeight)
	}
	full, _ := finite(c.Full)
	for _, r := range rows {
		full = math.Max(full, c.total(r))
	}
	if mark, ok := finite(c.Mark); ok {
		full = math.Max(full, mark)
	}
	// Draw the legend with a separate pen first, because its height is needed.
	var p, aside pen
	keys := c.keys()
	top := aside.legend(keys, 0)
	height := top + float64(barPitch*float64(len(rows)))
	more := len(c.Rows) - len(rows)
	if more > 0 {
		height += lineSpace
	}
	p.open(c.Head, "bars", height)
	p.legend(keys, 0)
	x := scale{from: 0, to: full, low: 0, high: wide}
	for i, r := range rows {
		p.bar(c, r, x, top+float64(barPitch*float64(i)))
	}
	if mark, ok := finite(c.Mark); ok && mark > 0 {
		p.line("mark", x.at(mark), top+18, x.at(mark), top+float64(barPitch*float64(len(rows)))-4)
	}
	if more > 0 {
		p.text("soft", start, 0, height-6, "and "+Count.Format(float64(more))+" more in the table")
	}
	return p.close()
}

func (p *pen) bar(c Bars, r Bar, x scale, y float64) {
	text := labelOr(r.Text, c.Unit.Format(c.total(r)))
	text = clip(text, wide/2)
	p.text("", start, 0, y+16, clip(r.Label, wide-breadth(text)-16))
	p.text("num", finish, wide, y+16, text)
	p.rect("track", 0, y+22, wide, barThick, "")
	base := 0.0
	for i, part := range c.parts() {
		v := c.value(r, i)
		if v <= 0 {
			continue
		}
		x1, x2 := x.at(base), x.at(base+v)
		tip := r.Label + ": " + c.Unit.Format(v)
		if part.Name != "" {
			tip += " " + part.Name
		}
		p.rect("fill "+part.Tone.class(), x1, y+22, math.Max(x2-x1, 1.5), barThick, tip)
		base += v
	}
}

func (c Bars) parts() []Part {
	if len(c.Parts) == 0 {
		return []Part{{}}
	}
	return c.Parts
}

func (c Bars) keys() []key {
	var keys []key
	for _, part := range c.Parts {
		keys = append(keys, key{name: part.Name, tone: part.Tone})
	}
	return keys
}

func (c Bars) value(r Bar, part int) float64 {
	if part >= len(r.Values) {
		return 0
	}
	v, ok := finite(r.Values[part])
	if !ok {
		return 0
	}
	return math.Max(v, 0)
}

func (c Bars) total(r Bar) float64 {
	sum := 0.0
	for i := range c.parts() {
		sum += c.value(r, i)
	}
	return sum
}

// Table returns a table with one row for each bar.
func (c Bars) Table() Table {
	t := Table{Columns: []string{c.Of}}
	for _, part := range c.parts() {
		t.Columns = append(t.Columns, labelOr(part.Name, "Value"))
	}
	for _, r := range c.Rows {
		row := []string{r.Label}
		for i := range c.parts() {
			if i < len(r.Values) {
				row = append(row, c.Unit.Format(r.Values[i]))
			} else {
				row = append(row, "–")
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
