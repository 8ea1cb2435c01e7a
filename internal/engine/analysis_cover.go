package engine

import (
	"slices"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// shape is the result of analysing one condition. Everybody for whom the
// condition holds is in upper, and it holds for everybody in lower. The two are
// equal if sets express the whole condition.
type shape struct {
	upper, lower region
	known        bool // false if a limit was reached; then nothing is known
	nobody       bool // it holds only for combinations that no applicant can have
}

// shape computes the regions of a condition without the boxes that no applicant
// can be in.
func (a *analysis) shape(c *rule.Condition) (s shape) {
	a.opaque = false
	r, ok := a.region(c, true, over)
	if !ok {
		return s
	}
	s.upper, s.known = a.possible(r), true
	s.nobody = len(r) > 0 && len(s.upper) == 0
	s.lower = s.upper
	if a.opaque {
		r, s.known = a.region(c, true, under)
		s.lower = a.possible(r)
	}
	return s
}

// possible returns the part of a region that applicants can be in.
func (a *analysis) possible(r region) region {
	a.boxes = reserve(a.boxes, len(r))
	mark := len(a.boxes)
	for _, b := range r {
		if b, ok := a.tightened(b); ok {
			a.boxes = append(a.boxes, b)
		}
	}
	return region(a.boxes[mark:len(a.boxes):len(a.boxes)])
}

// tightened removes applicants who cannot exist from a box: those who are new
// to credit and have a value that only a credit history gives. ok is false if
// nobody is left.
func (a *analysis) tightened(b box) (box, bool) {
	if a.ntc < 0 {
		return b, true
	}
	isNTC := a.states(b, a.ntc)
	if !isNTC.contains(1) {
		return b, true
	}
	only := len(isNTC) == 1 && isNTC[0].lo == 1
	for _, at := range a.scored {
		allow := a.states(b, at)
		switch {
		case only && !allow.contains(codeAbsent):
			return nil, false
		case only:
			b = a.with(b, at, onlyAbsent)
		case !allow.contains(codeAbsent):
			return a.with(b, a.ntc, a.sets.difference(isNTC, onlyTrue)), true
		}
	}
	return b, true
}

// covered reports whether everybody in a box is in a region. It subtracts one
// box of the region and looks for the rest in the others. If that takes more
// steps than allowed, the result is false.
func (a *analysis) covered(b box, r region) bool {
	for len(r) > 0 {
		a.pairSteps--
		if a.pairSteps < 0 || !a.spend(len(b)+len(r[0])) {
			return false
		}
		if !a.disjoint(b, r[0]) {
			break
		}
		r = r[1:]
	}
	if len(r) == 0 {
		return false
	}
	for _, c := range r[0] {
		states := a.states(b, c.field)
		if states.within(c.allow) {
			continue
		}
		if len(r) == 1 && c.field != a.ntc && !a.fields[c.field].scored {
			return false // the rest is not empty, and no box is left to cover it
		}
		rest := a.with(b, c.field, a.sets.difference(states, c.allow))
		if rest, ok := a.tightened(rest); ok && !a.covered(rest, r[1:]) {
			return false
		}
		b = a.with(b, c.field, a.sets.intersection(states, c.allow))
	}
	return true
}

// disjoint reports whether two boxes have nobody in common.
func (a *analysis) disjoint(x, y box) bool {
	for _, c := range y {
		if !a.states(x, c.field).meets(c.allow) {
			return true
		}
	}
	return false
}

// implies reports whether the second condition holds for everybody for whom the
// first one holds. False may also mean that this could not be determined.
func (a *analysis) implies(s, t *shape) bool {
	if !s.known || !t.known || len(s.upper) == 0 {
		return false
	}
	a.pairSteps = maxPairSteps
	before := a.memory
	defer func() { a.memory = before }() // free the intermediate sets
	for _, b := range s.upper {
		if !a.covered(b, t.lower) {
			return false
		}
	}
	return true
}

// supply returns the requests that can carry every field that a box needs.
func (a *analysis) supply(b box) rule.Supply {
	by := anyRequest
	for _, c := range b {
		if !c.allow.contains(codeAbsent) {
			by &= a.fields[c.field].supply
		}
	}
	return by
}

// supplied reports whether some request can carry every field that a region
// needs.
func (a *analysis) supplied(r region) bool {
	for _, b := range r {
		if a.supply(b) != 0 {
			return true
		}
	}
	return false
}

// witness returns an example of an application in a region: only the fields
// that must be given, with values that a person would recognise. It is empty if
// no field must be given, or if no example can be shown.
func (a *analysis) witness(r region) []rule.NamedValue {
	for _, b := range r {
		if a.supply(b) == 0 {
			continue
		}
		if facts, ok := a.facts(b); ok {
			return facts
		}
	}
	return nil
}

func (a *analysis) facts(b box) (facts []rule.NamedValue, ok bool) {
	facts = make([]rule.NamedValue, 0, len(b))
	for _, c := range b {
		d := &a.fields[c.field]
		name := d.ref.Name
		if d.derived {
			if name = a.sourceOf(name); name == "" || a.constrains(b, name) {
				return nil, false // no single fact determines the value
			}
		}
		if c.allow.contains(codeAbsent) {
			continue
		}
		if d.engine {
			return nil, false // an applicant has no score and no offer before the decision
		}
		readable := a.sets.intersection(c.allow, d.given)
		if len(readable) == 0 {
			return nil, false // only a value of the wrong type fits
		}
		value := a.pick(d, readable)
		if d.derived && !a.carries(name, value) {
			return nil, false
		}
		facts = append(facts, rule.NamedValue{Name: name, Value: value})
	}
	return facts, true
}

// sourceOf returns the fact that alone determines a derived field, or "" if
// there is none.
func (a *analysis) sourceOf(derived string) string {
	names := a.policy.affordability()
	switch {
	case derived == field.IncomeEffective:
		return names.Income.Of[0]
	case slices.Contains(names.Obligations.Of, obligationsDeclared):
		return field.FOIR
	default:
		return ""
	}
}

// carries reports whether a request can carry a value under a name.
func (a *analysis) carries(name string, v rule.Value) bool {
	id, ok := a.catalogue.Lookup(name)
	if !ok {
		return false
	}
	f := a.catalogue.Field(id)
	return (!f.BoundedBelow || v.Number() >= f.Min) && (!f.BoundedAbove || v.Number() <= f.Max)
}

// constrains reports whether a box constrains a field.
func (a *analysis) constrains(b box, name string) bool {
	return slices.ContainsFunc(b, func(c constraint) bool { return a.fields[c.field].ref.Name == name })
}
