package prover

import (
	"slices"

	"verdict/internal/engine"
	"verdict/internal/engine/space"
	"verdict/internal/rule"
)

// cell is a set of states of a variable that both policies treat alike.
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
	const most = 5_000_000 // largest number of comparisons of ranges, over all fields
	work := 0
	for i, v := range m.vars {
		spans := 0
		for _, set := range v.sets {
			spans += len(set)
		}
		if work += (len(v.sets) + 1) * (spans + 1); work > most {
			m.tooLarge = "the policies compare " + v.name + " with too many values"
		}
		if m.tooLarge != "" {
			return
		}
		m.cells(v, factors[i])
	}
}

// cells divides the states of one variable. States are in the same cell if they are in the same tested sets and give
// the same points. The cells of a lending fact are also intervals.
func (m *model) cells(v *variable, factors []*engine.Factor) {
	sets := slices.Clone(v.sets)
	var points [][]rule.Number // by factor: the points of each of its bins
	var firsts []int
	for _, f := range factors {
		b := m.binning(f, v)
		firsts, points = append(firsts, len(sets)), append(points, b.of)
		sets = append(sets, b.sets...)
	}
	var cuts []int64
	for _, set := range append(sets, v.all) {
		for _, x := range set {
			cuts = append(cuts, x.Lo, x.Hi+1)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)

	var spans []space.Span // the smallest ranges that are treated separately
	for i, lo := range cuts[:len(cuts)-1] {
		if v.all.Contains(lo) {
			spans = append(spans, space.Span{Lo: lo, Hi: cuts[i+1] - 1})
		}
	}
	class := make([]int32, len(spans))
	refine := refinement{class: class, count: 1}
	for _, set := range v.sets {
		if m.stop() {
			return
		}
		refine.split(spans, func(lo int64) uint64 { return inside(set, lo) })
	}
	for i, of := range points {
		bins := binning{sets: sets[firsts[i] : firsts[i]+len(of)], of: of}
		if factors[i].HasMissing {
			bins.missing = factors[i].Weighted(factors[i].Missing)
		}
		refine.split(spans, func(lo int64) uint64 { return uint64(bins.points(lo)) })
	}
	m.group(v, spans, class)
}

func inside(set space.Set, code int64) uint64 {
	_, found := slices.BinarySearchFunc(set, code, func(x space.Span, code int64) int {
		switch {
		case x.Hi < code:
			return -1
		case x.Lo > code:
			return 1
		default:
			return 0
		}
	})
	if found {
		return 1
	}
	return 0
}

// refinement divides ranges into classes.
type refinement struct {
	class []int32
	count int32
}

// split divides every class into ranges that have the same value.
func (r *refinement) split(spans []space.Span, value func(lo int64) uint64) {
	type part struct {
		class int32
		value uint64
	}
	parts := map[part]int32{}
	for i := range spans {
		p := part{r.class[i], value(spans[i].Lo)}
		id, ok := parts[p]
		if !ok {
			id = int32(len(parts))
			parts[p] = id
		}
		r.class[i] = id
	}
	r.count = int32(len(parts))
}

// group makes a cell of the ranges of each class. The cells of a lending fact must be intervals, so each run of
// neighbouring ranges becomes a cell of its own.
func (m *model) group(v *variable, spans []space.Span, class []int32) {
	known := map[int32]int{}
	for i, x := range spans {
		at, ok := known[class[i]]
		if ok && v.dim != noDim && at != len(v.cells)-1 {
			ok = false // the cell would not be an interval
		}
		if !ok {
			if len(v.cells) == maxCells {
				m.tooLarge = "the policies divide the values of " + v.name + " into too many cells"
				return
			}
			at = len(v.cells)
			known[class[i]] = at
			v.cells = append(v.cells, cell{})
		}
		c := &v.cells[at]
		if n := len(c.set); n > 0 && c.set[n-1].Hi+1 == x.Lo {
			c.set[n-1].Hi = x.Hi
		} else {
			c.set = append(c.set, x)
		}
		c.absent = c.absent || (v.kind == requestVariable || v.kind == resultVariable) && x.Lo == space.Absent
	}
}

// binning maps the states of a field to the points of a factor's bins.
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

// cellOf returns the index of the cell that contains a state, or -1 if there is none.
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
