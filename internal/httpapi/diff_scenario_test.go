package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestDifferenceOfRuleSets compares a draft with the active rule set for all applicants. It then decides the example
// applicant of a class under both rule sets.
func TestDifferenceOfRuleSets(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		same := m.post("/v1/rule-sets", `{"name":"only another name"}`).want(http.StatusCreated).text("id")
		m.post("/v1/rule-sets/"+same+"/diff", ``).want(http.StatusOK).is("equal", true, "complete", true,
			"rule_set_id", same, "against_rule_set_id", m.ruleSetID,
			"summary", "Both policies decide alike for every applicant.")

		draft := m.post("/v1/rule-sets", `{"name":"younger","patch":{"knockouts":{"set":[`+younger+`]}}}`).
			want(http.StatusCreated).text("id")
		found := m.post("/v1/rule-sets/"+draft+"/diff", `{"against":"active"}`).want(http.StatusOK)
		found.is("equal", false, "complete", true)
		found.isAt("changes", 0, "section", "knockouts", "change", "changed", "id", "KO_AGE_RANGE")
		// The draft allows every age from 19 on, while the active rule set allows only 21 to 60. So every change is
		// for the better.
		for i := range found.list("classes") {
			found.isAt("classes", i, "direction", "better", "confirmed", true, "realisable", true)
		}
		witness, err := json.Marshal(found.at("classes", 0, "witness"))
		if err != nil {
			s.Fatal(err)
		}
		var body map[string]any
		if err := json.Unmarshal(witness, &body); err != nil {
			s.Fatal(err)
		}
		for id, side := range map[string]string{m.ruleSetID: "from", draft: "to"} {
			body["rule_set_id"] = id
			request, err := json.Marshal(body)
			if err != nil {
				s.Fatal(err)
			}
			m.post("/v1/decisions/preview", string(request)).want(http.StatusOK).
				is("status", found.at("classes", 0, side, "status"))
		}

		// In the opposite direction, every change is for the worse.
		back := m.post("/v1/rule-sets/"+m.ruleSetID+"/diff", `{"against":"`+draft+`"}`).want(http.StatusOK)
		back.isAt("classes", 0, "direction", "worse")
		if got, want := len(back.list("classes")), len(found.list("classes")); got != want {
			s.Errorf("%d classes in one direction, %d in the other", want, got)
		}

		m.post("/v1/rule-sets/pol_00000000000000000000000000/diff", ``).want(http.StatusNotFound)
		m.post("/v1/rule-sets/"+draft+"/diff", `{"against":"pol_00000000000000000000000000"}`).want(http.StatusNotFound)
		m.post("/v1/rule-sets/"+draft+"/diff", `{"against":""}`).want(http.StatusUnprocessableEntity)
		m.post("/v1/rule-sets/"+draft+"/diff", `{"agianst":"active"}`).want(http.StatusUnprocessableEntity)
	})
}

// TestDifferenceOfUnreadableRuleSet compares a rule set whose stored document this service can no longer read. The
// answer is a conflict that names the rule set, never "equal" and never an internal error.
func TestDifferenceOfUnreadableRuleSet(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.SQLite(t)
	s := start(t, storetest.Open(t, databaseURL, store.Options{}), stackOptions{})
	m := s.signup()
	id := m.post("/v1/rule-sets", `{"name":"old"}`).want(http.StatusCreated).text("id")
	_, err := storetest.Raw(t, databaseURL).ExecContext(t.Context(), "UPDATE rule_sets SET document = $1 WHERE id = $2",
		[]byte(`{"name":"old","policy_key":"default","from":"another time"}`), id)
	if err != nil {
		t.Fatal(err)
	}
	for path, body := range map[string]string{
		"/v1/rule-sets/" + id + "/diff":          `{"population":{"synthetic":{"n":10,"seed":1}}}`,
		"/v1/rule-sets/" + m.ruleSetID + "/diff": `{"against":"` + id + `"}`,
	} {
		refusal := m.post(path, body).want(http.StatusConflict)
		refusal.is("code", "invalid_transition")
		if detail := refusal.text("detail"); !strings.Contains(detail, id) ||
			!strings.Contains(detail, "no longer valid") {
			t.Errorf("%s: %q", path, detail)
		}
	}
}
