package engine_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/engine"
	"verdict/internal/field"
)

// counted has the counts of one rule.
type counted struct{ Evaluated, Hit, Unknown int64 }

func drain(t *engine.Tally) map[string]counted {
	out := map[string]counted{}
	t.Drain(func(id string, evaluated, hit, unknown int64) { out[id] = counted{evaluated, hit, unknown} })
	return out
}

func TestTally(t *testing.T) {
	t.Parallel()
	plan := compile(t, []byte(`{"name":"Tally","include_defaults":false,
		"knockouts":[
			{"id":"KO_DPD","condition_ast":{"op":"gt","field":"max_dpd_12m","value":60}},
			{"id":"RF_AGE","action":"refer","on_absent":"refer","condition_ast":{"op":"lt","field":"age","value":21}},
			{"id":"RF_LIMIT","stage":2,"action":"refer","reason_code":"LARGE",
				"condition_ast":{"op":"gt","field":"offer_limit","value":40000}}],
		"adjustments":[{"id":"ADJ_ENQ","delta":-5,"condition_ast":{"op":"gt","field":"enquiries_6m","value":3}},
			{"id":"ADJ_OFF","delta":1,"condition_ast":{"op":"false"}}],
		"scorecard":{"base_points":700,"factors":[]},
		"pricing_bands":[{"id":"P","grade":"A","min_score":300,"max_score":900,"interest_rate":14,"tenure_months":24,
			"min_limit":20000,"max_limit":500000,"default_limit":50000,"foir_cap":0.5}]}`))
	tally := plan.NewTally()
	if got := drain(tally); len(got) > 0 {
		t.Errorf("an empty tally says %v", got)
	}
	var d engine.Decision
	tally.Count(&d) // a decision that was never made is not counted
	engine.Compile(engine.DefaultPolicy(), field.Catalogue()).Decide(decodeFacts(t, []byte(`{}`)), &d)
	tally.Count(&d) // a decision of another plan is not counted
	for _, facts := range []string{
		`{}`, `{"max_dpd_12m":90,"age":30,"enquiries_6m":4}`, `{"max_dpd_12m":0,"age":20,"enquiries_6m":0,"foir":0.7}`,
	} {
		plan.Decide(decodeFacts(t, []byte(facts)), &d)
		tally.Count(&d)
	}
	want := map[string]counted{
		"KO_DPD": {3, 1, 1}, "RF_AGE": {3, 2, 1}, "RF_LIMIT": {3, 2, 1}, "ADJ_ENQ": {3, 1, 1}, "ADJ_OFF": {3, 0, 0},
	}
	if diff := cmp.Diff(want, drain(tally)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := drain(tally); len(got) > 0 {
		t.Errorf("drained, it says %v", got)
	}
}

// TestTallyAgreesWithTheDecisions checks that the drained counts equal the sums
// over all decisions if several goroutines count and drain concurrently.
func TestTallyAgreesWithTheDecisions(t *testing.T) {
	t.Parallel()
	for seed := range uint64(rounds(10, 200)) {
		g := generatePolicy(seed + 5_000_000)
		plan := compile(t, g.document)
		tally := plan.NewTally()
		var mu sync.Mutex
		want, got := map[string]counted{}, map[string]counted{}
		add := func(into map[string]counted, id string, c counted) {
			mu.Lock()
			defer mu.Unlock()
			sum := into[id]
			into[id] = counted{sum.Evaluated + c.Evaluated, sum.Hit + c.Hit, sum.Unknown + c.Unknown}
		}
		collect := func() {
			tally.Drain(
				func(id string, evaluated, hit, unknown int64) { add(got, id, counted{evaluated, hit, unknown}) })
		}
		var wait sync.WaitGroup
		for worker := range uint64(3) {
			wait.Go(func() {
				dice := newDice(seed<<8 | worker)
				var d engine.Decision
				for i := range 20 {
					plan.Decide(decodeFacts(t, encode(t, g.facts(dice))), &d)
					tally.Count(&d)
					expect(plan, &d, func(id string, c counted) { add(want, id, c) })
					if i%8 == 7 {
						collect()
					}
				}
			})
		}
		wait.Wait()
		collect()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
	}
}

// expect calls the function add with the counts that one decision contributes to every rule.
func expect(plan *engine.Plan, d *engine.Decision, add func(id string, c counted)) {
	for i := range plan.Policy().Knockouts {
		add(plan.Policy().Knockouts[i].ID, counted{Evaluated: 1})
	}
	for i := range plan.Policy().Adjustments {
		add(plan.Policy().Adjustments[i].ID, counted{Evaluated: 1})
	}
	for _, r := range d.Rules() {
		if r.Result != engine.ResultPass {
			add(r.ID, counted{Hit: 1})
		}
	}
	for _, n := range d.NotEvaluated() {
		add(n.ID, counted{Unknown: 1})
	}
}

// TestTallyAllocatesNothing checks that counting allocates nothing. It does not
// run in parallel, because allocations of other tests would be counted too.
func TestTallyAllocatesNothing(t *testing.T) { //nolint:paralleltest // see above
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	tally := plan.NewTally()
	var d engine.Decision
	facts := decodeFacts(t, []byte(`{"bureau_score":642,"bureau_is_ntc":false,"enquiries_6m":7}`))
	if n := testing.AllocsPerRun(100, func() {
		plan.Decide(facts, &d)
		tally.Count(&d)
	}); n > 0 {
		t.Errorf("counting allocates %v times", n)
	}
}

// BenchmarkTally counts typical decisions, with few hits and without the
// optional blocks, first in one goroutine and then in one goroutine for each
// processor.
func BenchmarkTally(b *testing.B) {
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	facts := decodeFacts(b,
		[]byte(
			`{
				"bureau_score":742,"bureau_is_ntc":false,"monthly_income":85000,"foir":0.32,"enquiries_6m":2,
				"active_tradelines":4,"max_dpd_12m":0,"requested_amount":600000
			}`))
	tally := plan.NewTally()
	for _, with := range []string{"alone", "together"} {
		b.Run(with, func(b *testing.B) {
			b.ReportAllocs()
			if with == "alone" {
				var d engine.Decision
				plan.Decide(facts, &d)
				for b.Loop() {
					tally.Count(&d)
				}
				return
			}
			b.RunParallel(func(pb *testing.PB) {
				var d engine.Decision
				plan.Decide(facts, &d)
				for pb.Next() {
					tally.Count(&d)
				}
			})
		})
	}
}
