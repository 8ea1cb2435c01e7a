package prover

import (
	"math/bits"
	"slices"

	"verdict/internal/engine/space"
	"verdict/internal/rule"
)

// capAmount is the amount of a limit cap.
type capAmount struct {
	of   rule.Operand
	text string
	vars map[string]int // the variable of each field, by name
	free bool           // the fields do not fit into a box, so the amount may have any value
	ends []valueEnd     // where the amount begins or ceases to have a value
}

// maxCapFields is the largest number of fields that only caps read. If a cap has fields beyond this number, the
// prover assumes that the cap can have any value.
const maxCapFields = maxDims - 2*dimensions

// limitCaps adds the caps of a policy.
func (m *model) limitCaps(s *side) {
	for i := range s.policy.LimitCaps {
		if m.stop() {
			return
		}
		limit := &s.policy.LimitCaps[i]
		amount := &capAmount{of: s.renamedOperand(limit.Of), vars: map[string]int{}}
		amount.text = amount.of.Text()
		when := &expr{is: true}
		key := ""
		if limit.When != nil {
			c := s.renamed(limit.When)
			when, key = m.condition(&c, true), m.textOf(s, &c)
		}
		amount.of.Fields(func(ref rule.Ref) {
			if m.isChosen(ref) {
				amount.free = true
				amount.text += " (" + s.choice.String() + ")"
			}
		})
		at := m.number("cap " + amount.text + " if " + key)
		s.addTest(at, when)
		if m.tests.caps[at] == nil {
			m.capFields(amount)
			m.tests.caps[at] = amount
		}
	}
}

// capFields turns each field of a cap into a dimension of boxes. If there are more than maxCapFields such fields,
// it marks the cap as free.
func (m *model) capFields(c *capAmount) {
	if c.free {
		return
	}
	c.of.Fields(func(ref rule.Ref) { c.vars[ref.Name] = m.variable(ref) })
	added := 0
	for _, v := range c.vars {
		if m.vars[v].dim == noDim {
			added++
		}
	}
	used := 0
	for _, v := range m.vars {
		if v.dim == dimCap {
			used++
		}
	}
	if used+added > maxCapFields {
		c.free = true
		return
	}
	for _, v := range c.vars {
		x := m.vars[v]
		x.caps = true
		if x.dim == noDim {
			x.dim = dimCap
		}
		// The amount has a value only if the field is given. The sign of the field decides in which direction the
		// amount moves.
		m.test(v, space.OnlyAbsent())
		m.test(v, m.solver.Compared(m.space.Domain(x.field), rule.Gte, rule.Num(0)))
	}
	c.ends = m.valueEnds(&c.of)
	m.directions(&c.of, false)
}

// directions guesses, for each field of an amount, whether the amount falls if the field grows. Only the search for
// applicants uses the guess, so a wrong guess cannot make a result wrong.
func (m *model) directions(o *rule.Operand, falls bool) {
	if o.Kind == rule.FieldOperand {
		if v := m.vars[m.byKey[o.Field.Name]]; v.dim == dimCap {
			v.falls = falls
		}
	}
	for i := range o.Args {
		m.directions(&o.Args[i], falls != (i > 0 && (o.Arith == rule.Sub || o.Arith == rule.Div)))
	}
}

// sameCaps reports whether the policies have the same caps.
func (p policies) sameCaps(t *tests) bool {
	have := [2]uint64{}
	for i, s := range p {
		for k := range s.raw {
			if r := &s.raw[k]; r.kind == testEffect && t.caps[r.term] != nil {
				have[i] |= 1 << r.term
			}
		}
	}
	return have[0] == have[1]
}

// hasCaps reports whether a cap applies in a state.
func (t *tests) hasCaps(x *sideState) bool { return x.tests&^t.bands != 0 }

// capsOf returns the caps whose bits are set.
func (t *tests) capsOf(set uint64) (list []*capAmount) {
	for set &^= t.bands; set != 0; set &= set - 1 {
		list = append(list, t.caps[bits.TrailingZeros64(set)])
	}
	return list
}

// capRange returns the lowest and the highest bound, in paise, that a cap sets within a box. A cap without a value
// sets the bound 0.
func (p *pricing) capRange(c *capAmount, b *box) (low, high int64) {
	if c.free {
		return 0, unbounded
	}
	x := p.amount(&c.of, b)
	if !x.defined {
		return 0, 0
	}
	if x.always {
		low = int64(max(x.lo, 0) / rule.Paisa)
	}
	return low, int64(max(x.hi, 0) / rule.Paisa)
}

