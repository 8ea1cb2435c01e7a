package main

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"verdict/internal/engine"
)

// exprPeer decides with expr-lang/expr. It uses either one program for each rule,
// adjustment, factor and condition, or a single program that returns a list of all
// results.
type exprPeer struct {
	programs []*vm.Program // rules, adjustments, factors, terms
	one      *vm.Program
	machine  vm.VM
	outcome  *Outcome
	tally    tally
}

func compileExpr(text string, options ...expr.Option) *vm.Program {
	p, err := expr.Compile(text, append(options, expr.Env(&Applicant{}))...)
	if err != nil {
		panic(fmt.Sprintf("expr: %s: %v", text, err))
	}
	return p
}

func compileExprMany(t *texts) (programs []*vm.Program) {
	for _, text := range t.all() {
		programs = append(programs, compileExpr(text))
	}
	return programs
}

func compileExprOne(t *texts) *vm.Program {
	return compileExpr("[" + strings.Join(t.all(), ",\n") + "]")
}

func newExprPeer(t *texts) *exprPeer {
	return &exprPeer{programs: compileExprMany(t), one: compileExprOne(t), outcome: newOutcome()}
}

func (p *exprPeer) run(program *vm.Program, a *Applicant) any {
	v, err := p.machine.Run(program, a)
	if err != nil {
		panic(err)
	}
	return v
}

// decideMany runs the programs one by one. After a knockout that declines there is no
// offer, so it then skips the conditions of the offer.
func (p *exprPeer) decideMany(a *Applicant) {
	p.tally.reset()
	for i, program := range p.programs {
		if i == firstTerm && p.tally.worst == engine.Declined {
			break
		}
		switch v := p.run(program, a).(type) {
		case bool:
			p.tally.truth(p.outcome, i, v)
		case int:
			p.tally.points(p.outcome, i, v)
		}
	}
	p.outcome.conclude(a, p.tally.worst, &p.tally.wanted)
}

// decideOne runs the single program and reads the list it returns.
func (p *exprPeer) decideOne(a *Applicant) {
	p.tally.reset()
	list, ok := p.run(p.one, a).([]any)
	if !ok {
		panic("expr: not a list")
	}
	for i, v := range list {
		switch v := v.(type) {
		case bool:
			p.tally.truth(p.outcome, i, v)
		case int:
			p.tally.points(p.outcome, i, v)
		}
	}
	p.outcome.conclude(a, p.tally.worst, &p.tally.wanted)
}

// tally records the results of a peer, which are numbered in the order of texts.all.
type tally struct {
	worst  engine.Status
	wanted [termCount]bool
}

const (
	firstAdjustment = ruleCount
	firstFactor     = firstAdjustment + adjustmentCount
	firstTerm       = firstFactor + factorCount
)

func (t *tally) reset() { t.worst = engine.Approved }

func (t *tally) truth(o *Outcome, i int, holds bool) {
	switch {
	case i < firstAdjustment:
		result := engine.ResultFail
		if i >= firstReferral {
			result = engine.ResultRefer
		}
		set(o, i, holds, result, &t.worst)
	case i < firstFactor:
		o.Adjust[i-firstAdjustment].Applied = holds
	default:
		t.wanted[i-firstTerm] = holds
	}
}

func (t *tally) points(o *Outcome, i, points int) { o.Points[i-firstFactor].Points = points }
