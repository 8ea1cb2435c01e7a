package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"verdict/internal/tenant"
)

// applicantBody is an evaluate request with features and a fraud block. The applicant is declined, because the erasure
// of an applicant with an open offer would be deferred.
func applicantBody(applicant, account string) string {
	return `{"bureau":"cibil","report":{"cibil":{"scoreData":{"score":560},"reportDate":"2026-11-10",
		"enquiries":[{"date":"2026-11-03","product":"personal_loan"}]}},"features":true,"include":["facts"],
		"fraud":{"applicant_ref":"` + applicant + `","beneficiary_account":"` + account + `"}}`
}

// closeAlerts closes all alerts that are not closed.
func (m *member) closeAlerts() {
	m.Helper()
	for _, status := range []string{"open", "acknowledged"} {
		for _, found := range m.get("/v1/fraud/alerts?limit=200&status=" + status).want(http.StatusOK).list("data") {
			alert, _ := found.(map[string]any)
			id, _ := alert["id"].(string)
			m.send("PATCH", "/v1/fraud/alerts/"+id, m.key, `{"status":"closed","resolution":"false_positive"}`).
				want(http.StatusOK)
		}
	}
}

// TestErasure erases an applicant and reads everything about the applicant afterwards: each route answers
// with what remains or with 410, and none fails.
func TestErasure(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		const once = "Idempotency-Key: once"
		evaluated := m.post("/v1/evaluate", applicantBody("A-gone", "001122334455"), once).want(http.StatusOK)
		m.post("/v1/evaluate", applicantBody("A-stays", "001122334455")).want(http.StatusOK)
		id := evaluated.text("decision_id")
		run := m.post("/v1/agents/underwrite", `{"applicant":{"id":"A-gone"},"bureau_report":{"score":560}}`, once).
			want(http.StatusOK).text("run_id")
		m.closeAlerts()

		erase := `{"applicant_ref":"A-gone","reason":"applicant_request"}`
		receipt := m.post("/v1/erasures", erase, "Idempotency-Key: erase").want(http.StatusCreated)
		for member, want := range map[string]float64{
			"decisions": 2, "features": 1, "agent_runs": 1, "answers": 1, "alert_references": 1, "fraud_links": 1,
		} {
			if got := receipt.at("erased", member); got != want {
				s.Errorf("erased %s: %v, want %v", member, got, want)
			}
		}
		if receipt.at("state") != "completed" || receipt.at("beyond_recovery_at") != nil ||
			receipt.at("erased_at") == nil {
			s.Errorf("the receipt is %s", receipt.body)
		}
		again := m.post("/v1/erasures", erase, "Idempotency-Key: erase").want(http.StatusCreated)
		if string(again.body) != string(receipt.body) || again.header.Get("Idempotent-Replayed") != "true" {
			s.Errorf("the repeated answer is %s", again.body)
		}
		m.post("/v1/erasures", erase).refused(http.StatusNotFound, "not_found")
		replaced, _ := receipt.at("replaced_by", 0).(string)
		for _, ref := range []string{replaced, "hmac:" + strings.Repeat("0", 32)} {
			body := `{"applicant_ref":"` + ref + `","reason":"other"}`
			m.post("/v1/erasures", body).refused(http.StatusNotFound, "not_found")
			m.post("/v1/legal-holds", body).refused(http.StatusNotFound, "not_found")
			m.get("/v1/applicants/"+ref).refused(http.StatusNotFound, "not_found")
			for pointer, body := range map[string]string{ // refused, because it could not be erased later
				"/applicant_ref": `{"applicant_ref":"` + ref + `","bureau_report":{"score":742}}`,
				"/applicant/id":  `{"applicant":{"id":"` + ref + `"},"bureau_report":{"score":742}}`,
			} {
				m.post("/v1/decisions", body).refused(http.StatusUnprocessableEntity, "invalid_field").
					is("errors.0.pointer", pointer)
			}
		}
		if got := m.get(receipt.header.Get("Location")).want(http.StatusOK); string(got.body) != string(receipt.body) {
			s.Errorf("the receipt is read as %s", got.body)
		}

		read := m.get("/v1/decisions/" + id + "?include=facts").want(http.StatusOK)
		if len(read.list("inputs_erased")) != 4 || read.at("re_explanation", "verified") != nil ||
			read.at("facts") != nil ||
			read.at("status") != evaluated.at("status") || read.at("grade") != evaluated.at("grade") ||
			read.at("offer", "limit") != evaluated.at("offer", "limit") ||
			read.at("offer", "interest_rate") != evaluated.at("offer", "interest_rate") ||
			read.at("explanation", "final_score") != evaluated.at("explanation", "final_score") ||
			read.at("policy", "checksum") != evaluated.at("policy", "checksum") ||
			len(read.list("reasons")) != len(evaluated.list("reasons")) {
			s.Errorf("the erased decision is %s", read.body)
		}
		m.get("/v1/decisions/"+id+"/features").refused(http.StatusGone, "erased")
		m.get("/v1/agents/runs/"+run).refused(http.StatusGone, "erased")
		m.post("/v1/evaluate", applicantBody("A-gone", "001122334455"), once).refused(http.StatusGone, "erased")
		m.post("/v1/decisions/"+id+"/review", `{"outcome":"upheld"}`).want(http.StatusCreated)
		for _, list := range []string{
			"/v1/decisions", "/v1/agents/runs", "/v1/fraud/alerts", "/v1/events", "/v1/audit", "/v1/erasures",
		} {
			if got := m.get(list).want(http.StatusOK); strings.Contains(string(got.body), "A-gone") {
				s.Errorf("%s names the erased applicant: %s", list, got.body)
			}
		}
		if got := m.get("/v1/decisions?applicant_id=A-gone").want(http.StatusOK); len(got.list("data")) != 0 {
			s.Errorf("the list of the applicant is %s", got.body)
		}
		replaced, _ = receipt.at("replaced_by", 0).(string)
		if got := m.get("/v1/decisions?applicant_id=" + replaced).want(http.StatusOK); len(got.list("data")) != 2 {
			s.Errorf("the list of the replacement is %s", got.body)
		}
	})
}

