package main

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// applicantFields returns the fields of an Applicant in the order of the struct.
func applicantFields() (list []reflect.StructField) {
	t := reflect.TypeFor[Applicant]()
	for i := range t.NumField() {
		list = append(list, t.Field(i))
	}
	return list
}

// fieldName returns the name of a field in the catalogue.
func fieldName(f reflect.StructField) string { return f.Tag.Get("expr") }

func fieldNames() (names []string) {
	for _, f := range applicantFields() {
		names = append(names, fieldName(f))
	}
	return names
}

// texts holds the policy in the language of expr and CEL. Both read the same
// texts, because both have &&, ||, !, in, the conditional operator and list
// literals.
type texts struct {
	rules       []string
	adjustments []string
	factors     []string
	terms       []string
}

func writeTexts(p *engine.Policy) (t texts) {
	for i := range p.Knockouts {
		t.rules = append(t.rules, condition(&p.Knockouts[i].Condition))
	}
	for i := range p.Adjustments {
		t.adjustments = append(t.adjustments, condition(&p.Adjustments[i].Condition))
	}
	for i := range p.Scorecard.Factors {
		t.factors = append(t.factors, factor(&p.Scorecard.Factors[i]))
	}
	for i := range p.Terms {
		t.terms = append(t.terms, condition(&p.Terms[i].Condition))
	}
	return t
}

// all returns every text in the order in which the results are read.
func (t *texts) all() []string { return slices.Concat(t.rules, t.adjustments, t.factors, t.terms) }

var symbols = map[rule.Op]string{
	rule.Eq: "==", rule.Ne: "!=", rule.Lt: "<", rule.Lte: "<=", rule.Gt: ">", rule.Gte: ">=",
}

func condition(c *rule.Condition) string {
	switch c.Op {
	case rule.And, rule.Or:
		symbol := map[rule.Op]string{rule.And: " && ", rule.Or: " || "}[c.Op]
		var args []string
		for i := range c.Args {
			args = append(args, condition(&c.Args[i]))
		}
		return "(" + strings.Join(args, symbol) + ")"
	case rule.Not:
		return "!(" + condition(&c.Args[0]) + ")"
	case rule.In:
		return c.Left.Field.Name + " in " + list(c.Left.Field.Name, c.Values)
	case rule.Between:
		name := c.Left.Field.Name
		return fmt.Sprintf("(%s >= %s && %s <= %s)", name, literal(name, c.Values[0]), name, literal(name, c.Values[1]))
	case rule.True:
		return "true"
	default:
		return comparison(c)
	}
}

func comparison(c *rule.Condition) string {
	if c.Left.Field.Type == rule.BoolType && c.Op == rule.Eq {
		if c.Right.Value.IsTrue() {
			return c.Left.Field.Name
		}
		return "!" + c.Left.Field.Name
	}
	symbol, ok := symbols[c.Op]
	if !ok {
		panic(fmt.Sprintf("the peers' texts have no form for %q", c.Op))
	}
	return operand(&c.Left, c.Left.Field.Name) + " " + symbol + " " + operand(&c.Right, c.Left.Field.Name)
}

// operand writes one side of a comparison. Constants get the type of the named
// field.
func operand(o *rule.Operand, name string) string {
	switch o.Kind {
	case rule.FieldOperand:
		return o.Field.Name
	case rule.ConstantOperand:
		return literal(name, o.Value)
	default:
		return product(o, name)
	}
}

func product(o *rule.Operand, name string) string {
	if o.Arith != rule.Mul {
		panic(fmt.Sprintf("the peers' texts have no form for %q", o.Arith))
	}
	var args []string
	for i := range o.Args {
		args = append(args, operand(&o.Args[i], name))
	}
	return "(" + strings.Join(args, " * ") + ")"
}

// literal writes a constant in the type of its field, because CEL does not compare
// integers with floating-point numbers.
func literal(name string, v rule.Value) string {
	if v.Type() == rule.StringType {
		return strconv.Quote(v.Text())
	}
	s := v.String()
	if fractional[name] && !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

var fractional = func() map[string]bool {
	m := map[string]bool{}
	for _, f := range applicantFields() {
		m[fieldName(f)] = f.Type.Kind() == reflect.Float64
	}
	return m
}()

func list(name string, values []rule.Value) string {
	var items []string
	for _, v := range values {
		items = append(items, literal(name, v))
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// factor writes a scorecard factor as a chain of conditional operators.
func factor(f *engine.Factor) string {
	var b strings.Builder
	last := len(f.Bins) - 1
	for i := range f.Bins[:last] {
		bin := &f.Bins[i]
		test := f.Field.Name + " < " + literal(f.Field.Name, rule.Num(bin.Max))
		if f.Field.Type != rule.NumberType {
			test = f.Field.Name + " in " + list(f.Field.Name, bin.In)
		}
		fmt.Fprintf(&b, "%s ? %s : ", test, bin.Points)
	}
	fmt.Fprintf(&b, "%s", f.Bins[last].Points)
	return b.String()
}
