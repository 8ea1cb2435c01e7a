package prover

import (
	"encoding/json"
	"testing"

	"verdict/internal/engine"
)

// repointed returns the plan of the default policy with other points in every bin.
func repointed(tb testing.TB) *engine.Plan {
	tb.Helper()
	var policy object
	if err := json.Unmarshal(engine.DefaultPolicyJSON(), &policy); err != nil {
		tb.Fatal(err)
	}
	n := 0
	card, _ := policy["scorecard"].(object)
	factors, _ := card["factors"].([]any)
	for _, f := range factors {
		factor, _ := f.(object)
		bins, _ := factor["bins"].([]any)
		for _, b := range bins {
			bin, _ := b.(object)
			points, _ := bin["points"].(float64)
			n++
			bin["points"] = points + float64(n%5) - 2
		}
	}
	data, err := json.Marshal(policy)
	if err != nil {
		tb.Fatal(err)
	}
	return plan(tb, data)
}

// TestRepointedScorecard compares the default policy with one that has other points in every bin, so that no state can
// be dropped early.
func TestRepointedScorecard(t *testing.T) {
	t.Parallel()
	r := diff(t, plan(t, engine.DefaultPolicyJSON()), repointed(t))
	t.Logf("%d cells, %d states, %d classes", r.Cells, r.States, len(r.Classes))
	if !r.Complete || len(r.Classes) == 0 {
		t.Errorf("complete is %v: %v", r.Complete, r.Incomplete)
	}
}

func BenchmarkDiff(b *testing.B) {
	old := plan(b, engine.DefaultPolicyJSON())
	for name, changed := range map[string]*engine.Plan{
		"rate":      edited(b, `"interest_rate": 14.0`, `"interest_rate": 14.5`),
		"knockout":  edited(b, `"value": 650`, `"value": 660`),
		"scorecard": repointed(b),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if _, err := Diff(old, changed, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
