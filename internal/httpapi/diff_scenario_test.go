package httpapi_test

import (
	"encoding/json"
	"net/http"
	"testing"
)

// TestDifferenceOfRuleSets compares a draft with the active rule set for all applicants, and decides the applicant of a
// class under both.
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
		// The draft declines nobody older than 60 and approves from 19 on, so every change is for the better.
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

		// The other way round everything is worse.
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
