package generate

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/engine/enginetest"
	"verdict/internal/engine/prover"
	"verdict/internal/field"
	"verdict/internal/policytest"
)

// outcome is the part of a decision that a comparison of two policies looks at.
type outcome struct {
	status      engine.Status
	grade       string
	rate, limit int64
	tenure      int
	fees        int64
	codes       string
}

// outcomeOf decides a case. Refused applications have no outcome, and ok is false.
func outcomeOf(s *policytest.Subject, c *policytest.Case) (x outcome, ok bool) {
	var d engine.Decision
	if _, err := s.Decide(c.Application, c.AsOf, &d, c.Facts...); err != nil {
		return x, false
	}
	if d.Status == engine.Declined {
		return outcome{status: engine.Declined}, true
	}
	x = outcome{
		status: d.Status, grade: d.Grade, rate: d.Offer.RateBP, limit: d.Offer.LimitPaise, tenure: d.Offer.TenureMonths,
		fees: d.Offer.FeePaise + d.Offer.GSTPaise + d.Offer.ChargesPaise,
	}
	for _, term := range d.Offer.Terms {
		x.codes += term.Code + " "
	}
	return x, true
}

// TestProverFindsWhatCasesShow compares the default policy with its mutations. If a generated case has another outcome
// under a mutation, such as another status or another offer, the comparison must not prove the policies equal, and a
// class must have the statuses of both outcomes. Each case is an applicant that the comparison has not chosen.
func TestProverFindsWhatCasesShow(t *testing.T) {
	t.Parallel()
	_, set := generated(t)
	var cases []policytest.Case
	for _, f := range set.Files {
		read, err := policytest.Read(f.Data)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		cases = append(cases, read...)
	}
	every := 13
	if os.Getenv("VERDICT_LONG") != "" {
		every = 1
	}
	policy := engine.DefaultPolicy()
	original, old := policytest.NewSubject(policy), engine.Compile(policy, field.Catalogue())
	found, unnoticed := 0, 0
	for i, m := range enginetest.Mutations(enginetest.Decode(t, engine.DefaultPolicyJSON())) {
		if i%every != 0 {
			continue
		}
		document := enginetest.Decode(t, engine.DefaultPolicyJSON())
		m.Apply(document)
		text, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		changed, err := engine.ParsePolicy(text, engine.Sources{Catalogue: field.Catalogue()})
		if err != nil {
			continue // not a valid policy
		}
		mutant := policytest.NewSubject(changed)
		shown := map[[2]engine.Status]bool{}
		for k := range cases {
			from, known := outcomeOf(original, &cases[k])
			to, too := outcomeOf(mutant, &cases[k])
			if known && too && from != to {
				shown[[2]engine.Status{from.status, to.status}] = true
			}
		}
		if len(shown) == 0 {
			unnoticed++
			continue
		}
		found++
		r, err := prover.Diff(old, engine.Compile(changed, field.Catalogue()), prover.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Equal {
			t.Errorf("%s: proved equal, but a case shows a difference", m.Name)
		}
		for statuses := range shown {
			if !slices.ContainsFunc(r.Classes, func(c prover.Class) bool {
				return c.From.Status == statuses[0] && c.To.Status == statuses[1]
			}) {
				t.Errorf("%s: a case changes from %v to %v, and no class does", m.Name, statuses[0], statuses[1])
			}
		}
	}
	t.Logf("%d mutations change the outcome of a case, %d do not", found, unnoticed)
	if found == 0 {
		t.Error("no case shows a mutation")
	}
}
