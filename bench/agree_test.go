package main

import (
	"testing"

	"verdict/internal/engine"
	"verdict/internal/engine/analysis"
)

// TestEveryoneAgrees checks that all contestants reach the same decisions. A
// contestant that decides differently would do different work, so its time
// could not be compared.
func TestEveryoneAgrees(t *testing.T) {
	t.Parallel()
	if err := agree(); err != nil {
		t.Error(err)
	}
}

// TestNothingIsAllocated checks that a decision allocates no memory once its
// buffers have been used. It measures our engine with prepared, built and
// half-absent facts, the hand-written limit, and the offers alone.
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

// TestGrownPoliciesDecideAlike checks that a grown policy of the growth table
// decides like the policy whose rules it repeats.
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

// TestThePolicyIsSound checks that the measured policy has no finding that
// would prevent a lender from activating it.
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

// TestTheBookIsBelievable checks that the workload is realistic. The shares of
// the outcomes must be those that a lender sees. Every rule must hit some
// applicants and pass others, every bin and every band that offers a loan must
// be used, and every constraint must bind.
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
