package chart

import (
	"cmp"
	"html/template"
	"math"
	"slices"
)

// Node is a thing in a ring: an account, an address, a device in the middle,
// or a person on the rim.
type Node struct {
	Label string
	Kind  string // what it is, named in the legend and drawn in one tone for each kind
	Inner bool   // on the inner circle
}

// Link joins two nodes by their places in Ring.Nodes.
type Link struct{ From, To int }

// Ring is a picture of who shares what: shared things on an inner circle,
// those who share them around it, and a line for each sharing.
type Ring struct {
	Head
	Nodes []Node
	Links []Link
}

// The circles are as tall as the drawing and narrower than it, so that there is
// room for names to the left and to the right.
const (
	mostNodes  = 80
	ringTall   = 440.0
	outerTall  = 196.0
	outerWide  = 138.0
	innerRound = 78.0
)

// SVG draws the ring. The layout is a matter of counting, without chance: the
// inner nodes stand in their given order, and the outer ones are sorted by the
// mean direction of what they are joined to, which keeps the lines short.
func (c Ring) SVG() template.HTML {
	nodes := c.Nodes[:min(len(c.Nodes), mostNodes)]
	if len(nodes) == 0 {
		return empty(c.Head, "ring", leastHeight)
	}
	kinds := c.kinds(nodes)
	keys := make([]key, len(kinds))
	for i, k := range kinds {
		keys[i] = key{name: k, tone: Tone(i % int(tones))}
	}
	var p, aside pen
	top := aside.legend(keys, 0)
	height := top + ringTall
	more := len(c.Nodes) - len(nodes)
	if more > 0 {
		height += lineSpace
	}
	p.open(c.Head, "ring", height)
	p.legend(keys, 0)
	at := c.layout(nodes, Point{wide / 2, top + ringTall/2})
	for _, l := range c.Links {
		if l.From >= 0 && l.To >= 0 && l.From < len(nodes) && l.To < len(nodes) && l.From != l.To {
			p.line("link", at[l.From].X, at[l.From].Y, at[l.To].X, at[l.To].Y)
		}
	}
	for i, n := range nodes {
		tone := keys[max(slices.Index(kinds, n.Kind), 0)].tone.class()
		r := 6.0
		if n.Inner {
			r = 10
		}
		p.circle("fill node "+tone, at[i].X, at[i].Y, r, n.Kind+" "+n.Label)
	}
	p.nodeLabels(nodes, at)
	if more > 0 {
		p.text("soft", start, 0, height-6, "and "+Count.Format(float64(more))+" more in the table")
	}
	return p.close()
}

// nodeLabels writes names beside the nodes as long as there is room for them;
// in a crowd only the inner ones are named.
func (p *pen) nodeLabels(nodes []Node, at []Point) {
	outer := 0
	for _, n := range nodes {
		if !n.Inner {
			outer++
		}
	}
	for i, n := range nodes {
		switch {
		case n.Inner:
			p.text("halo", middle, at[i].X, at[i].Y+26, clip(n.Label, 130))
		case outer > 24:
		case at[i].X >= wide/2:
			p.text("halo", start, at[i].X+10, at[i].Y+5, clip(n.Label, wide-at[i].X-10))
		default:
			p.text("halo", finish, at[i].X-10, at[i].Y+5, clip(n.Label, at[i].X-10))
		}
	}
}

func (c Ring) kinds(nodes []Node) []string {
	var kinds []string
	for _, n := range nodes {
		if !slices.Contains(kinds, n.Kind) {
			kinds = append(kinds, n.Kind)
		}
	}
	return kinds
}

// layout places the inner nodes on a small circle (a single one in the middle)
// and the outer ones on a large one.
func (c Ring) layout(nodes []Node, centre Point) []Point {
	at := make([]Point, len(nodes))
	var inner, outer []int
	for i, n := range nodes {
		at[i] = centre
		if n.Inner {
			inner = append(inner, i)
		} else {
			outer = append(outer, i)
		}
	}
	if len(inner) > 1 {
		for k, i := range inner {
			at[i] = onCircle(centre, innerRound*outerWide/outerTall, innerRound, k, len(inner))
		}
	}
	pull := make([]Point, len(nodes))
	for _, l := range c.Links {
		if l.From < 0 || l.To < 0 || l.From >= len(nodes) || l.To >= len(nodes) {
			continue
		}
		for _, pair := range [][2]int{{l.From, l.To}, {l.To, l.From}} {
			pull[pair[0]].X += at[pair[1]].X - centre.X
			pull[pair[0]].Y += at[pair[1]].Y - centre.Y
		}
	}
	slices.SortStableFunc(outer, func(a, b int) int {
		return cmp.Compare(direction(pull[a]), direction(pull[b]))
	})
	for k, i := range outer {
		at[i] = onCircle(centre, outerWide, outerTall, k, len(outer))
	}
	return at
}

// direction is an angle from the top, clockwise, rounded so that the last bits
// of a processor's arithmetic cannot change the order.
func direction(v Point) float64 {
	a := math.Atan2(v.X, -v.Y)
	if a < 0 {
		a += 2 * math.Pi
	}
	a = math.Round(a*1e4) / 1e4
	if a >= 6.2831 {
		return 0
	}
	return a
}

// onCircle is the k-th of n places on a circle that may be narrower than it is
// tall, the first of them at the top.
func onCircle(centre Point, across, tall float64, k, n int) Point {
	a := 2 * math.Pi * float64(k) / float64(n)
	return Point{centre.X + float64(across*math.Sin(a)), centre.Y - float64(tall*math.Cos(a))}
}

// Table lists every link by the names of its ends.
func (c Ring) Table() Table {
	t := Table{Columns: []string{"From", "To"}, Texts: []int{1}}
	for _, l := range c.Links {
		if l.From >= 0 && l.To >= 0 && l.From < len(c.Nodes) && l.To < len(c.Nodes) {
			t.Rows = append(t.Rows, []string{c.Nodes[l.From].name(), c.Nodes[l.To].name()})
		}
	}
	return t
}

func (n Node) name() string {
	if n.Kind == "" {
		return n.Label
	}
	return n.Kind + " " + n.Label
}
