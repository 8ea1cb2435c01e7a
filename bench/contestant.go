package main

import (
	"runtime"

	"verdict/bench/measure"
	"verdict/internal/engine"
	"verdict/internal/engine/analysis"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// The names of the contestants. A child process gets one of them as an argument.
const (
	oursPrepared = "ours"
	oursBuilding = "ours-building-facts"
	oursHalf     = "ours-half-absent"
	byHand       = "limit"
	offersAlone  = "offers-alone"
	exprMany     = "expr-many"
	exprOne      = "expr-one"
	celMany      = "cel-many"
	celOne       = "cel-one"
	celConverted = "cel-many-converted"
	jsonLogic    = "json-logic"
	opa          = "opa"
	compileOurs  = "compile-ours"
	loadOurs     = "load-ours"
	analyseAlone = "analyse-alone"
	compileExprs = "compile-expr"
	compileCELs  = "compile-cel"
	compileOPA   = "compile-opa"
)

func contestants() []measure.Contestant {
	return []measure.Contestant{
		{Name: oursPrepared, Start: func() (func(int), int) { return startOurs(prepared(applicants())) }},
		{Name: oursBuilding, Start: startOursBuilding},
		{Name: oursHalf, Start: func() (func(int), int) { return startOurs(halved(applicants())) }},
		{Name: byHand, Start: func() (func(int), int) {
			book, o := applicants(), newOutcome()
			return func(i int) { decideByHand(&book[i], o) }, len(book)
		}},
		{Name: offersAlone, Start: startOffersAlone},
		{Name: exprMany, Start: func() (func(int), int) {
			book, p := applicants(), newExprPeer(policyTexts())
			return func(i int) { p.decideMany(&book[i]) }, len(book)
		}},
		{Name: exprOne, Start: func() (func(int), int) {
			book, p := applicants(), newExprPeer(policyTexts())
			return func(i int) { p.decideOne(&book[i]) }, len(book)
		}},
		{Name: celMany, Start: func() (func(int), int) {
			book, p := applicants(), newCELPeer(policyTexts())
			inputs := celInputs(book, plainValue)
			return func(i int) { p.decideMany(&book[i], inputs[i]) }, len(book)
		}},
		{Name: celOne, Start: func() (func(int), int) {
			book, p := applicants(), newCELPeer(policyTexts())
			inputs := celInputs(book, plainValue)
			return func(i int) { p.decideOne(&book[i], inputs[i]) }, len(book)
		}},
		{Name: celConverted, Start: func() (func(int), int) {
			book, p := applicants(), newCELPeer(policyTexts())
			inputs := celInputs(book, convertedValue)
			return func(i int) { p.decideMany(&book[i], inputs[i]) }, len(book)
		}},
		{Name: jsonLogic, Start: func() (func(int), int) {
			book, p := applicants(), newLogicPeer(readPolicy(policyJSON))
			inputs := logicInputs(book)
			return func(i int) { p.decide(&book[i], inputs[i]) }, len(book)
		}},
		{Name: opa, Start: func() (func(int), int) {
			// OPA takes about a millisecond for a decision, so a part of the book is
			// enough.
			book, p := applicants()[:opaBook], newOPAPeer(readPolicy(policyJSON))
			inputs := opaInputs(book)
			return func(i int) { p.decide(&book[i], inputs[i]) }, len(book)
		}},
		{Name: compileOurs, Start: func() (func(int), int) {
			return func(int) { keep(activate(policyJSON)) }, 1
		}},
		{Name: loadOurs, Start: func() (func(int), int) {
			return func(int) { keep(compiled(policyJSON)) }, 1
		}},
		{Name: analyseAlone, Start: func() (func(int), int) {
			p := readPolicy(policyJSON)
			return func(int) { keep(analysis.Run(p, field.Catalogue())) }, 1
		}},
		{Name: compileExprs, Start: func() (func(int), int) {
			t := policyTexts()
			return func(int) { keep(compileExprMany(t)) }, 1
		}},
		{Name: compileCELs, Start: func() (func(int), int) {
			t := policyTexts()
			return func(int) { keep(compileCELMany(t)) }, 1
		}},
		{Name: compileOPA, Start: func() (func(int), int) {
			text := regoText(readPolicy(policyJSON))
			return func(int) { keep(compileRego(text)) }, 1
		}},
	}
}

// keep uses the results, so that the compiler cannot remove the work.
func keep(results ...any) { runtime.KeepAlive(results) }

func policyTexts() *texts {
	t := writeTexts(readPolicy(policyJSON))
	return &t
}

func startOurs(facts []*rule.Facts) (work func(int), count int) {
	plan, d := compiled(policyJSON), new(engine.Decision)
	return func(i int) { decideWhole(plan, facts[i], d) }, len(facts)
}

// decideWhole decides and builds the lists that a Decision otherwise builds only on
// demand. The outcomes of the other contestants contain these lists too.
func decideWhole(plan *engine.Plan, facts *rule.Facts, d *engine.Decision) {
	plan.Decide(facts, d)
	d.Rules()
	d.Contributions()
	d.Alternatives()
}

func startOursBuilding() (work func(int), count int) {
	book := applicants()
	plan, d, facts := compiled(policyJSON), new(engine.Decision), rule.NewFacts(field.Catalogue())
	return func(i int) {
		fill(facts, &book[i])
		decideWhole(plan, facts, d)
	}, len(book)
}

// startOffersAlone computes only the limits and offers of the whole book, which is the
// arithmetic that all contestants share. The bands and statuses are computed before
// the measurement.
func startOffersAlone() (work func(int), count int) {
	book, o := applicants(), newOutcome()
	type task struct {
		band  *band
		offer bool
	}
	tasks := make([]task, len(book))
	for i := range book {
		decideByHand(&book[i], o)
		if b := &bands[bandAt[o.Score-minScore]]; b.action != engine.Decline {
			tasks[i] = task{band: b, offer: o.Status != engine.Declined}
		}
	}
	return func(i int) {
		if b := tasks[i].band; b != nil {
			if l := b.limit(&book[i]); tasks[i].offer {
				b.price(&book[i], &l, &o.Offer)
			}
		}
	}, len(book)
}
