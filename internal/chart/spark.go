package chart

import (
	"html/template"
	"math"
)

// Spark is a small chart of one quantity over time: stacked columns or a line. A dashed line shows the same quantity
// in the period before. A value that is not finite was not measured: its column is empty, and the line has a gap.
type Spark struct {
	Head
	Unit    Unit
	Most    float64  // the highest possible value, for example 1 for a share; 0 if there is none
	Of      string   // heading of the table's first column, which contains the labels
	Labels  []string // the names of the times
	Layers  []Layer  // the columns
	Line    *Layer   // drawn instead of Layers, if it is not nil
	Before  []float64
	Earlier string // the name of Before
}

const sparkHeight = 170.0

// SVG draws the chart.
func (c Spark) SVG() template.HTML {
	ys, found := c.reach()
	n := len(c.Labels)
	if !found || n == 0 || n > mostColumns {
		return empty(c.Head, "spark", leastHeight)
	}
	var p pen
	p.open(c.Head, "spark", sparkHeight)
	f := p.axes(Axis{}, Axis{Unit: c.Unit}, scale{from: 0, to: float64(n)},
		Axis{Unit: c.Unit, Most: c.Most}.fit(ys, 2, true), p.legend(c.keys(), 0), sparkHeight)
	room := (f.right - f.left) / float64(n)
	if c.Line == nil {
		columns := Columns{Labels: c.Labels, Layers: c.Layers, Y: Axis{Unit: c.Unit}}
		sums := make([][]float64, len(c.Layers))
		for l := range c.Layers {
			for i := range n {
				sums[l] = append(sums[l], columns.sum(l, i, 1))
			}
		}
		for i := range n {
			p.column(f, columns, sums, i, 1, room)
		}
	} else {
		p.broken(f, "stroke "+c.Line.Tone.class(), "fill "+c.Line.Tone.class(), c.Line.Values)
	}
	p.broken(f, "stroke dash before", "before-dot", c.Before)
	p.ends(f, c.Labels)
	return p.close()
}

// reach returns the range of the values. Columns begin at 0.
func (c Spark) reach() (ys span, found bool) {
	if c.Line != nil {
		for _, v := range c.Line.Values {
			ys.add(v)
		}
	} else {
		ys.add(0)
		columns := Columns{Layers: c.Layers}
		for i := range c.Labels {
			sum := 0.0
			for l := range c.Layers {
				sum += columns.sum(l, i, 1)
			}
			ys.add(sum)
		}
	}
	for _, v := range c.Before {
		ys.add(v)
	}
	return ys, ys.any && (c.Line != nil || ys.to > 0)
}

// broken draws a line through values, one for each label, with a gap where a value is not finite. A value between two
// gaps is a dot.
func (p *pen) broken(f frame, class, dot string, values []float64) {
	var run []Point
	draw := func() {
		switch len(run) {
		case 0:
		case 1:
			p.circle(dot, run[0].X, run[0].Y, 3, "")
		default:
			p.path(class, run, false)
		}
		run = nil
	}
	for i, v := range values {
		if v, ok := finite(v); ok {
			run = append(run, Point{f.x.at(float64(i) + 0.5), f.y.at(v)})
		} else {
			draw()
		}
	}
	draw()
}

// ends writes the first and the last label under the axis.
func (p *pen) ends(f frame, labels []string) {
	first, last := labels[0], labels[len(labels)-1]
	half := (f.right - f.left) / 2
	p.text("soft tick", start, f.left, f.bottom+20, clip(first, half))
	if len(labels) > 1 {
		p.text("soft tick", finish, f.right, f.bottom+20, clip(last, half))
	}
}

func (c Spark) keys() (keys []key) {
	if c.Line == nil {
		for _, l := range c.Layers {
			keys = append(keys, key{name: l.Name, tone: l.Tone})
		}
	}
	return keys
}

// Table returns a table with one row for each time.
func (c Spark) Table() Table {
	t := Table{Columns: []string{c.Of}}
	layers := c.Layers
	if c.Line != nil {
		layers = []Layer{*c.Line}
	}
	for _, l := range layers {
		t.Columns = append(t.Columns, labelOr(l.Name, "Value"))
	}
	if len(c.Before) > 0 {
		t.Columns = append(t.Columns, labelOr(c.Earlier, "Before"))
	}
	at := func(values []float64, i int) string {
		if i < len(values) {
			return c.Unit.Format(values[i])
		}
		return Count.Format(math.NaN())
	}
	for i, label := range c.Labels {
		row := []string{label}
		for _, l := range layers {
			row = append(row, at(l.Values, i))
		}
		if len(c.Before) > 0 {
			row = append(row, at(c.Before, i))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
