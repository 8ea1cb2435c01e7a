package prover

import (
	"math/bits"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// maxDims is the largest number of lending variables that two policies can have together. If the fields of a cap
// would exceed this number, the prover assumes that the cap can have any value.
const maxDims = 2*dimensions + 4

// box is a set of combinations of lending facts: an interval for each variable that is given.
type box struct {
	given  [maxDims]bool
	lo, hi [maxDims]rule.Number
}

// boxVariables maps the lending facts of both policies to the dimensions of a box.
type boxVariables struct {
	vars  []*variable
	units []rule.Number
	of    [2][dimensions]int // by policy and dimension: index in vars, or -1 if the policy does not read the fact
}

func (m *model) boxVariables() (b boxVariables) {
	at := map[int]int{}
	for i, s := range m.sides {
		for dim, v := range s.dims {
			b.of[i][dim] = -1
			if v < 0 {
				continue
			}
			k, ok := at[v]
			if !ok {
				k = len(b.vars)
				at[v] = k
				b.add(m, v)
			}
			b.of[i][dim] = k
		}
	}
	for i, v := range m.vars {
		if v.dim == dimCap {
			b.add(m, i)
		}
	}
	return b
}

func (b *boxVariables) add(m *model, v int) {
	b.vars = append(b.vars, m.vars[v])
	b.units = append(b.units, m.space.Domain(m.vars[v].field).Unit)
}

// boxOf returns the box of a context.
func (a *automaton) boxOf(ctx int32) (b box) {
	for k, v := range a.lending.vars {
		c := &v.cells[a.cellIn(ctx, k)]
		if c.absent {
			continue
		}
		unit := a.lending.units[k]
		b.given[k] = true
		b.lo[k], b.hi[k] = rule.Number(c.set[0].Lo)*unit, rule.Number(c.set[0].Hi)*unit
		if v.dim == dimTenure && !v.caps { // every value of the cell has the same effect
			b.hi[k] = b.lo[k]
		}
	}
	return b
}

// maxLeafBoxes is the largest number of boxes into which boxesOf divides a leaf.
const maxLeafBoxes = 16

// boxesOf returns the box of a leaf, divided where the caps that apply begin or cease to have a value. The search
// halves boxes and would find these points too, but far too late if few applicants are between the points of two caps.
func (a *automaton) boxesOf(leaf *pairState) []box {
	list := []box{a.boxOf(leaf.ctx)}
	for _, id := range leaf.sides {
		if id == dead || !a.tests.hasCaps(&a.states[id]) {
			continue
		}
		for _, c := range a.tests.capsOf(a.states[id].tests) {
			for _, end := range c.ends {
				list = a.divided(list, end)
			}
		}
	}
	return list
}

// divided divides boxes at the point where a cap begins or ceases to have a value.
func (a *automaton) divided(list []box, end valueEnd) []box {
	k := slices.Index(a.lending.vars, a.model.vars[end.v])
	if k < 0 {
		return list
	}
	for i := range list {
		b := &list[i]
		if !b.given[k] || end.last < b.lo[k] || b.hi[k] <= end.last || len(list) == maxLeafBoxes {
			continue
		}
		above := *b
		above.lo[k], b.hi[k] = end.last+a.lending.units[k], end.last
		list = append(list, above)
	}
	return list
}

// falling reports whether the limit falls if the lending fact of a dimension grows.
func falling(dim int) bool {
	switch dim {
	case dimFOIR, dimOutstanding, dimOffers, dimPartnerOutstanding, dimPartnerOffers:
		return true
	default:
		return false
	}
}

// falling reports whether the limit falls if the variable grows. A fact that only caps read can make the limit rise
// or fall. For such a fact, v.falls has a guess, which comes from model.directions.
func (v *variable) falling() bool { return falling(v.dim) || v.dim == dimCap && v.falls }

// corner returns the point of a box at which all limits are highest, or lowest if high is false. It ignores caps.
func (b *box) corner(vars *boxVariables, high bool) (p box) {
	p = *b
	for k, v := range vars.vars {
		if high == v.falling() {
			p.hi[k] = p.lo[k]
		} else {
			p.lo[k] = p.hi[k]
		}
	}
	return p
}

// facts returns the lending facts that policy i reads at a point.
func (b *box) facts(vars *boxVariables, i int) (f engine.LendingFacts) {
	value := func(dim int) rule.Value {
		k := vars.of[i][dim]
		if k < 0 || !b.given[k] {
			return rule.Value{}
		}
		return rule.Num(b.lo[k])
	}
	return engine.LendingFacts{
		Income: value(dimIncome), FOIR: value(dimFOIR), Requested: value(dimRequested), Tenure: value(dimTenure),
		Outstanding: value(dimOutstanding), OtherOffers: value(dimOffers),
		PartnerOutstanding: value(dimPartnerOutstanding), PartnerOffers: value(dimPartnerOffers),
	}
}

// isPoint reports whether a box contains only one combination.
func (b *box) isPoint() bool { return b.lo == b.hi }

// between returns a multiple of unit between two numbers, or one of the two numbers if there is none. If the numbers
// differ much in magnitude, it returns a number whose magnitude is in the middle.
func between(x, y, unit rule.Number) rule.Number {
	lo, hi := min(x, y), max(x, y)
	mid := lo + (hi-lo)/2
	if lo >= 0 {
		low, high := bits.Len64(uint64(max(lo, 1))), bits.Len64(uint64(hi))
		if high-low > 3 {
			mid = max(lo, rule.Number(1)<<((low+high)/2))
		}
	}
	if mid -= mid % unit; mid < lo {
		mid = lo
	}
	return mid
}

// middle returns a point between two points.
func middle(vars *boxVariables, p, q *box) (m box) {
	m = *p
	for k := range vars.vars {
		if m.given[k] {
			m.lo[k] = between(p.lo[k], q.lo[k], vars.units[k])
			m.hi[k] = m.lo[k]
		}
	}
	return m
}

// halves splits a box at the dimension that is widest relative to its values. ok is false for a point.
func (b *box) halves(vars *boxVariables) (low, high box, ok bool) {
	widest, width := -1, uint64(0)
	for k := range vars.vars {
		if !b.given[k] || b.lo[k] == b.hi[k] {
			continue
		}
		// Compare relative widths in units of 1/1024. The requested amount is split last, because its effect is
		// computed exactly.
		w := uint64(b.hi[k]-b.lo[k])/uint64(max(b.hi[k]>>10, 1)) + 1
		if vars.vars[k].dim == dimRequested {
			w = 0
		}
		if widest < 0 || w > width {
			widest, width = k, w
		}
	}
	if widest < 0 {
		return low, high, false
	}
	low, high = *b, *b
	mid := between(b.lo[widest], b.hi[widest], vars.units[widest])
	if mid >= b.hi[widest] {
		mid = b.hi[widest] - vars.units[widest]
	}
	low.hi[widest], high.lo[widest] = mid, mid+vars.units[widest]
	return low, high, true
}
