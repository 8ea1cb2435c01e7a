package prover

import (
	"bytes"
	"testing"

	"verdict/internal/engine"
)

// TestACoApplicantOwesToo compares policies that limit the exposure of one person. The limit also counts for a
// co-applicant, so it matters even if the policy declines every applicant who owes something.
func TestACoApplicantOwesToo(t *testing.T) {
	t.Parallel()
	knockouts := []string{`"knockouts": [`, `"knockouts": [
		{"id": "KO_OWES", "condition_ast": {"op": "gt", "field": "own_outstanding", "value": 0}, "action": "decline",
		 "reason_code": "EXPOSURE_CAP"},
		{"id": "KO_OFFERED", "condition_ast": {"op": "gt", "field": "own_other_open_offer", "value": 0},
		 "action": "decline", "reason_code": "EXPOSURE_CAP"},`}
	bounded := append([]string{`"semantics": 2,`, `"semantics": 2, "exposure": {"max_total": 90000000},`}, knockouts...)
	r := diff(t, edited(t, knockouts...), edited(t, bounded...))
	if r.Equal || len(kindsOf(&r)) == 0 {
		t.Errorf("equal is %v: %s", r.Equal, r.Summary())
	}
	if !r.Complete {
		t.Errorf("not complete: %v", r.Incomplete)
	}
	document := bytes.Replace(engine.DefaultPolicyJSON(), []byte(`{`), []byte(`{"exposure": {"max_total": 500000},`), 1)
	p := guaranteed(t, document, `[{"id": "G_ROOM", "text": "Whoever owes nothing gets the usual loan",
		"when": {"op": "and", "args": [{"op": "eq", "field": "own_outstanding", "value": 0},
			{"op": "eq", "field": "own_other_open_offer", "value": 0}, {"op": "absent", "field": "foir_effective"},
			{"op": "absent", "field": "income_effective"}, {"op": "absent", "field": "requested_amount"}]},
		"never": {"op": "and", "args": [{"op": "eq", "field": "grade", "value": "A"},
			{"op": "lt", "field": "offer_limit", "value": 75000}]}}]`)
	if got := proveAll(t, p); got[0].Standing != Refuted {
		t.Errorf("a co-applicant who owes 480,000 leaves less: %s: %s", got[0].Standing, got[0].Sentence())
	}
}
