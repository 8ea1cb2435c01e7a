package chart

import (
	"html/template"
	"math"
)

// Slice is one part of a whole.
type Slice struct {
	Name  string
	Tone  Tone
	Value float64
}

// Share is a chart of the parts of a whole: one bar, and under it the name, the
// amount and the share of each part.
type Share struct {
	Head
	Unit   Unit
	Slices []Slice
}

const (
	mostSlices  = 9
	slicePerRow = 3
)

// SVG draws the bar.
func (c Share) SVG() template.HTML {
	slices := c.Slices[:min(len(c.Slices), mostSlices)]
	total := c.total()
	if total <= 0 {
		return empty(c.Head, "share", leastHeight)
	}
	lines := (len(slices) + slicePerRow - 1) / slicePerRow
	height := 40 + float64(58*float64(lines))
	var p pen
	p.open(c.Head, "share", height)
	at := 0.0
	for _, s := range slices {
		w := positive(s.Value) / total * wide
		if w > 0 {
			tip := s.Name + ": " + c.Unit.Format(s.Value) + ", " + Percent.Format(positive(s.Value)/total)
			p.rect("fill "+s.Tone.class(), at, 0, math.Max(w-2, 1), 28, tip)
		}
		at += w
	}
	column := wide / slicePerRow
	for i, s := range slices {
		x, y := float64(column*float64(i%slicePerRow)), 40+float64(58*float64(i/slicePerRow))
		p.rect("fill "+s.Tone.class(), x, y+5, 12, 12, "")
		p.text("", start, x+20, y+16, clip(s.Name, column-30))
		p.text("strong", start, x+20, y+40,
			clip(c.Unit.Short(s.Value)+" · "+Percent.Format(positive(s.Value)/total), column-4))
	}
	return p.close()
}

func (c Share) total() float64 {
	sum := 0.0
	for _, s := range c.Slices[:min(len(c.Slices), mostSlices)] {
		sum += positive(s.Value)
	}
	return sum
}

func positive(v float64) float64 {
	v, ok := finite(v)
	if !ok {
		return 0
	}
	return math.Max(v, 0)
}

// Table returns a table with one row for each part.
func (c Share) Table() Table {
	t := Table{Columns: []string{"", "Amount", "Share"}}
	total := c.total()
	for _, s := range c.Slices {
		share := "–"
		if total > 0 {
			share = Percent.Format(positive(s.Value) / total)
		}
		t.Rows = append(t.Rows, []string{s.Name, c.Unit.Format(s.Value), share})
	}
	return t
}
