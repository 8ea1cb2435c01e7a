package engine_test

import (
	"bytes"
	"sync"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// decided is an application and the canonical form of its decision, made with a
// new Decision.
type decided struct {
	plan  *engine.Plan
	facts *rule.Facts
	want  []byte
}

func decideMany(t *testing.T, policies, applicants int) []decided {
	t.Helper()
	var all []decided
	eachGenerated(t, policies, applicants, func(t *testing.T, _ *generated, plan *engine.Plan, facts object) {
		t.Helper()
		all = append(all, decided{plan, decodeFacts(t, encode(t, facts)), decide(t, plan, facts).Canonical()})
	})
	return all
}

// TestReusedDecisionKeepsNothing checks that no data of one applicant affects
// the next through a plan or a reused Decision.
func TestReusedDecisionKeepsNothing(t *testing.T) {
	t.Parallel()
	all := decideMany(t, 60, 10)
	d := newDice(3)
	var reused, keeping engine.Decision
	keeping.KeepQuotes()
	for range 5_000 {
		x := pick(d, all...)
		for _, decision := range []*engine.Decision{&reused, &keeping} {
			x.plan.Decide(x.facts, decision)
			if got := decision.Canonical(); !bytes.Equal(got, x.want) {
				t.Fatalf("a reused decision says\n%s\na fresh one\n%s", got, x.want)
			}
			if decision.Plan() != x.plan {
				t.Fatal("the decision names another plan")
			}
		}
	}
}

// TestInterleavedApplicants checks that two applicants whose decisions are made
// and read alternately with one plan do not affect each other.
func TestInterleavedApplicants(t *testing.T) {
	t.Parallel()
	all := decideMany(t, 40, 2)
	for i := 0; i < len(all); i += 2 {
		a, b := all[i], all[i+1]
		var da, db engine.Decision
		a.plan.Decide(a.facts, &da)
		b.plan.Decide(b.facts, &db)
		if !bytes.Equal(da.Canonical(), a.want) || !bytes.Equal(db.Canonical(), b.want) {
			t.Fatal("two applicants on one plan mix")
		}
		// Details that are built later must use the facts of their own
		// decision.
		for _, r := range da.Reasons {
			before := da.Detail(r)
			a.plan.Decide(b.facts, &db)
			if after := da.Detail(r); before != after {
				t.Fatalf("the detail of %s changed from %+v to %+v", r.Code, before, after)
			}
		}
	}
}

// TestSharedPlanUnderGoroutines checks that many goroutines can share one
// immutable plan. The race detector checks this too.
func TestSharedPlanUnderGoroutines(t *testing.T) {
	t.Parallel()
	all := decideMany(t, 8, 25)
	var wg sync.WaitGroup
	for worker := range 16 {
		wg.Go(func() {
			var d engine.Decision
			var e engine.Eligibility
			for i := range all {
				x := &all[(i*7+worker*13)%len(all)]
				x.plan.Decide(x.facts, &d)
				if !bytes.Equal(d.Canonical(), x.want) {
					t.Error("a decision depends on what other goroutines do")
					return
				}
				for _, r := range d.Reasons {
					d.Detail(r)
				}
				d.NotEvaluated()
				x.plan.Eligible(x.facts, &e)
			}
		})
	}
	wg.Wait()
}

// TestDecideAllocatesNothing checks that deciding into a reused Decision
// allocates nothing, because its frame, its lists and its offer already exist.
// The test does not run in parallel, because the allocations of other tests
// would be counted too.
func TestDecideAllocatesNothing(t *testing.T) { //nolint:paralleltest // see above
	catalogue := field.Catalogue()
	plans := []*engine.Plan{engine.Compile(engine.DefaultPolicy(), catalogue)}
	lists := []object{{
		"bureau_score": 742, "bureau_is_ntc": false, "monthly_income": 85000, "foir": 0.32,
		"enquiries_6m": 2, "active_tradelines": 4, "max_dpd_12m": 0, "requested_amount": 600000,
	}}
	for seed := range uint64(20) {
		g := generatePolicy(seed)
		plans = append(plans, compile(t, g.document))
		lists = append(lists, g.facts(newDice(seed)))
	}
	for i, plan := range plans {
		facts := decodeFacts(t, encode(t, lists[i]))
		var d engine.Decision
		if allocs := testing.AllocsPerRun(20, func() { plan.Decide(facts, &d) }); allocs != 0 {
			t.Errorf("policy %d: %v allocations", i, allocs)
		}
		lists := func() {
			plan.Decide(facts, &d)
			d.Rules()
			d.Contributions()
			d.Alternatives()
		}
		if allocs := testing.AllocsPerRun(20, lists); allocs != 0 {
			t.Errorf("policy %d: %v allocations with its lists", i, allocs)
		}
	}
}