// capBounds returns the lowest and the highest bound that the caps in tests set together within a box, rounded down to
// a step.
func (p *pricing) capBounds(tests uint64, b *box, step int64) (low, high int64) {
	low, high = unbounded, unbounded
	for _, c := range p.tests.capsOf(tests) {
		l, h := p.capRange(c, b)
		low, high = min(low, l-l%step), min(high, h-h%step)
	}
	return low, high
}

// splitCaps separates the caps that apply under both policies from the caps that apply under only one of them. If a
// common cap determines both limits, the limits are then known to be equal.
func (p *pricing) splitCaps(x, y *view, b *box) {
	common := x.state.tests & y.state.tests &^ p.tests.bands
	if common == 0 || x.state.tests == y.state.tests {
		return
	}
	for i, v := range []*view{x, y} {
		step := p.sides[i].policy.LimitStepPaise
		v.bounds[0][boundCommon], v.bounds[1][boundCommon] = p.capBounds(common, b, step)
		v.bounds[0][boundCaps], v.bounds[1][boundCaps] = p.capBounds(v.state.tests&^common, b, step)
	}
}

// compareCaps combines the dominance of two views with a comparison of their caps.
func (p *pricing) compareCaps(d *dominance, x, y *view, b *box) {
	if x.state.tests == y.state.tests {
		return
	}
	d.shared[boundCaps] = !p.tests.hasCaps(x.state) && !p.tests.hasCaps(y.state)
	d.more = d.more && p.capsAtLeast(x.state, y.state, b, true)
	d.less = d.less && p.capsAtLeast(y.state, x.state, b, true)
	// A cap without a value leaves a limit of 0, which is not offered.
	offered := x.band.MinLimitPaise > 0 && y.band.MinLimitPaise > 0
	d.atLeast = d.atLeast && (d.more || offered && p.capsAtLeast(x.state, y.state, b, false))
	d.atMost = d.atMost && (d.less || offered && p.capsAtLeast(y.state, x.state, b, false))
}

// capsAtLeast reports whether, within a box, the caps of state x never allow less than the caps of state y. If always
// is false, this need only hold where all caps have values.
func (p *pricing) capsAtLeast(x, y *sideState, b *box, always bool) bool {
	return !slices.ContainsFunc(p.tests.capsOf(x.tests), func(c *capAmount) bool {
		return !slices.ContainsFunc(p.tests.capsOf(y.tests),
			func(d *capAmount) bool { return p.capAtLeast(c, d, b, always) })
	})
}

// capAtLeast reports whether cap c is never below cap d within a box. If always is false, this need only hold where
// both have values.
func (p *pricing) capAtLeast(c, d *capAmount, b *box, always bool) bool {
	if c.text == d.text {
		return true
	}
	if c.free || d.free {
		return false
	}
	low, _ := p.capRange(c, b)
	if _, high := p.capRange(d, b); low >= high {
		return true
	}
	x, y := p.amount(&c.of, b), p.amount(&d.of, b)
	return (x.always && y.always || !always) && p.atLeast(&c.of, &d.of, b)
}

// atLeast reports whether it is certain that x is at least y at every point of the box where both have values. It
// compares amounts whose ranges do not overlap, and amounts of the same form; for others it returns false.
func (p *pricing) atLeast(x, y *rule.Operand, b *box) bool {
	l, r := p.amount(x, b), p.amount(y, b)
	if !l.defined || !r.defined || l.lo >= r.hi || x.Text() == y.Text() {
		return true
	}
	if x.Kind != rule.ArithOperand || y.Kind != rule.ArithOperand || x.Arith != y.Arith || len(x.Args) != len(y.Args) {
		return false
	}
	positive := func(o *rule.Operand) bool { return p.amount(o, b).lo >= 0 }
	for i := range x.Args {
		l, r := &x.Args[i], &y.Args[i]
		switch x.Arith {
		case rule.Add, rule.Min, rule.Max:
		case rule.Mul:
			if !positive(l) || !positive(r) {
				return false
			}
		case rule.Sub, rule.Div:
			if x.Arith == rule.Div && (!positive(l) || !positive(r)) {
				return false
			}
			if i == 1 {
				l, r = r, l
			}
		default:
			return false
		}
		if !p.atLeast(l, r, b) {
			return false
		}
	}
	return true
}
