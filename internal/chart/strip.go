package chart

import (
	"html/template"
	"math"
)

// Lane is one row of dots on a strip.
type Lane struct {
	Name   string
	Tone   Tone
	Values []float64
}

// Strip is a picture of single values along one axis, a lane for each group;
// values that share a place are piled up.
type Strip struct {
	Head
	X     Axis
	Lanes []Lane
}

const (
	mostLanes  = 12
	laneHeight = 84.0
	dotRadius  = 3.0
	pileHeight = 9 // dots in a full pile; above it they stand closer
)

// SVG draws the strip.
func (c Strip) SVG() template.HTML {
	lanes := c.Lanes[:min(len(c.Lanes), mostLanes)]
	var xs span
	for _, l := range lanes {
		for _, v := range l.Values {
			xs.add(v)
		}
	}
	if !xs.any {
		return empty(c.Head, "strip", leastHeight)
	}
	height := float64(laneHeight*float64(len(lanes))) + 26
	if c.X.Label != "" {
		height += lineSpace
	}
	x := c.X.fit(xs, 6, true)
	x.low, x.high = 10, wide-10
	var p pen
	p.open(c.Head, "strip", height)
	for i, l := range lanes {
		floor := float64(laneHeight * float64(i+1))
		p.text("", start, 0, floor-laneHeight+16, clip(l.Name, wide))
		p.line("grid", x.low, floor, x.high, floor)
		p.pile(l, x, floor)
	}
	f := frame{left: x.low, right: x.high, bottom: float64(laneHeight * float64(len(lanes))), x: x}
	f.bottomTicks(&p, c.X)
	if c.X.Label != "" {
		p.text("soft", middle, wide/2, height-6, clip(c.X.Label, wide))
	}
	return p.close()
}

// pile drops each value into a slot as wide as a dot and stacks what meets
// there. A pile that outgrows its lane is pressed together rather than cut.
func (p *pen) pile(l Lane, x scale, floor float64) {
	slots := int((x.high-x.low)/(2*dotRadius)) + 1
	counts := make([]int, slots)
	for _, v := range l.Values {
		if v, ok := finite(v); ok {
			at := int(math.Round((x.at(v) - x.low) / (2 * dotRadius)))
			counts[max(0, min(at, slots-1))]++
		}
	}
	highest := 0
	for _, n := range counts {
		highest = max(highest, n)
	}
	// With thousands of values one dot stands for several.
	each := stride(highest, 4*pileHeight)
	pitch := 2 * dotRadius
	if n := (highest + each - 1) / each; n > pileHeight {
		pitch = 2 * dotRadius * pileHeight / float64(n)
	}
	for i, n := range counts {
		dots := (n + each - 1) / each
		for k := range dots {
			p.circle("fill dot "+l.Tone.class(), x.low+float64(2*dotRadius*float64(i)), floor-dotRadius-float64(pitch*float64(k)), dotRadius-0.3, "")
		}
	}
}

// Table sums each lane up: how many values, and where they lie.
func (c Strip) Table() Table {
	t := Table{Columns: []string{"", "Count", "Least", "Mean", "Most"}}
	for _, l := range c.Lanes {
		var s span
		sum, n := 0.0, 0
		for _, v := range l.Values {
			if v, ok := finite(v); ok {
				s.add(v)
				sum += v
				n++
			}
		}
		if n == 0 {
			t.Rows = append(t.Rows, []string{l.Name, "0", "–", "–", "–"})
			continue
		}
		t.Rows = append(t.Rows, []string{l.Name, Count.Format(float64(n)), c.X.Unit.Format(s.from), c.X.Unit.Format(sum / float64(n)), c.X.Unit.Format(s.to)})
	}
	return t
}
