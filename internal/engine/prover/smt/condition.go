package smt

import (
	"fmt"
	"strings"

	"verdict/internal/rule"
)

// truth is a condition in three-valued logic. It has two terms, of which at most one is true. If neither is true, the
// condition is unknown.
type truth struct{ holds, fails string }

// condition returns the terms of a condition as a policy reads it.
func (s *side) condition(c *rule.Condition) truth {
	switch c.Op {
	case rule.True:
		return truth{"true", "false"}
	case rule.False:
		return truth{"false", "true"}
	case rule.Not:
		t := s.condition(&c.Args[0])
		return truth{t.fails, t.holds}
	case rule.And, rule.Or:
		var holds, fails []string
		for i := range c.Args {
			t := s.condition(&c.Args[i])
			holds, fails = append(holds, t.holds), append(fails, t.fails)
		}
		if c.Op == rule.And {
			return truth{and(holds...), or(fails...)}
		}
		return truth{or(holds...), and(fails...)}
	case rule.Exists, rule.IsAbsent:
		given := s.fact(c.Left.Field).given
		if c.Op == rule.Exists {
			return truth{given, not(given)}
		}
		return truth{not(given), given}
	case rule.InList, rule.NotInList:
		f := s.writer.fact(c.Lookup().Fact())
		t := known(f.given, f.value)
		if c.Op == rule.NotInList {
			t.holds, t.fails = t.fails, t.holds
		}
		return t
	}
	return s.predicate(c)
}

// known returns the truth of a predicate that is unknown if some facts are absent. The term "given" is true if the
// facts are present. The term "holds" says whether the predicate holds in that case.
func known(given, holds string) truth {
	return truth{and(given, holds), and(given, not(holds))}
}

// predicate returns the terms of a comparison, a set test or a text test.
func (s *side) predicate(c *rule.Condition) truth {
	switch {
	case c.Left.Kind == rule.ArithOperand || c.Right.Kind == rule.ArithOperand:
		return s.freely(c)
	case c.Left.Kind == rule.FieldOperand && c.Right.Kind == rule.FieldOperand:
		x, y := s.fact(c.Left.Field), s.fact(c.Right.Field)
		if x.typ == rule.StringType && (len(x.words) > 0 || len(y.words) > 0) {
			return s.freely(c) // the codes of the two fields differ
		}
		return known(and(x.given, y.given), compared(c.Op, x.value, y.value))
	case c.Left.Kind == rule.ConstantOperand && c.Right.Kind == rule.ConstantOperand:
		return s.freely(c)
	}
	op, ref, constant := c.Op, c.Left.Field, c.Right.Value
	if c.Left.Kind == rule.ConstantOperand {
		op, ref, constant = c.Op.Mirrored(), c.Right.Field, c.Left.Value
	}
	f := s.fact(ref)
	switch op {
	case rule.In, rule.NotIn:
		var any []string
		for _, v := range c.Values {
			any = append(any, s.equals(&f, v))
		}
		t := known(f.given, or(any...))
		if op == rule.NotIn {
			t.holds, t.fails = t.fails, t.holds
		}
		return t
	case rule.Between:
		return known(f.given, and(compared(rule.Gte, f.value, integer(int64(c.Values[0].Number()))),
			compared(rule.Lte, f.value, integer(int64(c.Values[1].Number())))))
	case rule.StartsWith, rule.EndsWith, rule.Contains:
		return s.textTest(c, &f)
	case rule.Eq, rule.Ne:
		holds := s.equals(&f, constant)
		if op == rule.Ne {
			holds = not(holds)
		}
		return known(f.given, holds)
	default:
		return known(f.given, compared(op, f.value, integer(int64(constant.Number()))))
	}
}

// equals returns the term that is true if a field has the value v.
func (s *side) equals(f *fact, v rule.Value) string {
	switch f.typ {
	case rule.NumberType:
		return "(= " + f.value + " " + integer(int64(v.Number())) + ")"
	case rule.BoolType:
		if v.IsTrue() {
			return f.value
		}
		return not(f.value)
	default:
		code, ok := s.writer.code(f, v.Text())
		if !ok {
			return "false"
		}
		return fmt.Sprintf("(= %s %d)", f.value, code)
	}
}

// compared returns a comparison of two terms.
func compared(op rule.Op, x, y string) string {
	symbol := map[rule.Op]string{
		rule.Eq: "=", rule.Ne: "distinct", rule.Lt: "<", rule.Lte: "<=", rule.Gt: ">", rule.Gte: ">=",
	}[op]
	return "(" + symbol + " " + x + " " + y + ")"
}

// textTest returns the terms of a prefix, suffix or substring test.
func (s *side) textTest(c *rule.Condition, f *fact) truth {
	if len(f.words) == 0 {
		return s.freely(c)
	}
	var any []string
	for code, word := range f.words {
		part := c.Right.Value.Text()
		is := strings.Contains(word, part)
		switch c.Op {
		case rule.StartsWith:
			is = strings.HasPrefix(word, part)
		case rule.EndsWith:
			is = strings.HasSuffix(word, part)
		}
		if is {
			any = append(any, fmt.Sprintf("(= %s %d)", f.value, code))
		}
	}
	return known(f.given, or(any...))
}

// freely returns the terms of a predicate whose value the solver may choose: it may hold, fail, or be unknown.
func (s *side) freely(c *rule.Condition) truth {
	var given []string
	name := "predicate " + c.Text()
	c.Operands(func(ref rule.Ref) {
		f := s.fact(ref)
		given = append(given, f.given)
		if f.value != s.writer.fact(ref).value { // the policy reads another fact under this name
			name = s.name + " " + strings.TrimPrefix(name, s.name+" ")
		}
	})
	w := s.writer
	if !w.declared[name] {
		w.declared[name] = true
		w.free = append(w.free, c.Text())
		fmt.Fprintf(&w.facts, "(declare-const %s Bool)\n(declare-const %s Bool)\n", quoted(name), quoted(name+"?"))
	}
	return known(and(append(given, quoted(name+"?"))...), quoted(name))
}
