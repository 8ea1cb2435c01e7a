package main

import (
	"testing"

	"verdict/internal/engine"
	"verdict/internal/engine/analysis"
)

// TestEveryoneAgrees: a contestant that decides something else is measured at
// some other work.
func TestEveryoneAgrees(t *testing.T) {
	t.Parallel()
	if err := agree(); err != nil {
		t.Error(err)
	}
}

// TestNothingIsAllocated holds for ours, whether the facts are prepared, built
// or half absent, and for the limit: a decision allocates nothing once its
// memory has been used.
func TestNothingIsAllocated(t *testing.T) { //nolint:paralleltest // It counts the allocations of the whole process.
	for _, c := range contestants() {
		switch c.Name {
		case oursPrepared, oursBuilding, oursHalf, byHand, offersAlone:
			work, count := c.Start()
			i := 0
			if n := testing.AllocsPerRun(2*count, func() { work(i % count); i++ }); n != 0 {
				t.Errorf("%s allocates %v times a decision", c.Name, n)
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
		if len(b.Rules())-len(a.Rules()) != growthSizes[1]-growthSizes[0] || a.Status != b.Status ||
			a.FinalScore != b.FinalScore {
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
		if f.Severity == analysis.SeverityError {
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
	t.Logf("approved %.3f, referred %.3f, declined %.3f", share(engine.Approved),
		share(engine.Referred), share(engine.Declined))
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
	for _, c := range []engine.Constraint{
		engine.FOIRCapacity, engine.RequestedAmount, engine.BandMaxLimit, engine.IncomeMultiple,
	} {
		want(c.String())
	}
}
