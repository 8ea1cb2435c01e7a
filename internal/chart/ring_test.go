package chart

import (
	"fmt"
	"math"
	"testing"
)

// TestLinesTouchTheirOwnNodes checks rings of many sizes in which each node is
// linked to all nodes of the other column. No line may come near a node that is
// not one of its ends.
func TestLinesTouchTheirOwnNodes(t *testing.T) {
	t.Parallel()
	sizes := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 20, 30, 45, mostNodes - 1}
	for _, inner := range sizes {
		for _, outer := range sizes {
			if inner+outer > mostNodes {
				continue
			}
			var c Ring
			for i := range inner {
				c.Nodes = append(c.Nodes, Node{Label: fmt.Sprint("thing ", i), Kind: "Account", Inner: true})
			}
			for i := range outer {
				c.Nodes = append(c.Nodes, Node{Label: fmt.Sprint("person ", i), Kind: "Applicant"})
				for k := range inner {
					c.Links = append(c.Links, Link{From: k, To: inner + i})
				}
			}
			at, radius, tall := c.layout(c.Nodes, 0)
			for _, l := range c.Links {
				for i := range c.Nodes {
					if i == l.From || i == l.To {
						continue
					}
					if d := distance(at[i], at[l.From], at[l.To]); d <= radius[i] {
						t.Fatalf("%d and %d: the line from %d to %d passes node %d at %.1f, which has the radius %.1f",
							inner, outer, l.From, l.To, i, d, radius[i])
					}
				}
			}
			for i := range at {
				if at[i].Y-radius[i] < 0 || at[i].Y+radius[i] > tall {
					t.Fatalf("%d and %d: node %d is outside", inner, outer, i)
				}
			}
		}
	}
}

// distance returns the distance of the point p from the line segment between a
// and b.
func distance(p, a, b Point) float64 {
	x, y := b.X-a.X, b.Y-a.Y
	along := max(0, min(1, ((p.X-a.X)*x+(p.Y-a.Y)*y)/(x*x+y*y)))
	return math.Hypot(p.X-a.X-along*x, p.Y-a.Y-along*y)
}
