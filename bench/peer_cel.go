package main

import (
	"fmt"
	"reflect"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"verdict/internal/engine"
)

// celPeer decides with cel-go, in the same two ways as exprPeer.
type celPeer struct {
	programs []cel.Program
	one      cel.Program
	outcome  *Outcome
	tally    tally
}

var celTypes = map[reflect.Kind]*cel.Type{
	reflect.Int:     cel.IntType,
	reflect.Float64: cel.DoubleType,
	reflect.String:  cel.StringType,
	reflect.Bool:    cel.BoolType,
}

func newCELEnv() *cel.Env {
	var options []cel.EnvOption
	for _, f := range applicantFields() {
		options = append(options, cel.Variable(fieldName(f), celTypes[f.Type.Kind()]))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		panic(err)
	}
	return env
}

func compileCEL(env *cel.Env, text string) cel.Program {
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		panic(fmt.Sprintf("cel: %s: %v", text, issues.Err()))
	}
	p, err := env.Program(ast, cel.EvalOptions(cel.OptOptimize))
	if err != nil {
		panic(fmt.Sprintf("cel: %s: %v", text, err))
	}
	return p
}

// compileCELMany compiles all texts with cel-go. It makes a new environment each time,
// because the environment lists the fields that a policy may name.
func compileCELMany(t *texts) (programs []cel.Program) {
	env := newCELEnv()
	for _, text := range t.all() {
		programs = append(programs, compileCEL(env, text))
	}
	return programs
}

func compileCELOne(t *texts) cel.Program {
	// Make every result a whole number, so that all elements of the list have
	// the same type.
	var items []string
	for i, text := range t.all() {
		if i < firstFactor || i >= firstTerm {
			text = "(" + text + ") ? 1 : 0"
		}
		items = append(items, text)
	}
	return compileCEL(newCELEnv(), "["+strings.Join(items, ",\n")+"]")
}

func newCELPeer(t *texts) *celPeer {
	return &celPeer{programs: compileCELMany(t), one: compileCELOne(t), outcome: newOutcome()}
}

// plainValue returns a Go value unchanged. The documentation of cel-go passes variables
// in this way.
func plainValue(v any) any { return v }

// convertedValue converts a Go value to a value of CEL, so that cel-go need not convert
// it during the evaluation.
func convertedValue(v any) any { return types.DefaultTypeAdapter.NativeToValue(v) }

// celInputs returns the applicants as activations. It is called before the measurement.
func celInputs(book []Applicant, value func(any) any) []cel.Activation {
	list := make([]cel.Activation, len(book))
	for i := range book {
		v := reflect.ValueOf(&book[i]).Elem()
		vars := make(map[string]any, v.NumField())
		for k, f := range applicantFields() {
			vars[fieldName(f)] = value(v.Field(k).Interface())
		}
		activation, err := cel.NewActivation(vars)
		if err != nil {
			panic(err)
		}
		list[i] = activation
	}
	return list
}

func evalCEL(p cel.Program, in cel.Activation) ref.Val {
	v, _, err := p.Eval(in)
	if err != nil {
		panic(err)
	}
	return v
}

func (p *celPeer) decideMany(a *Applicant, in cel.Activation) {
	p.tally.reset()
	for i, program := range p.programs {
		if i == firstTerm && p.tally.worst == engine.Declined {
			break
		}
		switch v := evalCEL(program, in).(type) {
		case types.Bool:
			p.tally.truth(p.outcome, i, bool(v))
		case types.Int:
			p.tally.points(p.outcome, i, int(v))
		}
	}
	p.outcome.conclude(a, p.tally.worst, &p.tally.wanted)
}

func (p *celPeer) decideOne(a *Applicant, in cel.Activation) {
	p.tally.reset()
	list, ok := evalCEL(p.one, in).(traits.Lister)
	if !ok {
		panic("cel: not a list")
	}
	for i := range firstTerm + termCount {
		n, ok := list.Get(types.Int(i)).(types.Int)
		if !ok {
			panic("cel: not a whole number")
		}
		if i >= firstFactor && i < firstTerm {
			p.tally.points(p.outcome, i, int(n))
		} else {
			p.tally.truth(p.outcome, i, n == 1)
		}
	}
	p.outcome.conclude(a, p.tally.worst, &p.tally.wanted)
}
