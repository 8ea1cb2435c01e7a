package advice

import (
	"slices"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// residual is the condition of a rule with everything that is known filled in
// and left out: what is still to be met.
func residual(p *engine.Policy, facts *rule.Facts, id string) string {
	var c *rule.Condition
	if at := slices.IndexFunc(p.Knockouts, func(k engine.Knockout) bool { return k.ID == id }); at >= 0 {
		c = &p.Knockouts[at].Condition
	} else if at := slices.IndexFunc(p.Adjustments, func(a engine.Adjustment) bool { return a.ID == id }); at >= 0 {
		c = &p.Adjustments[at].Condition
	} else {
		return ""
	}
	slots := rule.NewSlots(field.Catalogue())
	c.Fields(func(ref rule.Ref) { slots.Slot(ref) })
	r := remainder{slots: slots, facts: facts}
	rest, truth := r.of(c)
	if truth != rule.Unknown {
		return ""
	}
	return rest.Text()
}

// remainder works out what is left of a condition.
type remainder struct {
	slots *rule.Slots
	facts *rule.Facts
}

// of is the truth of a condition, or what is left of it while that is unknown.
func (r *remainder) of(c *rule.Condition) (rest rule.Condition, truth rule.Truth) {
	switch c.Op {
	case rule.Not:
		inner, t := r.of(&c.Args[0])
		switch t {
		case rule.Holds:
			return rest, rule.Fails
		case rule.Fails:
			return rest, rule.Holds
		default:
			return rule.Condition{Op: rule.Not, Args: []rule.Condition{inner}}, rule.Unknown
		}
	case rule.And, rule.Or:
		return r.ofMany(c)
	default:
		return *c, r.leaf(c)
	}
}

// ofMany leaves out the arguments that no longer matter: of an and those that
// hold, of an or those that fail.
func (r *remainder) ofMany(c *rule.Condition) (rest rule.Condition, truth rule.Truth) {
	settles, neutral := rule.Holds, rule.Fails
	if c.Op == rule.And {
		settles, neutral = rule.Fails, rule.Holds
	}
	rest = rule.Condition{Op: c.Op}
	for i := range c.Args {
		left, t := r.of(&c.Args[i])
		switch t {
		case settles:
			return rule.Condition{}, settles
		case rule.Unknown:
			rest.Args = append(rest.Args, left)
		default:
		}
	}
	switch len(rest.Args) {
	case 0:
		return rest, neutral
	case 1:
		return rest.Args[0], rule.Unknown
	default:
		return rest, rule.Unknown
	}
}

// leaf runs one predicate as the engine does.
func (r *remainder) leaf(c *rule.Condition) rule.Truth {
	code := rule.NewCode(r.slots)
	test := code.Add(c)
	var frame rule.Frame
	r.slots.Load(r.facts, &frame)
	return code.Eval(test, &frame)
}
