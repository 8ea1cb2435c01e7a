package advice

import (
	"slices"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// edges are the values at which a policy's decision can change as one field
// moves and all others stay.
type edges struct {
	search *search
	names  []string // the field and its twins
	levers []string // all fields that may move
	at     []rule.Number
	dense  bool // the field is calculated with: every point may differ
}

// reachable lists the points of a field that stand for all others: each edge,
// and from each stretch between two of them the point nearest to the present
// value.
func (s *search) reachable(l *lever, levers []string, in span, present bool) []rule.Number {
	e := edges{search: s, levers: levers, names: namesOf(l.name)}
	e.gather()
	switch {
	case in.grid == ratioGrid:
		// A share has few points, and the price depends on each.
		e.dense = true
	case l.name == field.RequestedAmount:
		e.price()
	}
	if e.dense {
		return l.every(in)
	}
	return l.stretches(e.at, in, present)
}

// every lists all points in reach, the nearest ones if there are too many.
func (l *lever) every(s span) []rule.Number {
	var out []rule.Number
	low, high := max(s.low, l.origin-maxPoints/2*s.grid), min(s.high, l.origin+maxPoints/2*s.grid)
	for x := upTo(low, s.grid); x <= high; x += s.grid {
		out = append(out, x)
	}
	return out
}

// stretches lists the edges that are points of the grid, and of each stretch
// between them the point nearest to the present value, on both sides of it in
// the stretch where that lies.
func (l *lever) stretches(at []rule.Number, s span, present bool) []rule.Number {
	var out []rule.Number
	add := func(x, above, below rule.Number) {
		if x == downTo(x, s.grid) && x > above && x < below && x >= s.low && x <= s.high {
			out = append(out, x)
		}
	}
	at = append(at, s.low, min(s.high, rule.MaxNumber))
	slices.Sort(at)
	at = slices.Compact(at)
	before := -rule.MaxNumber - 1
	for i := range len(at) + 1 {
		after := rule.MaxNumber + 1
		if i < len(at) {
			after = at[i]
			add(after, -rule.MaxNumber-1, rule.MaxNumber+1)
		}
		low, high := downTo(before, s.grid)+s.grid, upTo(after, s.grid)-s.grid
		if l.origin > before {
			add(min(high, upTo(l.origin, s.grid)-s.grid), before, after)
		}
		if l.origin < after {
			add(max(low, downTo(l.origin, s.grid)+s.grid), before, after)
		}
		if !present {
			add(l.origin, before, after)
		}
		before = after
	}
	return out[:min(len(out), maxStretches)]
}

// maxStretches bounds what a policy with very many thresholds can cost.
const maxStretches = 4 * maxPoints

// gather collects the edges of all conditions and bins.
func (e *edges) gather() {
	plan := e.search.plan
	plan.Predicates().Naming(e.names, func(c *rule.Condition) bool {
		e.leaf(c)
		return e.search.tick(workOfEdge)
	})
	p := plan.Policy()
	for i := range p.Scorecard.Factors {
		f := &p.Scorecard.Factors[i]
		if !e.is(f.Field) {
			continue
		}
		for k := range f.Bins {
			if b := &f.Bins[k]; b.HasMin {
				e.at = append(e.at, b.Min)
			}
			if b := &f.Bins[k]; b.HasMax {
				e.at = append(e.at, b.Max)
			}
			e.at = append(e.at, f.Bins[k].Special...)
		}
	}
}

func (e *edges) is(ref rule.Ref) bool { return slices.Contains(e.names, ref.Name) }

// leaf adds what one predicate that names the field compares it with.
func (e *edges) leaf(c *rule.Condition) {
	if c.Op == rule.Exists || c.Op == rule.IsAbsent {
		return
	}
	left, right := &c.Left, &c.Right
	if left.Kind == rule.FieldOperand && e.is(left.Field) {
		e.compared(right)
	} else if right.Kind == rule.FieldOperand && e.is(right.Field) {
		e.compared(left)
	} else {
		e.dense = true // it stands within a calculation
	}
	for _, v := range c.Values {
		e.at = append(e.at, v.Number())
	}
}

// compared adds the other side of a comparison. A field that may move too, or
// that the engine works out, is no fixed edge.
func (e *edges) compared(with *rule.Operand) {
	switch with.Kind {
	case rule.ConstantOperand:
		e.at = append(e.at, with.Value.Number())
	case rule.FieldOperand:
		id := with.Field.ID
		fromEngine := id >= 0 && field.Catalogue().Field(id).Supply == rule.FromEngine
		if fromEngine || e.moves(with.Field.Name) {
			e.dense = true
			return
		}
		if v := e.search.facts.Get(with.Field.Name); v.Type() == rule.NumberType {
			e.at = append(e.at, v.Number())
		}
	case rule.ArithOperand:
		e.dense = true
	case rule.NoOperand:
	}
}

// moves reports whether a field or its twin may be changed in the same search.
func (e *edges) moves(name string) bool { return slices.Contains(e.levers, canonical(name)) }

// price adds the amounts at which the offer changes: the least that a band
// lends, and every step of the limit where a rule looks at the offer.
func (e *edges) price() {
	p := e.search.plan.Policy()
	step := p.LimitStepPaise
	for i := range p.Bands {
		// A limit is a multiple of the step, so the first that is enough is one.
		e.at = append(e.at, rule.Rupees((p.Bands[i].MinLimitPaise+step-1)/step*step))
	}
	if !e.search.plan.Predicates().ReadsOffer() {
		return
	}
	most := mostLent(p)
	if rule.Rupees(step) <= moneyGrid || int64(most/rule.Rupees(step)) > maxPoints {
		e.dense = true
		return
	}
	for x := rule.Rupees(step); x <= most; x += rule.Rupees(step) {
		e.at = append(e.at, x)
	}
}
