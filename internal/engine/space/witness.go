package space

import (
	"slices"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// Supply returns the kinds of requests that can contain every field that must
// be given in a box. It returns 0 if there are none.
func (s *Solver) Supply(b Box) rule.Supply {
	by := AnyRequest
	for _, c := range b {
		if !c.Allow.Contains(Absent) {
			by &= s.Space.domains[c.Field].Supply
		}
	}
	return by
}

// Supplied reports whether, for some box of a region, a request can contain
// every field that must be given.
func (s *Solver) Supplied(r Region) bool {
	for _, b := range r {
		if s.Supply(b) != 0 {
			return true
		}
	}
	return false
}

// Witness returns an example of an application in a region: the fields that
// must be given, with values as people write them. It is empty if no field must
// be given, or if no example can be shown.
func (s *Solver) Witness(r Region) []rule.NamedValue {
	for _, b := range r {
		if s.Supply(b) == 0 {
			continue
		}
		if facts, ok := s.Facts(b); ok {
			return facts
		}
	}
	return nil
}

// Facts returns the facts of an example application in a box. ok is false if facts alone cannot describe one: the box
// requires a field that is computed during the decision, constrains a derived field whose value no single fact
// determines, or allows a field only values of the wrong type.
func (s *Solver) Facts(b Box) (facts []rule.NamedValue, ok bool) {
	facts = make([]rule.NamedValue, 0, len(b))
	for _, c := range b {
		d := &s.Space.domains[c.Field]
		name := d.Ref.Name
		if d.Derived {
			if name = s.Space.sourceOf(name); name == "" || s.constrains(b, name) {
				return nil, false // no single fact determines the value
			}
		}
		if c.Allow.Contains(Absent) {
			continue
		}
		if d.Computed {
			return nil, false // an applicant has no score and no offer before the decision
		}
		readable := s.Sets.Intersection(c.Allow, d.Given)
		if len(readable) == 0 {
			return nil, false // only a value of the wrong type fits
		}
		value := s.Space.Pick(d, readable)
		if d.Derived && !s.Space.carries(name, value) {
			return nil, false
		}
		facts = append(facts, rule.NamedValue{Name: name, Value: value})
	}
	return facts, true
}

// constrains reports whether a box constrains a field.
func (s *Solver) constrains(b Box, name string) bool {
	return slices.ContainsFunc(b, func(c Constraint) bool { return s.Space.domains[c.Field].Ref.Name == name })
}

// sourceOf returns the fact that determines a derived field if no other source
// is given, or "" if there is none.
func (s *Space) sourceOf(derived string) string {
	if derived == field.IncomeEffective {
		return s.params.IncomeSource
	}
	return s.params.FOIRSource
}

// carries reports whether a request can contain the number v in the field with the given name.
func (s *Space) carries(name string, v rule.Value) bool {
	id, ok := s.catalogue.Lookup(name)
	if !ok {
		return false
	}
	f := s.catalogue.Field(id)
	return (!f.BoundedBelow || v.Number() >= f.Min) && (!f.BoundedAbove || v.Number() <= f.Max)
}
