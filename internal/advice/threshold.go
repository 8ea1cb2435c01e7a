package advice

import (
	"slices"

	"verdict/internal/engine"
	"verdict/internal/exact"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// edges collects the values at which the decision of a policy can change when
// one field changes and all others stay the same.
type edges struct {
	search *search
	names  []string // the field, its twins and the field that is derived from it
	levers []string // all fields that may change
	at     []rule.Number
	dense  bool // every value may give another outcome, for example because a rule calculates with the field
}

// reachable returns values of a field that represent all other values: each edge, and from each interval
// between two edges the value nearest to the present one. If every value may give another outcome, it returns
// the result of the method "every".
func (s *search) reachable(l *lever, levers []string, in span, present bool) []rule.Number {
	e := edges{search: s, levers: levers, names: namesOf(l.name)}
	e.gather()
	switch {
	case in.grid == ratioGrid:
		// A ratio has few grid points, and the price may differ at each of
		// them.
		e.dense = true
	case l.name == field.RequestedAmount:
		e.price()
	}
	if e.dense {
		return l.every(in)
	}
	return l.intervals(e.at, in, present)
}

// every returns the grid points of the span. On each side of the present value
// it returns only the nearest ones, at most half of maxPoints.
func (l *lever) every(s span) []rule.Number {
	var out []rule.Number
	low, high := max(s.low, l.origin-maxPoints/2*s.grid), min(s.high, l.origin+maxPoints/2*s.grid)
	for x := upTo(low, s.grid); x <= high; x += s.grid {
		out = append(out, x)
	}
	return out
}

// intervals returns the edges that are grid points and, from each interval
// between two edges, the grid point nearest to the present value. From the
// interval that contains the present value it returns the nearest point below
// and the nearest one above it.
func (l *lever) intervals(at []rule.Number, s span, present bool) []rule.Number {
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
	return out[:min(len(out), maxIntervalPoints)]
}

// maxIntervalPoints limits the number of values, and so the cost, for a policy
// with very many thresholds.
const maxIntervalPoints = 4 * maxPoints

// gather collects the edges of all conditions and bins.
func (e *edges) gather() {
	plan := e.search.plan
	plan.Predicates().Naming(e.names, func(c *rule.Condition) bool {
		e.leaf(c)
		return e.search.tick(workOfEdge)
	})
	p := plan.Policy()
	e.dense = e.dense || e.capped(p)
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

// capped reports whether a limit cap is computed from the field. Then every value may give another limit.
func (e *edges) capped(p *engine.Policy) (found bool) {
	for i := range p.LimitCaps {
		p.LimitCaps[i].Of.Fields(func(ref rule.Ref) { found = found || e.is(ref) })
	}
	return found
}

func (e *edges) is(ref rule.Ref) bool { return slices.Contains(e.names, ref.Name) }

// leaf adds the values that one predicate compares the field with.
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
		e.dense = true // a rule calculates with the field
	}
	for _, v := range c.Values {
		e.at = append(e.at, v.Number())
	}
}

// compared adds the other operand of a comparison as an edge. If that operand
// is a field that may change too, or that the engine computes, there is no
// fixed edge, and every value may give another outcome.
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

// price adds the requested amounts at which the offer changes: the minimum of
// each band and, if a rule reads the offer, every step of the limit.
func (e *edges) price() {
	p := e.search.plan.Policy()
	step := p.LimitStepPaise
	for i := range p.Bands {
		// A limit is a multiple of the step, so round the minimum up to a
		// multiple.
		e.at = append(e.at, rule.Rupees(exact.DivCeil(p.Bands[i].MinLimitPaise, step)*step))
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
