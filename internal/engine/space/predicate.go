package space

import (
	"cmp"
	"slices"
	"strings"

	"verdict/internal/exact"
	"verdict/internal/rule"
)

// predicate does the work of Predicate. It also returns false if the budget is exhausted.
func (s *Solver) predicate(c *rule.Condition, positive bool) (at Field, allow Set, ok bool) {
	op, left, right := c.Op, &c.Left, &c.Right
	if left.Kind == rule.ConstantOperand && right.Kind == rule.FieldOperand {
		op, left, right = op.Mirrored(), right, left
	}
	if left.Kind != rule.FieldOperand {
		return 0, nil, false // arithmetic, or two constants
	}
	if c.IsLookup() {
		at = s.Space.FieldOf(c.Lookup().Fact())
		d := s.Space.Domain(at)
		return at, s.polarity(d.Given, s.Compared(d, rule.Eq, rule.Bool(true)), positive == (op == rule.InList)), true
	}
	at = s.Space.FieldOf(left.Field)
	d := s.Space.Domain(at)
	switch op {
	case rule.Exists:
		return at, s.polarity(d.All, onlyAbsent, !positive), true
	case rule.IsAbsent:
		return at, s.polarity(d.All, onlyAbsent, positive), true
	case rule.Eq, rule.Lt, rule.Lte, rule.Gt, rule.Gte, rule.Ne:
		if right.Kind != rule.ConstantOperand {
			return 0, nil, false
		}
		if op == rule.Ne {
			op, positive = rule.Eq, !positive
		}
		allow = s.Compared(d, op, right.Value)
	case rule.In, rule.NotIn:
		if !s.Budget.Spend(len(c.Values)) {
			return 0, nil, false
		}
		if op == rule.NotIn {
			positive = !positive
		}
		allow = s.OneOf(d, c.Values)
	case rule.Between:
		allow = s.Sets.Intersection(s.Compared(d, rule.Gte, c.Values[0]), s.Compared(d, rule.Lte, c.Values[1]))
	case rule.StartsWith, rule.EndsWith, rule.Contains:
		if len(d.Vocabulary) == 0 {
			return 0, nil, false
		}
		allow = s.matching(d, op, right.Value.Text())
	default:
		return 0, nil, false
	}
	return at, s.polarity(d.Given, allow, positive), true
}

// Predicate returns the field of a predicate and the states in which the predicate holds. If positive is false, it
// returns the states in which the negation holds. ok is false if no set of states of one field expresses the
// predicate. The condition must not be compound.
func (s *Solver) Predicate(c *rule.Condition, positive bool) (at Field, allow Set, ok bool) {
	return s.predicate(c, positive)
}

// polarity returns the elements of the set whole that are also in x. If inside is false, it returns those that are
// not in x.
func (s *Solver) polarity(whole, x Set, inside bool) Set {
	if inside {
		return s.Sets.Intersection(whole, x)
	}
	return s.Sets.Difference(whole, x)
}

// matching returns the possible values of a field that pass a string test.
func (s *Solver) matching(d *Domain, op rule.Op, part string) Set {
	mark := s.Sets.start(len(d.Vocabulary))
	for i, word := range d.Vocabulary {
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
			s.Sets.add(mark, Span{int64(i), int64(i)})
		}
	}
	return s.Sets.since(mark)
}

// OneOf returns the set of the given values. It ignores values that the field cannot have.
func (s *Solver) OneOf(d *Domain, values []rule.Value) Set {
	spans := make([]Span, 0, 16)
	for _, v := range values {
		if code, ok := s.Space.Code(d, v); ok {
			spans = append(spans, Span{code, code})
		}
	}
	slices.SortFunc(spans, func(x, y Span) int { return cmp.Compare(x.Lo, y.Lo) })
	mark := s.Sets.start(len(spans))
	for _, x := range spans {
		s.Sets.add(mark, x)
	}
	return s.Sets.Intersection(s.Sets.since(mark), d.Given)
}

// Compared returns the set of values of a field for which a comparison with a
// constant holds. op is one of lt, lte, gt, gte and eq.
func (s *Solver) Compared(d *Domain, op rule.Op, v rule.Value) Set {
	x := Span{leastCode, mostCode}
	switch n := v.Number(); op {
	case rule.Lt:
		x.Hi = exact.DivCeil(n, d.Unit) - 1
	case rule.Lte:
		x.Hi = exact.DivFloor(n, d.Unit)
	case rule.Gt:
		x.Lo = exact.DivFloor(n, d.Unit) + 1
	case rule.Gte:
		x.Lo = exact.DivCeil(n, d.Unit)
	default:
		code, ok := s.Space.Code(d, v)
		if !ok {
			return nil
		}
		x = Span{code, code}
	}
	return s.Sets.Intersection(s.Sets.of(x), d.Given)
}
