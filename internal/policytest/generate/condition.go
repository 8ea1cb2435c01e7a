package generate

import (
	"verdict/internal/engine"
	"verdict/internal/rule"
)

// owner is the part of a policy that a condition belongs to.
type owner uint8

const (
	ofKnockout owner = iota
	ofAdjustment
	ofFactor
	ofTerm
	ofBand
	ofCap
)

// condition is one condition of a policy with its leaves, the predicates.
type condition struct {
	owner  owner
	index  int    // index of the owner in its section
	name   string // "rule KO_AGE"
	root   *rule.Condition
	leaves []*leaf
	goals  conditionGoals
	shown  bool // for a band or a cap: the decision shows whether it applies
}

// leaf is one predicate of a condition.
type leaf struct {
	node  *rule.Condition
	field string // the field that is compared with constants; "" for other predicates
	test  rule.Test
	truth rule.Truth // the truth in the application that is being measured
	value rule.Value // the value of the field in that application
	goals []leafGoal
}

// conditionsOf lists the conditions of a policy in the order of its sections.
func conditionsOf(p *engine.Policy, code *rule.Code) (list []*condition) {
	add := func(owner owner, index int, name string, root *rule.Condition) {
		c := &condition{owner: owner, index: index, name: name, root: root}
		root.Walk(func(n *rule.Condition) {
			if n.Op != rule.And && n.Op != rule.Or && n.Op != rule.Not {
				c.leaves = append(c.leaves, newLeaf(n, code))
			}
		})
		list = append(list, c)
	}
	for i := range p.Knockouts {
		add(ofKnockout, i, "rule "+p.Knockouts[i].ID, &p.Knockouts[i].Condition)
	}
	for i := range p.Adjustments {
		add(ofAdjustment, i, "adjustment "+p.Adjustments[i].ID, &p.Adjustments[i].Condition)
	}
	for i := range p.Scorecard.Factors {
		if f := &p.Scorecard.Factors[i]; f.When != nil {
			add(ofFactor, i, "factor "+f.Name+", when", f.When)
		}
	}
	for i := range p.Terms {
		add(ofTerm, i, "condition "+p.Terms[i].Code, &p.Terms[i].Condition)
	}
	for i := range p.Bands {
		if b := &p.Bands[i]; b.When != nil {
			add(ofBand, i, "band "+b.ID+", when", b.When)
		}
	}
	for i := range p.LimitCaps {
		if c := &p.LimitCaps[i]; c.When != nil {
			add(ofCap, i, "limit cap "+c.ID+", when", c.When)
		}
	}
	return list
}

func newLeaf(n *rule.Condition, code *rule.Code) *leaf {
	l := &leaf{node: n, test: code.Add(n)}
	switch {
	case n.IsLookup():
	case n.Left.Kind == rule.FieldOperand && n.Right.Kind != rule.FieldOperand && n.Right.Kind != rule.ArithOperand:
		l.field = n.Left.Field.Name
	case n.Left.Kind == rule.ConstantOperand && n.Right.Kind == rule.FieldOperand:
		l.field = n.Right.Field.Name
	}
	return l
}

// constants returns the constants that the leaf compares its field with.
func (l *leaf) constants() []rule.Value {
	switch {
	case l.node.Left.Kind == rule.ConstantOperand:
		return []rule.Value{l.node.Left.Value}
	case l.node.Right.Kind == rule.ConstantOperand:
		return []rule.Value{l.node.Right.Value}
	default:
		return l.node.Values
	}
}

// evaluate stores the truth of every leaf in a frame, and the values of the fields.
func (c *condition) evaluate(code *rule.Code, fr *rule.Frame, facts *rule.Facts) {
	for _, l := range c.leaves {
		l.truth = code.Eval(l.test, fr)
		if l.field != "" {
			l.value = facts.Get(l.field)
		}
	}
}

// noLeaf is the index that no leaf has.
const noLeaf = -1

// truth returns the truth of the condition under an assumption: one leaf has the truth as, and all other leaves
// have the truth that evaluate stored. The parameter forced is the index of that leaf.
func (c *condition) truth(forced int, as rule.Truth) rule.Truth {
	next := 0
	return c.truthOf(c.root, &next, forced, as)
}

func (c *condition) truthOf(n *rule.Condition, next *int, forced int, as rule.Truth) rule.Truth {
	switch n.Op {
	case rule.Not:
		switch c.truthOf(&n.Args[0], next, forced, as) {
		case rule.Holds:
			return rule.Fails
		case rule.Fails:
			return rule.Holds
		default:
			return rule.Unknown
		}
	case rule.And, rule.Or:
		settles, otherwise := rule.Fails, rule.Holds
		if n.Op == rule.Or {
			settles, otherwise = rule.Holds, rule.Fails
		}
		result := otherwise
		for i := range n.Args {
			switch t := c.truthOf(&n.Args[i], next, forced, as); {
			case t == settles:
				result = settles
			case t == rule.Unknown && result != settles:
				result = rule.Unknown
			}
		}
		return result
	default:
		at := *next
		*next++
		if at == forced {
			return as
		}
		return c.leaves[at].truth
	}
}

// decides reports whether the leaf at an index decides the condition: the condition holds with one truth of the
// leaf, and does not hold with the other truth.
func (c *condition) decides(at int) bool {
	return (c.truth(at, rule.Holds) == rule.Holds) != (c.truth(at, rule.Fails) == rule.Holds)
}
