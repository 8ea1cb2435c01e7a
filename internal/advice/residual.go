package advice

import (
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// remainder simplifies the conditions of rules with the known facts.
type remainder struct {
	rules map[string]*rule.Condition // by rule id
	code  *rule.Code
	tests map[*rule.Condition]rule.Test // the compiled predicates
	frame rule.Frame
}

// newRemainder compiles the conditions of the rules in open and loads facts.
func (s *search) newRemainder(facts *rule.Facts, open []engine.NotEvaluated) *remainder {
	slots := rule.NewSlots(field.Catalogue())
	r := &remainder{
		rules: map[string]*rule.Condition{},
		code:  rule.NewCode(slots),
		tests: map[*rule.Condition]rule.Test{},
	}
	for _, n := range open {
		r.rules[n.ID] = nil
	}
	add := func(id string, c *rule.Condition) {
		if known, wanted := r.rules[id]; !wanted || known != nil {
			return
		}
		r.rules[id] = c
		c.Walk(func(n *rule.Condition) {
			if s.spend(1); n.Op != rule.And && n.Op != rule.Or && n.Op != rule.Not {
				r.tests[n] = r.code.Add(n)
			}
		})
	}
	p := s.plan.Policy()
	for i := range p.Knockouts {
		add(p.Knockouts[i].ID, &p.Knockouts[i].Condition)
	}
	for i := range p.Adjustments {
		add(p.Adjustments[i].ID, &p.Adjustments[i].Condition)
	}
	slots.Load(facts, &r.frame)
	return r
}

// residual returns the text of a rule's condition without the parts that the
// known facts settle. It returns "" if the facts settle the whole condition.
func (r *remainder) residual(id string) string {
	c := r.rules[id]
	if c == nil {
		return ""
	}
	rest, truth := r.of(c)
	if truth != rule.Unknown {
		return ""
	}
	return rest.Text()
}

// of returns the truth of a condition. If the truth is unknown, rest is the part of the condition that the known facts
// do not settle.
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

// ofMany returns the same results as the method "of", for a condition with And or Or. It drops the arguments
// that no longer matter: arguments of And that hold, and arguments of Or that fail.
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

// leaf evaluates one predicate in the same way as the engine.
func (r *remainder) leaf(c *rule.Condition) rule.Truth {
	return r.code.Eval(r.tests[c], &r.frame)
}
