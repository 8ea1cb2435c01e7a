package main

import (
	"fmt"
	"reflect"

	"github.com/diegoholiveira/jsonlogic/v3"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// logicPeer decides with JsonLogic. The rules are data, which every evaluation
// interprets again.
type logicPeer struct {
	rules   []any // in the order of texts.all
	outcome *Outcome
	tally   tally
}

func newLogicPeer(p *engine.Policy) *logicPeer {
	l := &logicPeer{outcome: newOutcome()}
	for i := range p.Knockouts {
		l.rules = append(l.rules, logic(&p.Knockouts[i].Condition))
	}
	for i := range p.Adjustments {
		l.rules = append(l.rules, logic(&p.Adjustments[i].Condition))
	}
	for i := range p.Scorecard.Factors {
		l.rules = append(l.rules, logicFactor(&p.Scorecard.Factors[i]))
	}
	for i := range p.Terms {
		l.rules = append(l.rules, logic(&p.Terms[i].Condition))
	}
	return l
}

// logicInputs returns the applicants in the form of decoded JSON: maps in which every
// number is a float64.
func logicInputs(book []Applicant) []map[string]any {
	list := make([]map[string]any, len(book))
	for i := range book {
		v := reflect.ValueOf(&book[i]).Elem()
		list[i] = make(map[string]any, v.NumField())
		for k, f := range applicantFields() {
			switch x := v.Field(k).Interface().(type) {
			case int:
				list[i][fieldName(f)] = float64(x)
			default:
				list[i][fieldName(f)] = x
			}
		}
	}
	return list
}

func (l *logicPeer) decide(a *Applicant, in map[string]any) {
	l.tally.reset()
	for i, r := range l.rules {
		if i == firstTerm && l.tally.worst == engine.Declined {
			break
		}
		//nolint:staticcheck // Its successor parses both arguments as JSON text every time, which would favour us.
		v, err := jsonlogic.ApplyInterface(r, in)
		if err != nil {
			panic(fmt.Sprintf("json-logic: %v: %v", r, err))
		}
		switch v := v.(type) {
		case bool:
			l.tally.truth(l.outcome, i, v)
		case float64:
			l.tally.points(l.outcome, i, int(v))
		default:
			panic(fmt.Sprintf("json-logic: %v gives %v", r, v))
		}
	}
	l.outcome.conclude(a, l.tally.worst, &l.tally.wanted)
}

func operation(name string, args ...any) any { return map[string]any{name: args} }

func variable(name string) any { return map[string]any{"var": name} }

// logic writes a condition as JsonLogic.
func logic(c *rule.Condition) any {
	switch c.Op {
	case rule.And, rule.Or:
		var args []any
		for i := range c.Args {
			args = append(args, logic(&c.Args[i]))
		}
		return operation(map[rule.Op]string{rule.And: "and", rule.Or: "or"}[c.Op], args...)
	case rule.Not:
		return operation("!", logic(&c.Args[0]))
	case rule.In:
		return operation("in", variable(c.Left.Field.Name), logicValues(c.Values))
	case rule.Between:
		return operation("<=", logicValue(c.Values[0]), variable(c.Left.Field.Name), logicValue(c.Values[1]))
	case rule.True:
		return true
	default:
		symbol, ok := symbols[c.Op]
		if !ok {
			panic(fmt.Sprintf("JsonLogic has no form for %q here", c.Op))
		}
		return operation(symbol, logicOperand(&c.Left), logicOperand(&c.Right))
	}
}

func logicOperand(o *rule.Operand) any {
	switch o.Kind {
	case rule.FieldOperand:
		return variable(o.Field.Name)
	case rule.ConstantOperand:
		return logicValue(o.Value)
	default:
		if o.Arith != rule.Mul {
			panic(fmt.Sprintf("JsonLogic has no form for %q here", o.Arith))
		}
		var args []any
		for i := range o.Args {
			args = append(args, logicOperand(&o.Args[i]))
		}
		return operation("*", args...)
	}
}

func logicValue(v rule.Value) any {
	switch v.Type() {
	case rule.StringType:
		return v.Text()
	case rule.BoolType:
		return v.IsTrue()
	default:
		return number(v.String())
	}
}

func logicValues(values []rule.Value) (list []any) {
	for _, v := range values {
		list = append(list, logicValue(v))
	}
	return list
}

// logicFactor writes a scorecard factor as one "if" with many branches.
func logicFactor(f *engine.Factor) any {
	var args []any
	for i := range f.Bins {
		bin := &f.Bins[i]
		points := number(bin.Points.String())
		if i == len(f.Bins)-1 {
			return operation("if", append(args, points)...)
		}
		test := operation("<", variable(f.Field.Name), number(rule.Num(bin.Max).String()))
		if f.Field.Type != rule.NumberType {
			test = operation("in", variable(f.Field.Name), logicValues(bin.In))
		}
		args = append(args, test, points)
	}
	panic("a factor without bins")
}
