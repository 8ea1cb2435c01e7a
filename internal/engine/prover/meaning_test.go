package prover

import (
	"strings"
	"testing"

	"verdict/internal/engine"
)

// small returns the plan of a small policy with further members.
func small(t *testing.T, members string) *engine.Plan {
	t.Helper()
	return plan(t, []byte(`{"name": "small", "semantics": 2, "include_defaults": false, `+members+`,
		"scorecard": {"base_points": 600, "factors": []}, "pricing_bands": [{"id": "B", "grade": "A", "min_score": 300,
		"max_score": 900, "action": "approve", "interest_rate": 12, "tenure_months": 12, "min_limit": 20000,
		"max_limit": 50000, "default_limit": 30000, "foir_cap": 0.5}]}`))
}

// TestNamesWithTwoMeanings compares policies in which the same name has different meanings: a table that is looked up
// by another field, and an input of another type. Such policies are not compared completely.
func TestNamesWithTwoMeanings(t *testing.T) {
	t.Parallel()
	knockout := func(condition string) string {
		return `"knockouts": [{"id": "K", "reason_code": "R", "condition_ast": ` + condition + `}]`
	}
	table := func(key, typ string) string {
		return `"inputs": [{"name": "applicant.make", "type": "string"}], "tables": [{"name": "risk", "default": true,
			"keys": [{"field": "` + key + `", "match": "exact", "type": "string"}],
			"columns": [{"name": "factor", "type": "` + typ + `"}]}],`
	}
	factor := `{"op": "gt", "field": "table.risk.factor", "value": 2}`
	for name, pair := range map[string][2]string{
		"the key of a table": {
			table("employment_type", "number") + knockout(factor), table("applicant.make", "number") + knockout(factor),
		},
		"the type of an input": {
			`"inputs": [{"name": "applicant.x", "type": "number"}],` +
				knockout(`{"op": "exists", "field": "applicant.x"}`),
			`"inputs": [{"name": "applicant.x", "type": "string"}],` + knockout(`{"op": "or", "args": [
				{"op": "eq", "field": "applicant.x", "value": "a"},
				{"op": "ne", "field": "applicant.x", "value": "a"}]}`),
		},
	} {
		r := diff(t, small(t, pair[0]), small(t, pair[1]))
		if r.Equal || r.Complete {
			t.Errorf("%s: equal is %v, complete is %v", name, r.Equal, r.Complete)
		}
		if !strings.Contains(strings.Join(r.Incomplete, ";"), "differ") {
			t.Errorf("%s: the result does not say why: %v", name, r.Incomplete)
		}
	}
}
