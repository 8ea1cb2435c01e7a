package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// TestEveryoneAgrees holds the whole decision of every contestant, in each of
// its variants, against ours on the whole book: a contestant that decides
// something else is measured at some other work.
func TestEveryoneAgrees(t *testing.T) {
	t.Parallel()
	book := applicants()
	ours := ourRecords(prepared(book))
	text := writeTexts(readPolicy(policyJSON))
	byExpr, byCEL := newExprPeer(&text), newCELPeer(&text)
	plain, converted := celInputs(book, plainValue), celInputs(book, convertedValue)
	hand := newOutcome()
	for _, other := range []struct {
		name   string
		decide func(i int) *Outcome
	}{
		{"hand-written", func(i int) *Outcome { decideByHand(&book[i], hand); return hand }},
		{"expr, many programs", func(i int) *Outcome { byExpr.decideMany(&book[i]); return byExpr.outcome }},
		{"expr, one program", func(i int) *Outcome { byExpr.decideOne(&book[i]); return byExpr.outcome }},
		{"cel-go, many programs", func(i int) *Outcome { byCEL.decideMany(&book[i], plain[i]); return byCEL.outcome }},
		{"cel-go, converted values", func(i int) *Outcome { byCEL.decideMany(&book[i], converted[i]); return byCEL.outcome }},
		{"cel-go, one program", func(i int) *Outcome { byCEL.decideOne(&book[i], plain[i]); return byCEL.outcome }},
	} {
		bad := 0
		for i := range book {
			diff := cmp.Diff(ours[i], other.decide(i).record())
			if diff == "" {
				continue
			}
			if bad++; bad == 1 {
				t.Errorf("%s, applicant %d %+v (-ours +theirs):\n%s", other.name, i, book[i], diff)
			}
		}
		if bad > 0 {
			t.Errorf("%s differs on %d of %d applicants", other.name, bad, len(book))
		}
	}
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

// TestNothingIsAllocated holds for ours, whether the facts are prepared, built
// or half absent, and for the limit: a decision allocates nothing once its
// memory has been used.
func TestNothingIsAllocated(t *testing.T) { //nolint:paralleltest // It counts the allocations of the whole process.
	for _, c := range contestants() {
		switch c.name {
		case oursPrepared, oursBuilding, oursHalf, byHand, offersAlone:
			work, count := c.start()
			i := 0
			if n := testing.AllocsPerRun(2*count, func() { work(i % count); i++ }); n != 0 {
				t.Errorf("%s allocates %v times a decision", c.name, n)
			}
		}
	}
}

// TestGrownPoliciesDecideAlike holds the grown policies of the growth table
// against the policy they repeat.
func TestGrownPoliciesDecideAlike(t *testing.T) {
	t.Parallel()
	facts := prepared(applicants()[:growthBook])
	small, large := compiled(policyJSON), compiled(grown(growthSizes[1]))
	var a, b engine.Decision
	for i, f := range facts {
		small.Decide(f, &a)
		large.Decide(f, &b)
		if len(b.Rules())-len(a.Rules()) != growthSizes[1]-growthSizes[0] || a.Status != b.Status || a.FinalScore != b.FinalScore {
			t.Errorf("applicant %d: %v at %v, grown %v at %v", i, a.Status, a.FinalScore, b.Status, b.FinalScore)
		}
	}
}

// TestThePolicyIsSound keeps a policy under measurement that a lender could
// activate.
func TestThePolicyIsSound(t *testing.T) {
	t.Parallel()
	_, findings := activate(policyJSON)
	for _, f := range findings {
		t.Logf("%+v", f)
		if f.Severity == engine.SeverityError {
			t.Errorf("the policy has an error: %+v", f)
		}
	}
}

// TestTheBookIsBelievable keeps the workload honest: shares of outcomes as a
// lender sees them, every rule hitting somebody and passing somebody else,
// every bin and band in use, every constraint binding.
func TestTheBookIsBelievable(t *testing.T) {
	t.Parallel()
	book := applicants()
	records := ourRecords(prepared(book))
	seen := map[string]int{}
	for i := range records {
		r := &records[i]
		seen[r.Status]++
		for _, s := range r.Rules {
			seen[s]++
		}
		for _, s := range r.Points {
			seen[s]++
		}
		if r.Offer == nil {
			continue
		}
		seen[r.Offer.BandID]++
		seen[r.Offer.Binding.String()]++
		for _, code := range r.Offer.Terms {
			seen[code]++
		}
	}
	share := func(status engine.Status) float64 { return float64(seen[status.String()]) / float64(len(book)) }
	t.Logf("approved %.3f, referred %.3f, declined %.3f", share(engine.Approved), share(engine.Referred), share(engine.Declined))
	if a, r := share(engine.Approved), share(engine.Referred); a < 0.40 || a > 0.55 || r < 0.07 || r > 0.15 {
		t.Errorf("approved %.3f and referred %.3f are not the shares of a real book", a, r)
	}
	want := func(what string) {
		if seen[what] == 0 {
			t.Errorf("no applicant has %q", what)
		}
	}
	policy := readPolicy(policyJSON)
	for i := range policy.Knockouts {
		k := &policy.Knockouts[i]
		want(k.ID + " pass")
		if k.Action == engine.Refer {
			want(k.ID + " refer")
		} else {
			want(k.ID + " fail")
		}
	}
	for i := range policy.Adjustments {
		want(policy.Adjustments[i].ID + " applied")
	}
	for i := range policy.Scorecard.Factors {
		f := &policy.Scorecard.Factors[i]
		for k := range f.Bins {
			want(f.Name + " " + f.Bins[k].Points.String())
		}
	}
	for i := range policy.Bands {
		if policy.Bands[i].Action != engine.Decline {
			want(policy.Bands[i].ID)
		}
	}
	for _, code := range termCodes {
		want(code)
	}
	for _, c := range []engine.Constraint{engine.FOIRCapacity, engine.RequestedAmount, engine.BandMaxLimit, engine.IncomeMultiple} {
		want(c.String())
	}
}
