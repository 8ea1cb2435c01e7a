package prover

import (
	"encoding/binary"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/engine/space"
	"verdict/internal/rule"
)

// cell is a set of states of a variable that neither policy tells apart.
type cell struct {
	set    space.Set
	absent bool // the cell contains the state without a value
}

// divide divides the states of every variable into cells.
func (m *model) divide() {
	factors := make([][]*engine.Factor, len(m.vars))
	for _, s := range m.sides {
		for i := range s.raw {
			if r := &s.raw[i]; r.kind == factorEffect {
				factors[r.v] = append(factors[r.v], r.factor)
			}
		}
	}
	for i, v := range m.vars {
		m.cells(v, factors[i])
	}
}

// cells divides the states of one variable. States are in the same cell if they are in the same tested sets and give
// the same points. The cells of a lending fact are also intervals.
func (m *model) cells(v *variable, factors []*engine.Factor) {
	bins := make([]binning, len(factors))
	cuts := []int64{}
	cut := func(set space.Set) {
		for _, x := range set {
			cuts = append(cuts, x.Lo, x.Hi+1)
		}
	}
	cut(v.all)
	for _, set := range v.sets {
		cut(set)
	}
	for i, f := range factors {
		bins[i] = m.binning(f, v)
		for _, set := range bins[i].sets {
			cut(set)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)

	known := map[string]int{}
	last := -1
	var key []byte
	for i, lo := range cuts {
		if !v.all.Contains(lo) || i+1 == len(cuts) {
			continue
		}
		key = key[:0]
		for _, set := range v.sets {
			inside := byte(0)
			if set.Contains(lo) {
				inside = 1
			}
			key = append(key, inside)
		}
		for k := range bins {
			key = binary.LittleEndian.AppendUint64(key, uint64(bins[k].points(lo)))
		}
		span := space.Span{Lo: lo, Hi: cuts[i+1] - 1}
		at, ok := known[string(key)]
		if ok && v.dim != noDim && at != last {
			ok = false // not an interval
		}
		if !ok {
			at = len(v.cells)
			known[string(key)] = at
			v.cells = append(v.cells, cell{})
		}
		c := &v.cells[at]
		c.set = m.solver.Sets.Union(c.set, space.Set{span})
		c.absent = c.absent || (v.kind == requestVariable || v.kind == resultVariable) && lo == space.Absent
		last = at
	}
}

// binning has the states of the bins of a factor.
type binning struct {
	sets    []space.Set
	of      []rule.Number // the points of each set
	missing rule.Number
}

// points returns the points of a state.
func (b *binning) points(code int64) rule.Number {
	for i, set := range b.sets {
		if set.Contains(code) {
			return b.of[i]
		}
	}
	return b.missing
}

func (m *model) binning(f *engine.Factor, v *variable) (b binning) {
	d := m.space.Domain(v.field)
	if f.HasMissing {
		b.missing = f.Weighted(f.Missing)
	}
	add := func(set space.Set, k int) {
		b.sets, b.of = append(b.sets, set), append(b.of, f.Weighted(f.Bins[k].Points))
	}
	ranges := f.Ranges()
	for k := len(ranges); k < len(f.Bins); k++ { // special values belong to no range, so they come first
		values := make([]rule.Value, len(f.Bins[k].Special))
		for i, n := range f.Bins[k].Special {
			values[i] = rule.Num(n)
		}
		add(m.solver.OneOf(d, values), k)
	}
	last := len(ranges) - 1
	for k := range ranges {
		switch {
		case k == last: // all remaining values
			add(d.Given, k)
		case f.Field.Type == rule.NumberType:
			add(m.solver.Compared(d, rule.Lt, rule.Num(ranges[k+1].Min)), k)
		default:
			add(m.solver.OneOf(d, f.Bins[k].In), k)
		}
	}
	return b
}

// cellOf returns the index of the cell of a state, or -1.
func (v *variable) cellOf(code int64) int {
	return slices.IndexFunc(v.cells, func(c cell) bool { return c.set.Contains(code) })
}

// cellsOfSet returns the cells that a tested set consists of.
func (v *variable) cellsOfSet(set int) bitset {
	b := newBitset(len(v.cells))
	for i := range v.cells {
		if v.sets[set].Contains(v.cells[i].set[0].Lo) {
			b.set(i)
		}
	}
	return b
}
