package prover

import (
	"bytes"
	"testing"

	"verdict/internal/engine"
)

// askingLess returns the condition that the requested amount is below a threshold.
func askingLess(below string) string {
	return `{"op": "lt", "field": "requested_amount", "value": ` + below + `}`
}

// TestNobodyAsksForAPartOfAPaisa proves a guarantee that holds only because the service rounds amounts to the paisa:
// it reads 99999.995 as 100000.
func TestNobodyAsksForAPartOfAPaisa(t *testing.T) {
	t.Parallel()
	document := func(below string) []byte {
		rules := `"knockouts": [
			{"id": "KO_ASKED", "condition_ast": ` + askingLess(below) + `, "action": "decline",
			"reason_code": "AMT_MIN"},`
		return bytes.Replace(engine.DefaultPolicyJSON(), []byte(`"knockouts": [`), []byte(rules), 1)
	}
	p := guaranteed(t, document("99999.995"), `[{"id": "G_ASKED", "text": "Who asks for less than 100,000 is declined",
		"when": `+askingLess("100000")+`, "never": {"op": "ne", "field": "status", "value": "DECLINED"}}]`)
	if got := proveAll(t, p); got[0].Standing != Proved {
		t.Errorf("%s: %s", got[0].Standing, got[0].Sentence())
	}
	if r := diff(t, plan(t, document("100000")), plan(t, document("99999.995"))); !r.Equal {
		t.Errorf("the policies decide every request alike: %s", r.Summary())
	}
	if r := diff(t, plan(t, document("100000")), plan(t, document("99999.985"))); r.Equal || len(kindsOf(&r)) == 0 {
		t.Errorf("a request of 99999.99 is decided otherwise: %s", r.Summary())
	}
}

// TestWhoIsNamedHasAHistory proves a guarantee that holds only because an applicant with a reference always has
// certain facts about the lender's own loans, such as own_outstanding.
func TestWhoIsNamedHasAHistory(t *testing.T) {
	t.Parallel()
	document := bytes.Replace(engine.DefaultPolicyJSON(), []byte(`{`), []byte(`{"exposure": {"max_total": 500000},`), 1)
	p := guaranteed(t, document, `[{"id": "G_OWN", "text": "Nobody gets an offer whose debt is unknown",
		"when": {"op": "absent", "field": "own_outstanding"},
		"never": {"op": "ne", "field": "status", "value": "DECLINED"}}]`)
	if got := proveAll(t, p); got[0].Standing != Proved {
		t.Errorf("%s: %s", got[0].Standing, got[0].Sentence())
	}
}

// TestWhoHasAHistoryHasAScore proves a guarantee that holds only because every applicant with a credit history
// (bureau_is_ntc is false) has a score.
func TestWhoHasAHistoryHasAScore(t *testing.T) {
	t.Parallel()
	p := guaranteed(t, engine.DefaultPolicyJSON(), `[{"id": "G_RATED",
		"text": "Nobody with a history and without a score gets an offer",
		"when": {"op": "and", "args": [{"op": "eq", "field": "bureau_is_ntc", "value": false},
			{"op": "absent", "field": "bureau_score"}]},
		"never": {"op": "ne", "field": "status", "value": "DECLINED"}}]`)
	if got := proveAll(t, p); got[0].Standing != Proved {
		t.Errorf("%s: %s", got[0].Standing, got[0].Sentence())
	}
}
