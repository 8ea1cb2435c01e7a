package analysis

import (
	"fmt"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// unitCheck reports rules and factors that read a raw path whose unit differs from that of its canonical
// counterpart, such as a percentage instead of a ratio. It also reports a threshold on one of the two fields if the
// threshold looks like a value in the unit of the other field.
type unitCheck struct{ *analysis }

func (a unitCheck) run() {
	for _, list := range a.lists() {
		for i := range list {
			a.unitsOf(&list[i])
		}
	}
	for i := range a.policy.Scorecard.Factors {
		f := &a.policy.Scorecard.Factors[i]
		pair, twin, ok := twinOf(f.Field)
		if !ok {
			continue
		}
		var bounds []rule.Number
		for _, b := range f.Bins {
			if b.HasMin {
				bounds = append(bounds, b.Min)
			}
			if b.HasMax {
				bounds = append(bounds, b.Max)
			}
		}
		at := location{section: atFactor, index: i}
		a.unit(at, "The factor "+f.Name, f.Field.Name, pair, twin, bounds)
	}
}

// unitsOf checks the fields of one clause that have a counterpart.
func (a unitCheck) unitsOf(c *clause) {
	for _, at := range c.reads {
		ref := a.space.Domain(at).Ref
		pair, twin, ok := twinOf(ref)
		if !ok {
			continue
		}
		var bounds []rule.Number
		mixed := false
		c.cond.Walk(func(n *rule.Condition) {
			bounds = append(bounds, boundsOn(n, ref)...)
			mixed = mixed || len(n.Args) == 0 && reads(n, ref.Name) && reads(n, twin)
		})
		if mixed && ref.Name == pair.Raw {
			a.report(SeverityError, fault.CodeUnitMismatch, c.at, fmt.Sprintf(
				"%s compares %s, which is %s, with %s, which is %s.",
				c.opening(), pair.Raw, pair.RawUnit, pair.Canonical, pair.CanonicalUnit),
				nil).Fields = []string{pair.Raw, pair.Canonical}
			continue
		}
		a.unit(c.at, c.opening(), ref.Name, pair, twin, bounds)
	}
}

// unit checks a field that has a counterpart, and the bounds that the field is compared with. name is the field, and
// twin is its counterpart in the pair.
func (a unitCheck) unit(at location, who, name string, pair field.UnitPair, twin string, bounds []rule.Number) {
	for _, n := range bounds {
		if !pair.Foreign(name, n) {
			continue
		}
		a.suspect(SeverityError, fault.CodeUnitMismatch, at, fmt.Sprintf(
			"%s compares %s with %s, which looks like %s; %s is %s: %s means %s.",
			who, name, n, pair.UnitOf(twin), name, pair.UnitOf(name), pair.Example(name), pair.Meaning)).
			Fields = []string{name}
		return
	}
	if name == pair.Raw {
		a.report(SeverityWarning, fault.CodeUnitMismatch, at, fmt.Sprintf(
			"%s reads %s, which is %s. Use %s instead: it is the same figure as %s, and every kind of request has it.",
			who, pair.Raw, pair.RawUnit, pair.Canonical, pair.CanonicalUnit), nil).Fields = []string{name}
	}
}

// twinOf returns the pair that a field belongs to, and the other field of the
// pair. ok is false if the field has no counterpart.
func twinOf(ref rule.Ref) (pair field.UnitPair, other string, ok bool) {
	if ref.ID < 0 {
		return pair, "", false
	}
	pair, ok = field.PairOf(ref.Name)
	if other = pair.Raw; ref.Name == pair.Raw {
		other = pair.Canonical
	}
	return pair, other, ok
}

// boundsOn returns the constants that a predicate compares a field with.
func boundsOn(n *rule.Condition, ref rule.Ref) (bounds []rule.Number) {
	is := func(o *rule.Operand) bool { return o.Kind == rule.FieldOperand && o.Field.Name == ref.Name }
	if !is(&n.Left) && !is(&n.Right) {
		return nil
	}
	for _, o := range [...]*rule.Operand{&n.Left, &n.Right} {
		if o.Kind == rule.ConstantOperand && o.Value.Type() == rule.NumberType {
			bounds = append(bounds, o.Value.Number())
		}
	}
	for _, v := range n.Values {
		if v.Type() == rule.NumberType {
			bounds = append(bounds, v.Number())
		}
	}
	return bounds
}

// reads reports whether a predicate reads a field.
func reads(n *rule.Condition, name string) (found bool) {
	n.Fields(func(ref rule.Ref) { found = found || ref.Name == name })
	return found
}
