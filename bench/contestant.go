package main

import (
	"runtime"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// contestant is one thing that is measured. start prepares all that is not
// measured and returns one unit of work, to be done for each of count inputs.
type contestant struct {
	name  string
	start func() (work func(i int), count int)
}

// The names of the contestants, as a child process is asked for them.
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
	compileOurs  = "compile-ours"
	analyseAlone = "analyse-alone"
	compileExprs = "compile-expr"
	compileCELs  = "compile-cel"
)

func contestants() []contestant {
	return []contestant{
		{oursPrepared, func() (func(int), int) { return startOurs(prepared(applicants())) }},
		{oursBuilding, startOursBuilding},
		{oursHalf, func() (func(int), int) { return startOurs(halved(applicants())) }},
		{byHand, func() (func(int), int) {
			book, o := applicants(), newOutcome()
			return func(i int) { decideByHand(&book[i], o) }, len(book)
		}},
		{offersAlone, startOffersAlone},
		{exprMany, func() (func(int), int) {
			book, p := applicants(), newExprPeer(policyTexts())
			return func(i int) { p.decideMany(&book[i]) }, len(book)
		}},
		{exprOne, func() (func(int), int) {
			book, p := applicants(), newExprPeer(policyTexts())
			return func(i int) { p.decideOne(&book[i]) }, len(book)
		}},
		{celMany, func() (func(int), int) {
			book, p := applicants(), newCELPeer(policyTexts())
			inputs := celInputs(book, plainValue)
			return func(i int) { p.decideMany(&book[i], inputs[i]) }, len(book)
		}},
		{celOne, func() (func(int), int) {
			book, p := applicants(), newCELPeer(policyTexts())
			inputs := celInputs(book, plainValue)
			return func(i int) { p.decideOne(&book[i], inputs[i]) }, len(book)
		}},
		{celConverted, func() (func(int), int) {
			book, p := applicants(), newCELPeer(policyTexts())
			inputs := celInputs(book, convertedValue)
			return func(i int) { p.decideMany(&book[i], inputs[i]) }, len(book)
		}},
		{compileOurs, func() (func(int), int) {
			return func(int) { keep(activate(policyJSON)) }, 1
		}},
		{analyseAlone, func() (func(int), int) {
			p := readPolicy(policyJSON)
			return func(int) { keep(engine.Analyse(p, field.Catalogue())) }, 1
		}},
		{compileExprs, func() (func(int), int) {
			t := policyTexts()
			return func(int) { keep(compileExprMany(t)) }, 1
		}},
		{compileCELs, func() (func(int), int) {
			t := policyTexts()
			return func(int) { keep(compileCELMany(t)) }, 1
		}},
	}
}

// keep takes what was compiled, so that no compiler drops the work.
func keep(results ...any) { runtime.KeepAlive(results) }

func policyTexts() *texts {
	t := writeTexts(readPolicy(policyJSON))
	return &t
}

func startOurs(facts []*rule.Facts) (work func(int), count int) {
	plan, d := compiled(policyJSON), new(engine.Decision)
	return func(i int) { decideWhole(plan, facts[i], d) }, len(facts)
}

// decideWhole decides and puts together the lists that a Decision makes only
// when they are asked for: the others have theirs ready too.
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

// startOffersAlone does the limits and offers of the whole book and nothing
// else, with the bands and statuses found beforehand: the arithmetic that all
// contestants share.
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
