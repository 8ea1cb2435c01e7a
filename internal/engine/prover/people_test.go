package prover

import (
	"fmt"
	"testing"

	"verdict/internal/engine"
)

// TestScoresHaveAnOrder compares two policies that differ in whose score counts. If the highest score counts and it is
// the co-applicant's, bureau_is_ntc becomes false, and points are lost. That needs a co-applicant with a higher score,
// no matter what the rules on scores are.
func TestScoresHaveAnOrder(t *testing.T) {
	t.Parallel()
	with := func(score string) *engine.Plan {
		return plan(t, fmt.Appendf(nil, `{"name": "people", "semantics": 2, "include_defaults": false,
			"people": {"score": %q}, "knockouts": [{"id": "RF_SCORE", "action": "refer", "reason_code": "R",
				"condition_ast": {"op": "lt", "field": "bureau_score", "value": 780}}],
			"scorecard": {"base_points": 700, "factors": [{"factor": "loans", "field": "bureau_own_active_tradelines",
				"reason_code": "R", "when": {"op": "eq", "field": "bureau_is_ntc", "value": false},
				"bins": [{"lt": 1, "points": -60}, {"gte": 1, "points": 0}]}]},
			"pricing_bands": [%s, %s]}`, score, band("A", 650, 900, 12), band("B", 300, 649, 20)))
	}
	for _, c := range [][2]string{{"lowest", "highest"}, {"highest", "primary"}, {"primary", "lowest"}} {
		old, changed := with(c[0]), with(c[1])
		r := diff(t, old, changed)
		if !r.Complete || len(r.Classes) == 0 {
			t.Errorf("%v: %d classes, %v", c, len(r.Classes), r.Incomplete)
		}
		if k, _, missing := newCrowd(old, 1).unlisted(old, changed, &r, 20_000); missing {
			t.Errorf("%v: %+v is in no class", c, k)
		}
	}
}

func band(grade string, least, most int, rate float64) string {
	return fmt.Sprintf(`{"id": "PB_%[1]s", "grade": %[1]q, "min_score": %d, "max_score": %d, "action": "approve",
		"interest_rate": %v, "tenure_months": 24, "min_limit": 10000, "max_limit": 100000, "default_limit": 20000,
		"foir_cap": 0.5}`, grade, least, most, rate)
}
