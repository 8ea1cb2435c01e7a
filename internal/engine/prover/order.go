package prover

import (
	"slices"

	"verdict/internal/engine"
)

// order gives every variable its position. The variable of new-to-credit comes first, because bands and scores
// depend on it (and the co-applicant's score, if it can change that), and results come last. In between come the
// variables of entries that differ, because states in which the difference has no effect are dropped as soon as
// these are known. Otherwise the next variable is the one that leaves the fewest conditions open. Lending facts come
// late, because their cells must be kept for the offer.
func (m *model) order() []*variable {
	groups := m.groups()
	differ := m.differing(groups)
	of := make([][]*group, len(m.vars))
	for i := range groups {
		g := &groups[i]
		for _, v := range g.vars {
			of[v] = append(of[v], g)
			if !m.isResult(v) {
				g.left++
			}
		}
	}
	same := m.samePrices()
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
		if t := m.vars[i].twin; t != nil { // so that the order of the two is checked as soon as one is known
			place(t.other(i))
		}
	}
	if m.ntc >= 0 {
		place(m.ntc)
	}
	if m.chooses(engine.HighestScore) {
		place(m.other)
	}
	for _, i := range m.early {
		if !m.isResult(i) && m.vars[i].dim == noDim && m.ready(m.vars[i], placed) {
			place(i)
		}
	}
	for {
		best, bestRank := -1, [6]int{}
		for i, v := range m.vars {
			if placed[i] || m.isResult(i) || !m.ready(v, placed) {
				continue
			}
			rank := m.rank(i, of[i], differ, same)
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

// isResult reports whether a variable is computed during the decision.
func (m *model) isResult(i int) bool {
	return m.vars[i].kind == resultVariable || m.vars[i].kind == freeResult
}

// ready reports whether the fields of a free variable are placed, so that it is skipped if one of them is absent.
func (m *model) ready(v *variable, placed []bool) bool {
	return !slices.ContainsFunc(v.reads, func(i int) bool { return !placed[i] })
}

// rank returns the rank of a variable among those that could be next. Lower ranks come first. same says that both
// policies lend alike.
func (m *model) rank(at int, groups []*group, differ []bool, same bool) [6]int {
	v := m.vars[at]
	late, unequal := 0, 1
	if v.dim != noDim {
		late = 1
	}
	if differ[at] {
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
	left  int // variables that have no position yet, without results
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

// differing reports for each variable whether it is read by an entry that the other policy does not have.
func (m *model) differing(groups []group) []bool {
	count := map[string]int{}
	for _, g := range groups {
		count[g.key] += 1 - 2*g.side
	}
	out := make([]bool, len(m.vars))
	for _, g := range groups {
		if count[g.key] != 0 {
			for _, i := range g.vars {
				out[i] = true
			}
		}
	}
	return out
}
