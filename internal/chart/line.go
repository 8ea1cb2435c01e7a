package chart

import (
	"cmp"
	"html/template"
	"slices"
)

// Point is a pair of numbers of a curve.
type Point struct{ X, Y float64 }

// Series is one curve. Points are joined in the order given.
type Series struct {
	Name   string
	Tone   Tone
	Dashed bool
	Area   bool // shade the area down to the axis
	Points []Point
}

// Gap is a vertical line between two values with a label beside it. It marks, for
// example, the largest distance between two curves.
type Gap struct {
	X, From, To float64
	Label       string
}

// Line is a chart of curves.
type Line struct {
	Head
	X, Y     Axis
	Series   []Series
	Diagonal bool // draw a faint line from corner to corner, which shows the result of pure randomness
	Gaps     []Gap
	Height   float64
}

// mostPoints is the maximum number of drawn points of a curve. mostGaps is the
// maximum number of drawn gaps of a chart. More could not be distinguished.
const (
	mostPoints = 600
	mostGaps   = 12
)

// SVG draws the curves.
func (c Line) SVG() template.HTML {
	height := heightOr(c.Height)
	var xs, ys span
	ys.add(0)
	found := false
	curves := make([][]Point, len(c.Series))
	for i, s := range c.Series {
		curves[i] = drawable(s.Points)
		for _, q := range curves[i] {
			xs.add(q.X)
			ys.add(q.Y)
			found = true
		}
	}
	if !found {
		return empty(c.Head, "line", height)
	}
	var p pen
	p.open(c.Head, "line", height)
	keys := make([]key, len(c.Series))
	for i, s := range c.Series {
		keys[i] = key{name: s.Name, tone: s.Tone, dash: s.Dashed, line: true}
	}
	f := p.axes(c.X, c.Y, c.X.fit(xs, 6, false), c.Y.fit(ys, 5, true), p.legend(keys, 0), height)
	if c.Diagonal {
		p.line("chance", f.left, f.bottom, f.right, f.top)
	}
	for i, s := range c.Series {
		p.curve(f, s, curves[i])
	}
	for _, g := range c.Gaps[:min(len(c.Gaps), mostGaps)] {
		p.gap(f, g)
	}
	return p.close()
}

func (p *pen) curve(f frame, s Series, points []Point) {
	if len(points) == 0 {
		return
	}
	at := make([]Point, len(points))
	for i, q := range points {
		at[i] = Point{f.x.at(q.X), f.y.at(q.Y)}
	}
	if s.Area && len(at) > 1 {
		area := append([]Point{{at[0].X, f.bottom}}, at...)
		p.path("area "+s.Tone.class(), append(area, Point{at[len(at)-1].X, f.bottom}), true)
	}
	if len(at) == 1 {
		p.circle("fill "+s.Tone.class(), at[0].X, at[0].Y, 4, "")
		return
	}
	class := "stroke "
	if s.Dashed {
		class = "stroke dash "
	}
	p.path(class+s.Tone.class(), at, false)
}

func (p *pen) gap(f frame, g Gap) {
	for _, v := range []float64{g.X, g.From, g.To} {
		if _, ok := finite(v); !ok {
			return
		}
	}
	x, y1, y2 := f.x.at(g.X), f.y.at(g.From), f.y.at(g.To)
	p.line("gap", x, y1, x, y2)
	p.circle("gapend", x, y1, 3.5, "")
	p.circle("gapend", x, y2, 3.5, "")
	// Put the label below the lower one of two rising curves, because there is space there.
	label := clip(g.Label, f.right-f.left)
	y := min(max(y1, y2)+20, f.bottom-8)
	if x+10+breadth(label) <= f.right {
		p.text("halo strong", start, x+10, y, label)
	} else {
		p.text("halo strong", finish, x-10, y, label)
	}
}

// drawable returns the points to draw. It leaves out points that are not finite,
// and drops some points if there are too many, but never the first or the last
// one.
func drawable(points []Point) []Point {
	kept := make([]Point, 0, len(points))
	for _, q := range points {
		x, okX := finite(q.X)
		y, okY := finite(q.Y)
		if okX && okY {
			kept = append(kept, Point{x, y})
		}
	}
	step := stride(len(kept), mostPoints)
	if step == 1 {
		return kept
	}
	thin := make([]Point, 0, mostPoints+1)
	for i := 0; i < len(kept); i += step {
		thin = append(thin, kept[i])
	}
	return append(thin, kept[len(kept)-1])
}

// Table returns a table of the drawn points: one row for each point of a single
// curve, or one row for each X at which any of several curves has a point.
func (c Line) Table() Table {
	t := Table{Columns: []string{labelOr(c.X.Label, "x")}}
	for _, s := range c.Series {
		t.Columns = append(t.Columns, labelOr(s.Name, labelOr(c.Y.Label, "y")))
	}
	if len(c.Series) == 1 {
		for _, q := range drawable(c.Series[0].Points) {
			t.Rows = append(t.Rows, []string{c.X.Unit.Format(q.X), c.Y.Unit.Format(q.Y)})
		}
		return t
	}
	at := map[float64]int{}
	var xs []float64
	for i, s := range c.Series {
		for _, q := range drawable(s.Points) {
			n, seen := at[q.X]
			if !seen {
				n = len(t.Rows)
				at[q.X] = n
				xs = append(xs, q.X)
				t.Rows = append(t.Rows, make([]string, 1+len(c.Series)))
				t.Rows[n][0] = c.X.Unit.Format(q.X)
			}
			t.Rows[n][1+i] = c.Y.Unit.Format(q.Y)
		}
	}
	order := make([]int, len(xs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(xs[a], xs[b]) })
	sorted := make([][]string, len(order))
	for i, n := range order {
		sorted[i] = t.Rows[n]
	}
	t.Rows = sorted
	return t
}

func labelOr(label, other string) string {
	if label == "" {
		return other
	}
	return label
}
