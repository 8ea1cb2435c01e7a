package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"
)

// boundedPolicy is a draft whose offers are bounded by what the applicant owes.
const boundedPolicy = `{"name":"bounded","exposure":{"max_total":400000},"patch":{"knockouts":{"set":[
	{"id":"KO_AGAIN","stage":1,"condition_ast":{"op":"gt","field":"own_declines_30d","value":3}}]}}}`

// asksFor returns an application of a person for an amount.
func asksFor(ref string, amount int) string {
	return fmt.Sprintf(`{"applicant_ref":%q,"applicant":{"monthly_income":850000,"foir":0.1,"requested_amount":%d},
		"bureau_report":{"score":860,"enquiries_6m":0,"active_tradelines":4,"max_dpd_12m":0},
		"include":["facts"]}`, ref, amount)
}

// TestExposures reports loans over the API, and decides under a policy whose offers are bounded by these loans.
func TestExposures(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		draft := m.post("/v1/rule-sets", boundedPolicy).want(http.StatusCreated)
		m.post("/v1/rule-sets/"+draft.text("id")+"/activate", "{}").want(http.StatusOK)

		first := m.post("/v1/decisions", asksFor("P-1", 300_000)).want(http.StatusOK)
		first.is("status", "APPROVED")
		loan := m.post("/v1/exposures", `{"applicant_ref":"P-1","decision_id":"`+first.text("decision_id")+`",
			"product":"personal","outstanding":250000.50,"emi":9000,"dpd":4}`, "Idempotency-Key: e").want(http.StatusOK)
		loan.is("outstanding", 250000.5)
		loan.is("closed", false)
		again := m.post("/v1/exposures", `{"applicant_ref":"P-1","decision_id":"`+first.text("decision_id")+`",
			"product":"personal","outstanding":250000.50,"emi":9000,"dpd":4}`, "Idempotency-Key: e").want(http.StatusOK)
		if again.header.Get("Idempotent-Replayed") != "true" || again.text("id") != loan.text("id") {
			s.Errorf("the repetition is answered with %s", again.body)
		}

		second := m.post("/v1/decisions", asksFor("P-1", 300_000+1000)).want(http.StatusOK)
		if second.at("offer", "limit") != 149000.0 || second.at("offer", "binding_constraint") != "exposure_cap" ||
			textAt(second, "reasons", 0, "code") != "EXPOSURE_CAP" ||
			second.at("facts", "own_outstanding") != 250000.5 || second.at("facts", "own_max_dpd") != 4.0 {
			s.Errorf("the second offer is %s", second.body)
		}
		shown := m.get("/v1/decisions/" + second.text("decision_id")).want(http.StatusOK)
		if shown.at("re_explanation", "verified") != true {
			s.Errorf("the second decision is %s", shown.body)
		}
		nobody := m.post("/v1/decisions",
			`{"applicant":{"monthly_income":850000,"foir":0.1},"bureau_report":{"score":860}}`).
			want(http.StatusOK)
		if nobody.text("status") != "DECLINED" || textAt(nobody, "reasons", 0, "code") != "MISSING_REQUIRED_INPUT" {
			s.Errorf("without a reference the decision is %s", nobody.body)
		}

		page := m.get("/v1/exposures?applicant_ref=P-1").want(http.StatusOK)
		if textAt(page, "data", 0, "id") != loan.text("id") {
			s.Errorf("listed are %s", page.body)
		}
		ends := `{"applicant_ref":"P-1","decision_id":"` + first.text("decision_id") + `","closed":true}`
		m.post("/v1/exposures", ends).want(http.StatusOK).is("closed", true)
		m.post("/v1/exposures", ends).want(http.StatusOK).is("closed", true)
		m.post("/v1/exposures",
			`{"applicant_ref":"P-1","decision_id":"`+first.text("decision_id")+`","outstanding":5}`).
			refused(http.StatusConflict, "invalid_transition")

		stranger := s.signup()
		stranger.post("/v1/exposures", ends).refused(http.StatusUnprocessableEntity, "invalid_field")
		if other := stranger.get("/v1/exposures?applicant_ref=P-1").want(http.StatusOK); len(listAt(other)) != 0 {
			s.Errorf("another tenant sees %s", other.body)
		}
	})
}

// listAt returns the entries of a list.
func listAt(a answer) []any {
	list, _ := a.at("data").([]any)
	return list
}

// TestBadExposures sends reports that cannot be stored. No answer repeats a value.
func TestBadExposures(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for _, c := range [][2]string{
			{`{}`, "invalid_field"},
			{`{"applicant_ref":"P","product":"p","outstanding":"many"}`, "invalid_field"},
			{`{"applicant_ref":"P","product":"p","outstanding":-1}`, "invalid_field"},
			{`{"applicant_ref":"P","product":"p","outstanding":1,"dpd":1.5}`, "invalid_field"},
			{`{"applicant_ref":"P","product":"p","outstanding":1,"closed":true}`, "invalid_field"},
			{`{"applicant_ref":"P","product":"p","outstanding":1,"colour":"red"}`, "unknown_field"},
			{`{"applicant_ref":"P","decision_id":"dec_01KA2W4Q8N5T7XJ3RZB6MCDVHE","outstanding":1}`, "invalid_field"},
			{`{"applicant_ref":"P","decision_id":"nothing","outstanding":1}`, "invalid_field"},
			{`{"applicant_ref":"hmac:0123456789abcdef0123456789abcdef","product":"p","outstanding":424242}`,
				"invalid_field"},
		} {
			body, code := c[0], c[1]
			m.post("/v1/exposures", body).refused(http.StatusUnprocessableEntity, code)
		}
		m.post("/v1/exposures", `{"applicant_ref":"P","product":"p","closed":true}`).
			refused(http.StatusNotFound, "not_found")
		for _, ref := range []string{" ", " P", "P\\t"} {
			m.post("/v1/decisions", `{"applicant_ref":"`+ref+`","bureau_report":{"score":700}}`).
				refused(http.StatusUnprocessableEntity, "invalid_field").is("errors.0.pointer", "/applicant_ref")
		}
		m.post("/v1/decisions", `{"applicant_ref":7,"bureau_report":{"score":700}}`).
			refused(http.StatusUnprocessableEntity, "invalid_field")
	})
}
