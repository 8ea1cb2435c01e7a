package engine_test

import (
	"slices"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
)

// TestSoleKnockout checks that a knockout is the sole cause of a status if, and
// only if, removing it gives a better status and removing any other knockout
// does not.
func TestSoleKnockout(t *testing.T) {
	t.Parallel()
	found := 0
	eachGenerated(t, rounds(40, 1000), 15, func(t *testing.T, _ *generated, plan *engine.Plan, facts object) {
		t.Helper()
		d := decide(t, plan, facts)
		e := plan.NewTracer().Read(d)
		var sole []int32
		for i := range plan.Policy().Knockouts {
			without := *plan.Policy()
			without.Knockouts = slices.Delete(slices.Clone(without.Knockouts), i, i+1)
			other := decide(t, engine.Compile(&without, field.Catalogue()), facts)
			if other.Status < d.Status && (d.Status == engine.Declined || other.Status == engine.Approved) {
				sole = append(sole, int32(i))
			}
		}
		want := int32(-1)
		if len(sole) == 1 {
			want = sole[0]
			found++
		}
		if len(sole) > 1 || e.Sole != want {
			t.Fatalf("the sole knockout is %d, without one each it is %v", e.Sole, sole)
		}
	})
	if found < 20 {
		t.Errorf("only %d sole knockouts were seen", found)
	}
}

// TestEffectIsTheDecision checks that the tracer's indexes agree with the names
// in the decision.
func TestEffectIsTheDecision(t *testing.T) {
	t.Parallel()
	eachGenerated(t, rounds(60, 1000), 10, func(t *testing.T, _ *generated, plan *engine.Plan, facts object) {
		t.Helper()
		d := decide(t, plan, facts)
		tracer := plan.NewTracer()
		e, p := tracer.Read(d), plan.Policy()
		for i, code := range e.Reasons {
			if tracer.Codes()[code] != d.Reasons[i].Code {
				t.Fatalf("reason %d is %s, want %s", i, tracer.Codes()[code], d.Reasons[i].Code)
			}
		}
		var hits, applied []string
		for _, h := range e.Hits {
			hits = append(hits, p.Knockouts[h.Knockout].ID+h.Result.String())
		}
		for _, i := range e.Applied {
			applied = append(applied, p.Adjustments[i].ID)
		}
		var wantHits, wantApplied []string
		for _, r := range d.Rules() {
			switch r.Result {
			case engine.ResultApplied:
				wantApplied = append(wantApplied, r.ID)
			case engine.ResultFail, engine.ResultRefer:
				wantHits = append(wantHits, r.ID+r.Result.String())
			case engine.ResultPass:
			}
		}
		if !slices.Equal(hits, wantHits) || !slices.Equal(applied, wantApplied) {
			t.Fatalf("hits %v and %v, want %v and %v", hits, applied, wantHits, wantApplied)
		}
		if len(e.Unknown)+len(e.Unsure) != len(d.NotEvaluated()) {
			t.Fatalf("%v and %v have no result, the decision says %v", e.Unknown, e.Unsure, d.NotEvaluated())
		}
		if e.Band >= 0 && p.Bands[e.Band].Grade != d.Grade || e.Band < 0 && d.Grade != "NA" {
			t.Fatalf("band %d, grade %s", e.Band, d.Grade)
		}
	})
}
