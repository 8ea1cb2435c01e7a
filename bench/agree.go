package main

import (
	"fmt"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// agree returns an error if any contestant, in any of its variants, decides an
// applicant of the book differently from our engine. It compares whole
// decisions.
func agree() error {
	book := applicants()
	ours := ourRecords(prepared(book))
	text := policyTexts()
	byExpr, byCEL := newExprPeer(text), newCELPeer(text)
	byLogic, byOPA := newLogicPeer(readPolicy(policyJSON)), newOPAPeer(readPolicy(policyJSON))
	plain, converted := celInputs(book, plainValue), celInputs(book, convertedValue)
	asJSON, asRego := logicInputs(book), opaInputs(book)
	hand := newOutcome()
	for _, other := range []struct {
		name   string
		decide func(i int) *Outcome
	}{
		{"hand-written", func(i int) *Outcome { decideByHand(&book[i], hand); return hand }},
		{"expr, many programs", func(i int) *Outcome { byExpr.decideMany(&book[i]); return byExpr.outcome }},
		{"expr, one program", func(i int) *Outcome { byExpr.decideOne(&book[i]); return byExpr.outcome }},
		{"cel-go, many programs", func(i int) *Outcome { byCEL.decideMany(&book[i], plain[i]); return byCEL.outcome }},
		{"cel-go, converted values", func(i int) *Outcome {
			byCEL.decideMany(&book[i], converted[i])
			return byCEL.outcome
		}},
		{"cel-go, one program", func(i int) *Outcome { byCEL.decideOne(&book[i], plain[i]); return byCEL.outcome }},
		{"json-logic", func(i int) *Outcome { byLogic.decide(&book[i], asJSON[i]); return byLogic.outcome }},
		{"OPA", func(i int) *Outcome { byOPA.decide(&book[i], asRego[i]); return byOPA.outcome }},
	} {
		for i := range book {
			if diff := cmp.Diff(ours[i], other.decide(i).record()); diff != "" {
				return fmt.Errorf("%s decides applicant %d %+v differently (-ours +theirs):\n%s",
					other.name, i, book[i], diff)
			}
		}
	}
	return nil
}

func ourRecords(facts []*rule.Facts) (list []Record) {
	plan := compiled(policyJSON)
	var d engine.Decision
	for _, f := range facts {
		plan.Decide(f, &d)
		list = append(list, recordOf(&d))
	}
	return list
}
