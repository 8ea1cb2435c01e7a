package space

import (
	"math/rand/v2"
	"testing"
)

// TestSets compares the set operations with the same operations on single
// codes.
func TestSets(t *testing.T) {
	t.Parallel()
	const universe = 20
	r := rand.New(rand.NewPCG(5, 5))
	var m Sets
	draw := func() Set {
		mark := len(m.block)
		for code := range int64(universe) {
			if r.IntN(2) == 0 {
				m.add(mark, Span{code, code})
			}
		}
		return m.since(mark)
	}
	for range 2000 {
		s, u := draw(), draw()
		both, only, either := m.Intersection(s, u), m.Difference(s, u), m.Union(s, u)
		inside, meets := true, false
		for code := range int64(universe) {
			a, b := s.Contains(code), u.Contains(code)
			if both.Contains(code) != (a && b) || only.Contains(code) != (a && !b) ||
				either.Contains(code) != (a || b) {
				t.Fatalf("%v and %v at %d: %v %v %v", s, u, code, both, only, either)
			}
			inside, meets = inside && (!a || b), meets || a && b
		}
		if s.Within(u) != inside || s.Meets(u) != meets {
			t.Fatalf("%v and %v: within %v, meets %v", s, u, !inside, !meets)
		}
	}
}