// TestReturningMember erases an applicant who shares an account with others. When the reference comes back, the fraud
// counters recognise the person, so the number of counted people stays the same.
func TestReturningMember(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		count := func(got answer) float64 {
			s.Helper()
			for i := range got.list("fraud", "signals") {
				if got.at("fraud", "signals", i, "id") == "beneficiary_account_reuse" {
					n, _ := got.at("fraud", "signals", i, "value").(float64)
					return n
				}
			}
			s.Fatalf("there is no signal: %s", got.body)
			return 0
		}
		send := func(applicant string) answer {
			s.Helper()
			return m.post("/v1/evaluate", applicantBody(applicant, "001122334455")).want(http.StatusOK)
		}
		send("A-1")
		send("A-2")
		before := count(send("A-3"))
		m.closeAlerts()
		m.post("/v1/erasures", `{"applicant_ref":"A-2","reason":"other"}`).want(http.StatusCreated)
		if got := count(send("A-3")); got != before {
			s.Errorf("after the erasure %v people are counted, want %v", got, before)
		}
		if got := count(send("A-2")); got != before {
			s.Errorf("with the returning reference %v people are counted, want %v", got, before)
		}
		alerts := m.get("/v1/fraud/alerts").want(http.StatusOK)
		if strings.Contains(string(alerts.body), `"A-2"`) || len(alerts.list("data")) == 0 {
			s.Errorf("the alerts are %s", alerts.body)
		}
		m.closeAlerts()
		m.post("/v1/erasures", `{"applicant_ref":"A-2","reason":"other"}`).want(http.StatusCreated)
		if got := count(send("A-1")); got != before {
			s.Errorf("after the second erasure %v people are counted, want %v", got, before)
		}
	})
}

