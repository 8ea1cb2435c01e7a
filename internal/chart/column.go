package chart

import (
	"html/template"
	"math"
)

// Layer is one part of every column. It is stacked on the layers before it.
type Layer struct {
	Name   string
	Tone   Tone
	Values []float64
}

// Columns is a chart of vertical columns of stacked layers. If Step is set, the
// chart is a histogram whose column i covers From+i·Step up to From+(i+1)·Step.
// Otherwise Labels has the names of the columns.
type Columns struct {
	Head
	X, Y       Axis
	From, Step float64
	Labels     []string
	Layers     []Layer
	Height     float64
}

// mostColumns is the maximum number of drawn columns. If there are more,
// neighbouring columns are drawn as one.
const mostColumns = 120

// SVG draws the columns.
func (c Columns) SVG() template.HTML {
	height := heightOr(c.Height)
	n := c.count()
	step := stride(n, mostColumns)
	drawn := (n + step - 1) / step
	sums := make([][]float64, len(c.Layers))
	var ys span
	ys.add(0)
	for i := range drawn {
		total := 0.0
		for l := range c.Layers {
			v := c.sum(l, i*step, step)
			sums[l] = append(sums[l], v)
			total += v
		}
		ys.add(total)
	}
	if ys.to == 0 {
		return empty(c.Head, "columns", height)
	}
	var p pen
	p.open(c.Head, "columns", height)
	keys := make([]key, len(c.Layers))
	for l, layer := range c.Layers {
		keys[l] = key{name: layer.Name, tone: layer.Tone}
	}
	xa, x := c.X, scale{from: 0, to: float64(drawn)}
	if c.numeric() {
		xa.From, xa.To = c.From, c.From+float64(c.Step*float64(drawn*step))
		x = xa.fit(span{}, 6, false)
	}
	f := p.axes(xa, c.Y, x, c.Y.fit(ys, 5, true), p.legend(keys, 0), height)
	room := (f.right - f.left) / float64(drawn)
	for i := range drawn {
		p.column(f, c, sums, i, step, room)
	}
	if !c.numeric() {
		p.columnLabels(f, c.Labels, room, step)
	}
	return p.close()
}

// column draws the layers of one column, with a small gap beside it.
func (p *pen) column(f frame, c Columns, sums [][]float64, i, step int, room float64) {
	air := math.Min(room*0.15, 8)
	base := 0.0
	for l, layer := range c.Layers {
		v := sums[l][i]
		if v <= 0 {
			continue
		}
		y1, y2 := f.y.at(base), f.y.at(base+v)
		tip := c.label(i*step, step) + ": " + c.Y.Unit.Format(v)
		if layer.Name != "" {
			tip += " " + layer.Name
		}
		p.rect("fill "+layer.Tone.class(), f.left+float64(room*float64(i))+air/2, y2, room-air, y1-y2, tip)
		base += v
	}
}

func (p *pen) columnLabels(f frame, labels []string, room float64, step int) {
	last := -wide
	for i := 0; i*step < len(labels); i++ {
		at := f.left + float64(room*(float64(i)+0.5))
		s := clip(labels[i*step], math.Max(room, 64))
		half := breadth(s) / 2
		centre := math.Max(math.Min(at, wide-half), half)
		if centre-half < last+8 {
			continue
		}
		last = centre + half
		p.text("soft tick", middle, centre, f.bottom+20, s)
	}
}

func (c Columns) numeric() bool {
	from, okFrom := finite(c.From)
	step, okStep := finite(c.Step)
	// If the step is too small to change From, all columns would coincide.
	return okFrom && okStep && step > 0 && from+step > from
}

func (c Columns) count() int {
	n := 0
	for _, l := range c.Layers {
		n = max(n, len(l.Values))
	}
	return n
}

// sum returns the sum of one layer over n columns. Values that are negative or not
// finite count as 0.
func (c Columns) sum(layer, first, n int) float64 {
	values, total := c.Layers[layer].Values, 0.0
	for i := first; i < min(first+n, len(values)); i++ {
		if v, ok := finite(values[i]); ok && v > 0 {
			total += v
		}
	}
	return total
}

// label returns the name of n columns that are drawn as one.
func (c Columns) label(first, n int) string {
	if c.numeric() {
		from := c.From + float64(c.Step*float64(first))
		return c.X.Unit.Short(from) + "–" + c.X.Unit.Short(from+float64(c.Step*float64(n)))
	}
	if first < len(c.Labels) {
		return c.Labels[first]
	}
	return ""
}

// Table returns a table with one row for each column and one cell for each layer.
func (c Columns) Table() Table {
	t := Table{Columns: []string{labelOr(c.X.Label, "")}}
	for _, l := range c.Layers {
		t.Columns = append(t.Columns, labelOr(l.Name, labelOr(c.Y.Label, "Value")))
	}
	for i := range c.count() {
		row := []string{c.label(i, 1)}
		for l := range c.Layers {
			row = append(row, c.Y.Unit.Format(c.sum(l, i, 1)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
