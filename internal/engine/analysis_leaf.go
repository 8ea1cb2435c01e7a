package engine

import (
	"slices"
	"strings"

	"verdict/internal/rule"
)

// leaf returns the field of a predicate and the states in which the predicate,
// or its negation, holds. ok is false if no set of states of one field
// expresses it.
func (a *analysis) leaf(c *rule.Condition, positive bool) (at int32, allow set, ok bool) {
	op, left, right := c.Op, &c.Left, &c.Right
	if left.Kind == rule.ConstantOperand && right.Kind == rule.FieldOperand {
		op, left, right = op.Mirrored(), right, left
	}
	if left.Kind != rule.FieldOperand {
		return 0, nil, false // arithmetic, or two constants
	}
	at = a.place(left.Field)
	d := &a.fields[at]
	switch op {
	case rule.Exists:
		return at, a.polarity(d.all, onlyAbsent, !positive), true
	case rule.IsAbsent:
		return at, a.polarity(d.all, onlyAbsent, positive), true
	case rule.Eq, rule.Lt, rule.Lte, rule.Gt, rule.Gte, rule.Ne:
		if right.Kind != rule.ConstantOperand {
			return 0, nil, false
		}
		if op == rule.Ne {
			op, positive = rule.Eq, !positive
		}
		allow = a.compared(d, op, right.Value)
	case rule.In, rule.NotIn:
		if !a.spend(len(c.Values)) {
			return 0, nil, false
		}
		if op == rule.NotIn {
			positive = !positive
		}
		allow = a.oneOf(d, c.Values)
	case rule.Between:
		allow = a.sets.intersection(a.compared(d, rule.Gte, c.Values[0]), a.compared(d, rule.Lte, c.Values[1]))
	case rule.StartsWith, rule.EndsWith, rule.Contains:
		if len(d.vocabulary) == 0 {
			return 0, nil, false
		}
		allow = a.matching(d, op, right.Value.Text())
	default:
		return 0, nil, false
	}
	return at, a.polarity(d.given, allow, positive), true
}

// polarity returns the part of whole inside s, or outside it.
func (a *analysis) polarity(whole, s set, inside bool) set {
	if inside {
		return a.sets.intersection(whole, s)
	}
	return a.sets.difference(whole, s)
}

// matching returns the possible values of a field that pass a string test.
func (a *analysis) matching(d *domain, op rule.Op, part string) set {
	mark := a.sets.start(len(d.vocabulary))
	for i, word := range d.vocabulary {
		var passes bool
		switch op {
		case rule.StartsWith:
			passes = strings.HasPrefix(word, part)
		case rule.EndsWith:
			passes = strings.HasSuffix(word, part)
		default:
			passes = strings.Contains(word, part)
		}
		if passes {
			a.sets.add(mark, span{int64(i), int64(i)})
		}
	}
	return a.sets.since(mark)
}

// named appends to list the fields whose values a condition reads, each once
// from mark on. It marks the fields whose presence the condition tests.
func (a *analysis) named(c *rule.Condition, list []int32, mark int) []int32 {
	for i := range c.Args {
		list = a.named(&c.Args[i], list, mark)
	}
	if c.Op == rule.Exists || c.Op == rule.IsAbsent {
		a.fields[a.place(c.Left.Field)].absence = true
		return list
	}
	return a.operands(&c.Right, a.operands(&c.Left, list, mark), mark)
}

func (a *analysis) operands(o *rule.Operand, list []int32, mark int) []int32 {
	if o.Kind == rule.FieldOperand {
		if at := a.place(o.Field); !slices.Contains(list[mark:], at) {
			list = append(list, at)
		}
	}
	for i := range o.Args {
		list = a.operands(&o.Args[i], list, mark)
	}
	return list
}
