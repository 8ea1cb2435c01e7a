package prover

import (
	"slices"

	"verdict/internal/engine"
)

// order gives every variable its position. bureau_is_ntc comes first, because bands and scores depend on it. If the
// co-applicant's score can change it, that score comes next. Results come last. In between, the variables of entries
// that differ come early, because states in which the difference has no effect can be dropped once these variables are
// known. Apart from that, the next variable is the one that leaves the fewest conditions open. Lending facts come
// late, because their cells must be kept for the offer.
func (m *model) order() []*variable {
	groups := m.groups()
	differ := differing(groups, len(m.vars))
	of := make([][]*group, len(m.vars))
	for i := range groups {
		g := &groups[i]
		for _, v := range g.vars {
			of[v] = append(of[v], g)
			if !m.vars[v].isResult() {
				g.left++
			}
		}
	}
	same := m.sides.samePrices(&m.tests)
	placed := make([]bool, len(m.vars))
	var out []*variable
	var place func(i int)
	place = func(i int) {
		if placed[i] {
			return
		}
		placed[i] = true
		m.vars[i].at = int32(len(out))
		out = append(out, m.vars[i])
		for _, g := range of[i] {
			g.left, g.begun = g.left-1, true
		}
		if t := m.vars[i].twin; t != nil { // place both together, so that their order is checked as soon as possible
			place(t.other(i))
		}
	}
	if m.ntc >= 0 {
		place(m.ntc)
	}
	if m.sides.chooses(engine.HighestScore) {
		place(m.other)
	}
	for _, i := range m.early {
		if v := m.vars[i]; !v.isResult() && v.dim == noDim && v.ready(placed) {
			place(i)
		}
	}
	for {
		best, bestRank := -1, [6]int{}
		for i, v := range m.vars {
			if placed[i] || v.isResult() || !v.ready(placed) {
				continue
			}
			rank := v.rank(i, of[i], differ[i], same)
			if best < 0 || slices.Compare(rank[:], bestRank[:]) < 0 {
				best, bestRank = i, rank
			}
		}
		if best < 0 {
			break
		}
		place(best)
	}
	for i := range m.vars {
		if !placed[i] {
			place(i)
		}
	}
	return out
}

// isResult reports whether the variable is computed during the decision.
func (v *variable) isResult() bool { return v.kind == resultVariable || v.kind == freeResult }

// ready reports whether all variables that a free variable reads have positions. Then the free variable can be skipped
// if one of them is absent.
func (v *variable) ready(placed []bool) bool {
	return !slices.ContainsFunc(v.reads, func(i int) bool { return !placed[i] })
}

// rank returns the rank of the variable with the given index among the variables that could be next. Lower ranks
// come first. If differs is true, an entry of only one policy reads the variable. If same is true, both policies lend
// on the same terms.
func (v *variable) rank(at int, groups []*group, differs, same bool) [6]int {
	late, unequal := 0, 1
	if v.dim != noDim {
		late = 1
	}
	if differs {
		unequal = 0
	}
	opened, closed := 0, 0
	for _, g := range groups {
		switch {
		case g.left == 1 && g.begun:
			closed++
		case g.left > 1 && !g.begun:
			opened++
		}
	}
	if same {
		return [6]int{unequal, late, opened - closed, -closed, len(v.cells), at}
	}
	return [6]int{late, unequal, opened - closed, -closed, len(v.cells), at}
}

// group is the set of variables that a clause reads.
type group struct {
	vars  []int
	key   string
	side  int
	left  int // number of variables that have no position yet, not counting results
	begun bool
}

// groups returns the variables of every clause of both policies.
func (m *model) groups() (out []group) {
	for i, s := range m.sides {
		for k := range s.raw {
			r := &s.raw[k]
			g := group{side: i, key: m.fingerprint(r)}
			if r.kind == factorEffect {
				g.vars = append(g.vars, r.v)
			}
			var walk func(e *expr)
			walk = func(e *expr) {
				if e == nil {
					return
				}
				if e.kind == literalNode && !slices.Contains(g.vars, e.v) {
					g.vars = append(g.vars, e.v)
				}
				for _, kid := range e.kids {
					walk(kid)
				}
			}
			walk(r.t)
			walk(r.f)
			out = append(out, g)
		}
	}
	return out
}

// differing reports, for each of n variables, whether the variable is read by an entry that only one of the policies
// has.
func differing(groups []group, n int) []bool {
	count := map[string]int{}
	for _, g := range groups {
		count[g.key] += 1 - 2*g.side
	}
	out := make([]bool, n)
	for _, g := range groups {
		if count[g.key] != 0 {
			for _, i := range g.vars {
				out[i] = true
			}
		}
	}
	return out
}
