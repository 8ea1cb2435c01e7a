package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// opaBook is the number of applicants that OPA decides in one pass.
const opaBook = 200

// opaPeer decides with Open Policy Agent: one module and one prepared query that returns
// a list of all results.
type opaPeer struct {
	query   rego.PreparedEvalQuery
	outcome *Outcome
	tally   tally
}

func newOPAPeer(p *engine.Policy) *opaPeer {
	return &opaPeer{query: compileRego(regoText(p)), outcome: newOutcome()}
}

func compileRego(text string) rego.PreparedEvalQuery {
	module := rego.New(rego.Query("data.policy.results"), rego.Module("policy.rego", text))
	q, err := module.PrepareForEval(context.Background())
	if err != nil {
		panic(fmt.Sprintf("rego: %v\n%s", err, text))
	}
	return q
}

// opaInputs returns the applicants as OPA values. It is called before the
// measurement.
func opaInputs(book []Applicant) []ast.Value {
	list := make([]ast.Value, len(book))
	for i, in := range logicInputs(book) {
		v, err := ast.InterfaceToValue(in)
		if err != nil {
			panic(err)
		}
		list[i] = v
	}
	return list
}

func (p *opaPeer) decide(a *Applicant, in ast.Value) {
	p.tally.reset()
	found, err := p.query.Eval(context.Background(), rego.EvalParsedInput(in))
	if err != nil || len(found) != 1 {
		panic(fmt.Sprintf("rego: %v %v", found, err))
	}
	list, ok := found[0].Expressions[0].Value.([]any)
	if !ok || len(list) != firstTerm+termCount {
		panic("rego: not the list of all results")
	}
	for i, v := range list {
		switch v := v.(type) {
		case bool:
			p.tally.truth(p.outcome, i, v)
		case fmt.Stringer: // matches json.Number
			p.tally.points(p.outcome, i, int(number(v.String())))
		default:
			panic(fmt.Sprintf("rego: result %d is %v", i, v))
		}
	}
	p.outcome.conclude(a, p.tally.worst, &p.tally.wanted)
}

func number(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	must(err)
	return x
}

// regoWriter writes a policy as a Rego module. An "or" and the argument of a "not"
// become separate rules, because the body of a Rego rule has no "or" and can
// negate only a single expression.
type regoWriter struct {
	rules  strings.Builder
	inner  int
	result []string
}

func regoText(p *engine.Policy) string {
	w := &regoWriter{}
	for i := range p.Knockouts {
		w.truth(&p.Knockouts[i].Condition)
	}
	for i := range p.Adjustments {
		w.truth(&p.Adjustments[i].Condition)
	}
	for i := range p.Scorecard.Factors {
		w.factor(&p.Scorecard.Factors[i])
	}
	for i := range p.Terms {
		w.truth(&p.Terms[i].Condition)
	}
	return "package policy\n\n" + w.rules.String() + "results := [" + strings.Join(w.result, ", ") + "]\n"
}

// truth adds a rule whose value is true or false, and adds the rule's name to the
// results.
func (w *regoWriter) truth(c *rule.Condition) {
	name := fmt.Sprintf("result_%d", len(w.result))
	body := w.body(c)
	fmt.Fprintf(&w.rules, "default %s := false\n\n%s if { %s }\n\n", name, name, body)
	w.result = append(w.result, name)
}

// body returns a condition as the body of a rule.
func (w *regoWriter) body(c *rule.Condition) string {
	switch c.Op {
	case rule.And:
		var parts []string
		for i := range c.Args {
			parts = append(parts, w.body(&c.Args[i]))
		}
		return strings.Join(parts, "; ")
	case rule.Or:
		w.inner++
		name := fmt.Sprintf("inner_%d", w.inner)
		for i := range c.Args {
			body := w.body(&c.Args[i])
			fmt.Fprintf(&w.rules, "%s if { %s }\n\n", name, body)
		}
		return name
	case rule.Not:
		w.inner++
		name := fmt.Sprintf("inner_%d", w.inner)
		body := w.body(&c.Args[0])
		fmt.Fprintf(&w.rules, "%s if { %s }\n\n", name, body)
		return "not " + name
	case rule.In:
		return "input." + c.Left.Field.Name + " in " + regoSet(c.Left.Field.Name, c.Values)
	case rule.Between:
		name := c.Left.Field.Name
		return fmt.Sprintf("input.%s >= %s; input.%s <= %s",
			name, literal(name, c.Values[0]), name, literal(name, c.Values[1]))
	case rule.True:
		return "true"
	default:
		name := c.Left.Field.Name
		return regoOperand(&c.Left, name) + " " + symbols[c.Op] + " " + regoOperand(&c.Right, name)
	}
}

func regoOperand(o *rule.Operand, name string) string {
	switch o.Kind {
	case rule.FieldOperand:
		return "input." + o.Field.Name
	case rule.ConstantOperand:
		if o.Value.Type() == rule.BoolType {
			return strconv.FormatBool(o.Value.IsTrue())
		}
		return literal(name, o.Value)
	default:
		var args []string
		for i := range o.Args {
			args = append(args, regoOperand(&o.Args[i], name))
		}
		return "(" + strings.Join(args, " * ") + ")"
	}
}

func regoSet(name string, values []rule.Value) string {
	text := list(name, values)
	return "{" + text[1:len(text)-1] + "}"
}

// factor adds a chain of "else" rules, whose evaluation ends at the first bin that
// matches.
func (w *regoWriter) factor(f *engine.Factor) {
	name := fmt.Sprintf("result_%d", len(w.result))
	for i := range f.Bins {
		bin := &f.Bins[i]
		test := "input." + f.Field.Name + " < " + literal(f.Field.Name, rule.Num(bin.Max))
		if f.Field.Type != rule.NumberType {
			test = "input." + f.Field.Name + " in " + regoSet(f.Field.Name, bin.In)
		}
		switch {
		case i == 0:
			fmt.Fprintf(&w.rules, "%s := %s if { %s }", name, bin.Points, test)
		case i < len(f.Bins)-1:
			fmt.Fprintf(&w.rules, " else := %s if { %s }", bin.Points, test)
		default:
			fmt.Fprintf(&w.rules, " else := %s\n\n", bin.Points)
		}
	}
	w.result = append(w.result, name)
}
