package chart

import "html/template"

// Dot is a point. If Low is less than High, it has an interval around Y.
type Dot struct {
	X, Y, Low, High float64
	Note            string // another column of the table, such as a count
}

// Dots is a chart of points with intervals. With the diagonal it is a calibration
// chart, in which a point above the line is worse than predicted.
type Dots struct {
	Head
	X, Y     Axis
	NoteName string
	Tone     Tone
	Dots     []Dot
	Diagonal bool // draw the line X = Y, and use one range for both axes
	Height   float64
}

// SVG draws the points.
func (c Dots) SVG() template.HTML {
	height := heightOr(c.Height)
	var xs, ys span
	ys.add(0)
	dots := c.drawable()
	for _, d := range dots {
		xs.add(d.X)
		ys.add(d.Y)
		if d.Low < d.High {
			ys.add(d.Low)
			ys.add(d.High)
		}
	}
	if len(dots) == 0 {
		return empty(c.Head, "dots", height)
	}
	if c.Diagonal {
		xs.add(0)
		xs.add(ys.to)
		ys.add(xs.to)
	}
	var p pen
	p.open(c.Head, "dots", height)
	f := p.axes(c.X, c.Y, c.X.fit(xs, 5, c.Diagonal), c.Y.fit(ys, 5, true), 0, height)
	if c.Diagonal {
		p.line("chance", f.x.at(0), f.y.at(0), f.x.at(f.x.to), f.y.at(f.x.to))
	}
	tone := c.Tone.class()
	for _, d := range dots {
		x := f.x.at(d.X)
		if d.Low < d.High {
			y1, y2 := f.y.at(d.Low), f.y.at(d.High)
			p.line("whisker "+tone, x, y1, x, y2)
			p.line("whisker "+tone, x-4, y1, x+4, y1)
			p.line("whisker "+tone, x-4, y2, x+4, y2)
		}
		tip := c.X.Unit.Format(d.X) + ": " + c.Y.Unit.Format(d.Y)
		if d.Note != "" {
			tip += ", " + c.NoteName + " " + d.Note
		}
		p.circle("fill "+tone, x, f.y.at(d.Y), 5, tip)
	}
	return p.close()
}

// drawable returns the points to draw. It leaves out points and intervals that
// are not finite, and drops some points if there are too many.
func (c Dots) drawable() []Dot {
	var kept []Dot
	for i := 0; i < len(c.Dots); i += stride(len(c.Dots), mostPoints) {
		d := c.Dots[i]
		var okX, okY, okLow, okHigh bool
		d.X, okX = finite(d.X)
		d.Y, okY = finite(d.Y)
		d.Low, okLow = finite(d.Low)
		d.High, okHigh = finite(d.High)
		if !okLow || !okHigh {
			d.Low, d.High = 0, 0
		}
		if okX && okY {
			kept = append(kept, d)
		}
	}
	return kept
}

// Table returns a table with one row for each drawn point.
func (c Dots) Table() Table {
	t := Table{Columns: []string{labelOr(c.X.Label, "x"), labelOr(c.Y.Label, "y"), "95 % from", "to"}}
	if c.NoteName != "" {
		t.Columns = append(t.Columns, c.NoteName)
	}
	for _, d := range c.drawable() {
		row := []string{c.X.Unit.Format(d.X), c.Y.Unit.Format(d.Y), "–", "–"}
		if d.Low < d.High {
			row[2], row[3] = c.Y.Unit.Format(d.Low), c.Y.Unit.Format(d.High)
		}
		if c.NoteName != "" {
			row = append(row, d.Note)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