// TestErasureRefusals checks the refusals of bad requests, of keys without the scope, and of other tenants and
// environments.
func TestErasureRefusals(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		named := m.post("/v1/decisions", `{"applicant":{"id":"A-1"},"bureau_report":{"score":781}}`).want(http.StatusOK)
		for body, pointer := range map[string]string{
			`{"reason":"other"}`: "/applicant_ref",
			`{"applicant_ref":"A-1","decision_id":"dec_01KA2W4Q8N5T7XJ3RZB6MCDVHE","reason":"other"}`: "/decision_id",
			`{"applicant_ref":"A-1"}`:                                              "/reason",
			`{"applicant_ref":"A-1","reason":null}`:                                "/reason",
			`{"applicant_ref":7,"reason":"other"}`:                                 "/applicant_ref",
			`{"applicant_ref":"A-1","reason":"other","note":"x"}`:                  "/note",
			`{"decision_id":"` + named.text("decision_id") + `","reason":"other"}`: "/decision_id",
		} {
			got := m.post("/v1/erasures", body).want(http.StatusUnprocessableEntity)
			if got.at("errors", 0, "pointer") != pointer {
				s.Errorf("%s: %s", body, got.body)
			}
		}
		m.post("/v1/erasures", `{"decision_id":"dec_01KA2W4Q8N5T7XJ3RZB6MCDVHE","reason":"other"}`).
			refused(http.StatusNotFound, "not_found")
		m.get("/v1/erasures/era_01KA2W4Q8N5T7XJ3RZB6MCDVHE").refused(http.StatusNotFound, "not_found")
		m.get("/v1/erasures/x").refused(http.StatusNotFound, "not_found")
		unnamed := m.post("/v1/decisions", `{"bureau_report":{"score":560}}`).want(http.StatusOK).text("decision_id")
		erase := `{"decision_id":"` + unnamed + `","reason":"other"}`
		s.signup().post("/v1/erasures", erase).refused(http.StatusNotFound, "not_found")
		m.with(tenant.Live, tenant.Admin, m.userID).post("/v1/erasures", erase).
			refused(http.StatusNotFound, "not_found")
		if got := m.get("/v1/decisions/" + unnamed).want(http.StatusOK); got.at("inputs_erased") != nil {
			s.Errorf("others have erased the decision: %s", got.body)
		}
		m.post("/v1/erasures", erase).want(http.StatusCreated)
		less := m.with(tenant.Live, tenant.Read|tenant.Decide|tenant.FactsRead, m.userID)
		less.post("/v1/erasures", `{"applicant_ref":"A-1","reason":"other"}`).
			refused(http.StatusForbidden, "insufficient_scope")
		less.get("/v1/erasures").refused(http.StatusForbidden, "insufficient_scope")
		may := m.with(tenant.Live, tenant.PrivacyManage, m.userID)
		may.get("/v1/erasures").want(http.StatusOK)
		may.get("/v1/decisions").refused(http.StatusForbidden, "insufficient_scope")
	})
}

// TestErasureInOneEnvironment erases a reference in the sandbox. Live keeps its data and continues deciding.
func TestErasureInOneEnvironment(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		live := m.with(tenant.Live, tenant.Admin, m.userID)
		for _, set := range live.get("/v1/rule-sets").list("data") {
			if set, _ := set.(map[string]any); set["name"] != "SAFE_MODE" {
				id, _ := set["id"].(string)
				live.post("/v1/rule-sets/"+id+"/activate", "").want(http.StatusOK)
			}
		}
		body := `{"applicant":{"id":"A-both"},"bureau_report":{"score":560}}`
		here := m.post("/v1/decisions", body).want(http.StatusOK).text("decision_id")
		there := live.post("/v1/decisions", body).want(http.StatusOK).text("decision_id")
		m.post("/v1/erasures", `{"applicant_ref":"A-both","reason":"other"}`).want(http.StatusCreated)
		if got := m.get("/v1/decisions/" + here).want(http.StatusOK); len(got.list("inputs_erased")) == 0 {
			s.Errorf("the sandbox reads %s", got.body)
		}
		for range 2 {
			got := live.get("/v1/decisions/" + there).want(http.StatusOK)
			if got.at("re_explanation", "verified") != true || got.at("inputs_erased") != nil {
				s.Errorf("live reads %s", got.body)
			}
			there = live.post("/v1/decisions", body).want(http.StatusOK).text("decision_id")
		}
		if got := live.get("/v1/erasures").want(http.StatusOK); len(got.list("data")) != 0 {
			s.Errorf("live lists %s", got.body)
		}
	})
}
