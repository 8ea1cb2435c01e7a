package engine_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
)

// mistake is one change that makes a valid document invalid, and the fault that
// must be reported for it.
type mistake struct {
	name string
	make func(document map[string]any)
	want string // JSON pointer and fault code
}

// soundDocument is a valid policy. The mistakes below change or add its members.
const soundDocument = `{"name": "sound", "semantics": 2, "include_defaults": false,
	"inputs": [{"name": "applicant.segment", "type": "string"}],
	"required_fields": ["bureau_score|bureau_is_ntc"],
	"knockouts": [
		{"id": "KO_A", "reason_code": "BUR_SCORE", "condition_ast": {"op": "lt", "field": "bureau_score",
			"value": 650}},
		{"id": "KO_B", "reason_code": "AGE_RANGE", "message": "{age}",
			"condition_ast": {"op": "between", "field": "age", "min": 1, "max": 20}}],
	"adjustments": [{"id": "ADJ", "delta": -5, "condition_ast": {"op": "gt", "field": "enquiries_6m", "value": 4}}],
	"scorecard": {"base_points": 600, "factors": [
		{"factor": "foir", "field": "foir", "bins": [{"lt": 0.3, "points": 9}, {"gte": 0.3, "lt": 0.5, "points": 5},
			{"gte": 0.5, "points": 0}]},
		{"factor": "work", "field": "employment_type", "bins": [{"in": ["SALARIED"], "points": 9},
			{"in": ["RETIRED"], "points": 2}, {"else": true, "points": 0}]}]},
	"pricing_bands": [
		{"id": "PB_A", "grade": "A", "min_score": 700, "max_score": 900, "interest_rate": 14, "tenure_months": 36,
		 "min_limit": 20000, "max_limit": 500000, "default_limit": 50000, "foir_cap": 0.5},
		{"id": "PB_B", "grade": "B", "min_score": 600, "max_score": 699, "interest_rate": 16, "tenure_months": 36,
		 "min_limit": 20000, "max_limit": 300000, "default_limit": 50000, "foir_cap": 0.5},
		{"id": "PB_C", "grade": "C", "min_score": 500, "max_score": 599, "action": "decline"},
		{"id": "PB_N", "grade": "NTC", "ntc": true, "action": "decline"}],
	"conditions": [{"code": "PROOF", "text": "t", "condition_ast": {"op": "true"}}]}`

// at returns the object that a path leads to in a document.
func at(document any, steps ...any) map[string]any {
	for _, step := range steps {
		switch s := step.(type) {
		case string:
			document = document.(map[string]any)[s]
		case int:
			document = document.([]any)[s]
		}
	}
	return document.(map[string]any)
}

func put(value any, member string, steps ...any) func(map[string]any) {
	return func(d map[string]any) { at(d, steps...)[member] = value }
}

func mistakes() []mistake {
	list := []mistake{
		{"step", put(-1, "limit_step"), "/limit_step out_of_range"},
		{"key", put("A B", "policy_key"), "/policy_key invalid_field"},
		{"required", put([]any{"bureau_scroe"}, "required_fields"), "/required_fields/0 unknown_field"},
		{"rule field", put("agee", "field", "knockouts", 0, "condition_ast"),
			"/knockouts/0/condition_ast/field unknown_field"},
		{"rule action", put("maybe", "action", "knockouts", 0), "/knockouts/0/action out_of_range"},
		{"rule message", put("{agee}", "message", "knockouts", 1), "/knockouts/1/message unknown_field"},
		{"rule twice", put("ADJ", "id", "knockouts", 1), "/adjustments/0/id duplicate"},
		{"between", put(30, "min", "knockouts", 1, "condition_ast"), "/knockouts/1/condition_ast invalid_condition"},
		{"delta", put("x", "delta", "adjustments", 0), "/adjustments/0/delta wrong_type"},
		{"bin points", put("x", "points", "scorecard", "factors", 0, "bins", 0),
			"/scorecard/factors/0/bins/0/points wrong_type"},
		{"bin gap", put(0.4, "gte", "scorecard", "factors", 0, "bins", 1), "/scorecard/factors/0/bins/1 bin_gap"},
		{"bin overlap", put(0.4, "gte", "scorecard", "factors", 0, "bins", 2),
			"/scorecard/factors/0/bins/2 bin_overlap"},
		{"value twice", put([]any{"SALARIED"}, "in", "scorecard", "factors", 1, "bins", 1),
			"/scorecard/factors/1/bins/1 bin_overlap"},
		{"factor points", put("x", "points", "scorecard", "factors", 1, "bins", 2),
			"/scorecard/factors/1/bins/2/points wrong_type"},
		{"band overlap", put(710, "max_score", "pricing_bands", 1), "/pricing_bands/0 band_overlap"},
		{"band gap", put(590, "max_score", "pricing_bands", 2), "/pricing_bands/1 band_gap"},
		{"cap", put(7, "foir_cap", "pricing_bands", 0), "/pricing_bands/0/foir_cap out_of_range"},
		{"grade", put("a", "grade", "pricing_bands", 1), "/pricing_bands/1/grade invalid_field"},
		{"limits", put(10000, "max_limit", "pricing_bands", 1), "/pricing_bands/1/max_limit out_of_range"},
		{"fee", put(15000, "processing_fee_min", "pricing_bands", 0),
			"/pricing_bands/0/processing_fee_min out_of_range"},
		{"rate", put(101, "interest_rate", "pricing_bands", 0), "/pricing_bands/0/interest_rate out_of_range"},
		{"term", put("", "text", "conditions", 0), "/conditions/0/text required"},
		{"unknown", put(1, "knockoutz"), "/knockoutz unknown_field"},
	}
	return list
}

// faultsOf applies the mistakes to soundDocument and returns the faults that
// are reported for the result.
func faultsOf(t *testing.T, made ...mistake) []string {
	t.Helper()
	var document map[string]any
	if err := json.Unmarshal([]byte(soundDocument), &document); err != nil {
		t.Fatal(err)
	}
	for _, m := range made {
		m.make(document)
	}
	data, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	_, err = engine.ParsePolicy(data, engine.Sources{Catalogue: field.Catalogue()})
	var refusal *fault.Error
	if err != nil && !errors.As(err, &refusal) {
		t.Fatal(err)
	}
	var list []string
	if refusal != nil {
		for _, item := range refusal.Items {
			list = append(list, item.Pointer+" "+item.Code)
		}
	}
	return list
}

// TestNoFaultHidesAnother checks that any two mistakes in one document are both
// reported, and that all mistakes together are reported too. Otherwise an
// author would have to fix one fault to learn of the next.
func TestNoFaultHidesAnother(t *testing.T) {
	t.Parallel()
	if got := faultsOf(t); got != nil {
		t.Fatalf("the sound document is refused: %v", got)
	}
	all := mistakes()
	for i, m := range all {
		if got := faultsOf(t, m); !slices.Contains(got, m.want) {
			t.Errorf("%s: got %v, want %s", m.name, got, m.want)
		}
		for _, other := range all[i+1:] {
			got := faultsOf(t, m, other)
			for _, want := range []string{m.want, other.want} {
				if !slices.Contains(got, want) {
					t.Errorf("%s and %s: got %v, want %s", m.name, other.name, got, want)
				}
			}
		}
	}
	got := faultsOf(t, all...)
	for _, m := range all {
		if !slices.Contains(got, m.want) {
			t.Errorf("all together: %s is not told\n%s", m.want, strings.Join(got, "\n"))
		}
	}
	t.Logf("%d faults of %d mistakes", len(got), len(all))
}
