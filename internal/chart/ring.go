package chart

import (
	"cmp"
	"html/template"
	"math"
	"slices"
)

// Node is a node of a ring: a shared account, address or device, or a person who
// shares it.
type Node struct {
	Label string
	Kind  string // shown in the legend; nodes of one kind have the same tone
	Inner bool   // the node is a shared account, address or device
	Link  string // the address of the node's page; "" for none
}

// Link connects two nodes by their indexes in Ring.Nodes.
type Link struct{ From, To int }

// Ring is a chart of who shares what: the shared accounts, addresses and devices
// in one column, the people who share them in the other, and a line for each link.
type Ring struct {
	Head
	Nodes []Node
	Links []Link
}

// The columns of nodes have a distance from the edges, to leave space for labels
// on the left and on the right.
const (
	mostNodes   = 60
	sharedAt    = 150.0
	sharersAt   = wide - sharedAt
	ringLeast   = 200.0 // minimum height
	nodeSpacing = 26.0  // distance between the centres of two nodes in a column
	fewSpacing  = 44.0  // spacing if each column has at most "few" nodes
	few         = 8
	largeNode   = 10.0
	usualNode   = 6.0
	leastNode   = 2.0
)

// SVG draws the ring. The layout is deterministic: shared nodes stay in the given
// order, and people are sorted by the mean height of the shared nodes that they
// are linked to, so that lines are short. Nodes are small enough that a straight
// line from one column to the other touches only the two nodes that it connects.
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
	at, radius, tall := c.layout(nodes, top)
	height := top + tall
	more := len(c.Nodes) - len(nodes)
	if more > 0 {
		height += lineSpace
	}
	if slices.ContainsFunc(nodes, func(n Node) bool { return n.Link != "" }) {
		p.openLinked(c.Head, "ring", height)
	} else {
		p.open(c.Head, "ring", height)
	}
	p.legend(keys, 0)
	for _, l := range c.Links {
		if l.From >= 0 && l.To >= 0 && l.From < len(nodes) && l.To < len(nodes) && l.From != l.To {
			p.link(at[l.From], at[l.To])
		}
	}
	for i, n := range nodes {
		linked := p.beginLink("node-link", n.Link)
		tone := keys[max(slices.Index(kinds, n.Kind), 0)].tone.class()
		p.circle("fill node "+tone, at[i].X, at[i].Y, radius[i], n.Kind+" "+n.Label)
		gap := radius[i] + 6
		if n.Inner {
			p.text("halo", finish, at[i].X-gap, at[i].Y+5, clip(n.Label, at[i].X-gap))
		} else {
			p.text("halo", start, at[i].X+gap, at[i].Y+5, clip(n.Label, wide-at[i].X-gap))
		}
		if linked {
			p.raw("</a>\n")
		}
	}
	if more > 0 {
		p.text("soft", start, 0, height-6, "and "+Count.Format(float64(more))+" more in the table")
	}
	return p.close()
}

// link draws a line between two nodes. The line is straight between two columns.
// Between two nodes of the same column it is bent towards the middle of the
// drawing, around the nodes between them.
func (p *pen) link(a, b Point) {
	if a.X != b.X {
		p.line("link", a.X, a.Y, b.X, b.Y)
		return
	}
	bend := Point{a.X + (wide/2-a.X)/2, (a.Y + b.Y) / 2}
	p.path("link", []Point{a, bend, b}, false)
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

// layout places the nodes in two columns below top. It returns the position and
// the radius of each node, and the total height.
func (c Ring) layout(nodes []Node, top float64) (at []Point, radius []float64, tall float64) {
	var inner, outer []int
	for i, n := range nodes {
		if n.Inner {
			inner = append(inner, i)
		} else {
			outer = append(outer, i)
		}
	}
	spacing := nodeSpacing
	most := max(len(inner), len(outer))
	if most <= few {
		spacing = fewSpacing
	}
	tall = max(ringLeast, float64(most)*spacing)
	at, radius = make([]Point, len(nodes)), make([]float64, len(nodes))
	place := func(column []int, x, size float64) {
		each := tall / float64(max(len(column), 1))
		// clear is the distance between a node and the steepest line past it.
		clear := each * (sharersAt - sharedAt) / math.Hypot(sharersAt-sharedAt, tall)
		for k, i := range column {
			at[i] = Point{x, top + float64((float64(k)+0.5)*each)}
			radius[i] = max(leastNode, min(size, math.Floor(clear-1)))
		}
	}
	place(inner, sharedAt, largeNode)
	height, links := make([]float64, len(nodes)), make([]float64, len(nodes))
	for _, l := range c.Links {
		if l.From < 0 || l.To < 0 || l.From >= len(nodes) || l.To >= len(nodes) {
			continue
		}
		for _, pair := range [][2]int{{l.From, l.To}, {l.To, l.From}} {
			if nodes[pair[1]].Inner {
				height[pair[0]] += at[pair[1]].Y
				links[pair[0]]++
			}
		}
	}
	mean := func(i int) float64 { return math.Round(height[i] / max(links[i], 1)) }
	slices.SortStableFunc(outer, func(a, b int) int { return cmp.Compare(mean(a), mean(b)) })
	place(outer, sharersAt, usualNode)
	return at, radius, tall
}

// Table returns a table with one row for each link.
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
