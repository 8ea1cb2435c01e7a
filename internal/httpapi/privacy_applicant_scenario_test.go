package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"verdict/internal/tenant"
)

// TestApplicant reads everything that is held about an applicant, page by page, and also in the form that is meant for
// the applicant.
func TestApplicant(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		const ref, path = "A/1 ü%", "/v1/applicants/A%2F1%20%C3%BC%25"
		var ids []any
		for range 3 {
			ids = append(ids, m.post("/v1/evaluate", applicantBody(ref, "001122334455")).want(http.StatusOK).
				text("decision_id"))
		}
		m.post("/v1/evaluate", applicantBody("A-2", "001122334455")).want(http.StatusOK)
		m.post(fmt.Sprint("/v1/decisions/", ids[1], "/review"), `{"outcome":"upheld","note":"seen"}`).
			want(http.StatusCreated)
		m.post("/v1/agents/collections", `{"loan":{"id":"L-1","principal_outstanding":182000,"overdue_amount":17930,
			"dpd":47},"borrower":{"ref":"`+ref+`"}}`).want(http.StatusOK)
		m.post("/v1/legal-holds", `{"applicant_ref":"`+ref+`","reason":"audit"}`).want(http.StatusCreated)
		m.post("/v1/erasures", `{"applicant_ref":"`+ref+`","reason":"other"}`).want(http.StatusAccepted)
		m.send("PUT", "/v1/retention", m.key, `{"zones":{"combined":{"period":"P5Y","basis":"legal_obligation"}}}`).
			want(http.StatusOK)

		got := m.get(path + "?limit=2&include=facts").want(http.StatusOK)
		if got.at("applicant_ref") != ref || got.at("decision_count") != 3.0 || len(got.list("data")) != 2 ||
			got.at("data", 0, "decision_id") != ids[0] || got.at("data", 1, "reviews", 0, "note") != "seen" ||
			got.at("data", 0, "facts") == nil || got.at("data", 0, "re_explanation", "verified") != true ||
			len(got.list("agent_runs")) != 1 || len(got.list("alerts")) == 0 || got.at("fraud_links") != true ||
			got.at("legal_holds", 0, "reason") != "audit" || got.at("erasure", "state") != "deferred" {
			s.Errorf("the first page is %s", got.body)
		}
		if zone := got.list("stored")[2].(map[string]any); zone["zone"] != "combined" || zone["period"] != "P5Y" ||
			zone["until"] != "2031-11-15T18:30:00.000Z" {
			s.Errorf("the zone is %v", zone)
		}
		m.send("PUT", "/v1/retention", m.key, `{"zones":{"response":{"period":"P1Y","basis":"legal_obligation"}}}`).
			want(http.StatusOK)
		for _, z := range m.get(path).want(http.StatusOK).list("stored") {
			zone, _ := z.(map[string]any)
			if ends := zone["until"] == "2027-11-15T18:30:00.000Z"; ends != (zone["zone"] != "agent_runs") {
				s.Errorf("with a period of the response: %v", zone)
			}
		}
		next := m.get(path + "?limit=2&include=facts&cursor=" + got.text("pagination", "next_cursor")).
			want(http.StatusOK)
		if len(next.list("data")) != 1 || next.at("data", 0, "decision_id") != ids[2] ||
			next.at("pagination", "has_next") != false {
			s.Errorf("the second page is %s", next.body)
		}

		own := m.get(path + "?audience=applicant").want(http.StatusOK)
		if len(own.list("data")) != 3 || own.at("data", 0, "status") != "DECLINED" ||
			own.at("erasure", "state") != "deferred" ||
			len(own.list("data", 0, "reasons")) == 0 {
			s.Errorf("for the applicant: %s", own.body)
		}
		for _, word := range []string{
			"final_score", "threshold", "rule", "CALL", "KO_", "FR_", "fraud", "alert", "legal_hold", "seen", "grade",
			"code", "device", "policy",
		} {
			if strings.Contains(string(own.body), word) {
				s.Errorf("for the applicant there is %q: %s", word, own.body)
			}
		}

		for _, nobody := range []string{"A-0", "%00", "%FF", strings.Repeat("x", 300), "erased:00"} {
			m.get("/v1/applicants/"+nobody).refused(http.StatusNotFound, "not_found")
		}
		m.get(path+"?audience=court").refused(http.StatusUnprocessableEntity, "invalid_field")
		m.with(tenant.Sandbox, tenant.PrivacyManage|tenant.Read, m.userID).get(path+"?include=facts").
			refused(http.StatusForbidden, "insufficient_scope")
		m.with(tenant.Sandbox, tenant.PrivacyManage|tenant.Read, m.userID).get(path).want(http.StatusOK)
		for _, less := range []tenant.Scopes{tenant.PrivacyManage, tenant.Read | tenant.FactsRead} {
			m.with(tenant.Sandbox, less, m.userID).get(path).refused(http.StatusForbidden, "insufficient_scope")
		}
		stranger := s.signup()
		stranger.get(path).refused(http.StatusNotFound, "not_found")
		stranger.post("/v1/evaluate", applicantBody(ref, "001122334455")).want(http.StatusOK)
		stranger.get(path+"?limit=2&cursor="+got.text("pagination", "next_cursor")).
			refused(http.StatusBadRequest, "invalid_cursor")
		audit := m.get("/v1/audit?action=applicant.read").want(http.StatusOK)
		if len(audit.list("data")) != 5 || strings.Contains(string(audit.body), "A/1") {
			s.Errorf("the audit trail has %s", audit.body)
		}
	})
}

// TestApplicantOffers checks which offers an applicant is shown. The offer of an approval is shown until a person
// overturns the decision. The offer of a referral is shown only after a person has overturned it.
func TestApplicantOffers(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		const approved = `{"applicant":{"id":"A-3","monthly_income":85000,"foir":0.32,"requested_amount":300000},
			"bureau_report":{"score":781,"max_dpd_12m":0}}`
		first := m.post("/v1/decisions", approved).want(http.StatusOK).is("status", "APPROVED").text("decision_id")
		second := m.post("/v1/decisions", strings.Replace(approved, `"max_dpd_12m":0`, `"max_dpd_12m":40`, 1)).
			want(http.StatusOK).is("status", "REFERRED").text("decision_id")
		offers := func() (ofApproval, ofReferral any) {
			shown := m.get("/v1/applicants/A-3?audience=applicant").want(http.StatusOK)
			return shown.at("data", 0, "offer"), shown.at("data", 1, "offer")
		}
		if ofApproval, ofReferral := offers(); ofApproval == nil || ofReferral != nil {
			s.Errorf("the offers are %v and, of a referral, %v", ofApproval, ofReferral)
		}
		for _, id := range []string{first, second} {
			m.post("/v1/decisions/"+id+"/review", `{"outcome":"overturned","note":"seen"}`).want(http.StatusCreated)
		}
		if ofApproval, ofReferral := offers(); ofApproval != nil || ofReferral == nil {
			s.Errorf("after the reviews, the offers are %v and, of the referral, %v", ofApproval, ofReferral)
		}
	})
}

// TestRetentionRequests sets periods, reads them, and sends bad ones.
func TestRetentionRequests(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		none := m.get("/v1/retention").want(http.StatusOK)
		if none.at("version") != 0.0 || none.at("zones", "combined", "period") != nil ||
			none.header.Get("ETag") != `"0"` {
			s.Errorf("without periods: %s", none.body)
		}
		put := func(body string, headers ...string) answer {
			s.Helper()
			return m.send("PUT", "/v1/retention", m.key, body, headers...)
		}
		set := put(`{"zones":{"history":{"period":"P90D","basis":"consent"},"features":null}}`).want(http.StatusOK)
		if set.at("version") != 1.0 || set.at("zones", "history", "period") != "P90D" ||
			set.at("zones", "history", "basis") != "consent" || set.at("zones", "features", "period") != nil ||
			set.at("zones", "history", "applies_from") == nil || set.at("zones", "history", "due") != 0.0 {
			s.Errorf("set: %s", set.body)
		}
		if got := m.get("/v1/retention").want(http.StatusOK); string(got.body) != string(set.body) {
			s.Errorf("read: %s", got.body)
		}
		put(`{"zones":{}}`, `If-Match: "0"`).refused(http.StatusPreconditionFailed, "precondition_failed")
		for body, pointer := range map[string]string{
			`{}`:                       "/zones",
			`{"zones":[]}`:             "/zones",
			`{"zones":{"combined":5}}`: "/zones/combined",
			`{"zones":{"combined":{"basis":"consent"}}}`:                      "/zones/combined/period",
			`{"zones":{"combined":{"period":"P1Y"}}}`:                         "/zones/combined/basis",
			`{"zones":{"combined":{"period":"P0D","basis":"consent"}}}`:       "/zones/combined/period",
			`{"zones":{"combined":{"period":"PT1H","basis":"consent"}}}`:      "/zones/combined/period",
			`{"zones":{"combined":{"period":"-P1Y","basis":"consent"}}}`:      "/zones/combined/period",
			`{"zones":{"combined":{"period":"P10000Y","basis":"consent"}}}`:   "/zones/combined/period",
			`{"zones":{"combined":{"period":5,"basis":"consent"}}}`:           "/zones/combined/period",
			`{"zones":{"combined":{"period":"P1Y","basis":"x"}}}`:             "/zones/combined/basis",
			`{"zones":{"combined":{"period":"P1Y","basis":"consent","x":1}}}`: "/zones/combined/x",
			`{"zones":{"location":{"period":"P1Y","basis":"consent"}}}`:       "/zones/location",
			`{"zones":{"everything":{"period":"P1Y","basis":"consent"}}}`:     "/zones/everything",
			`{"zones":{},"version":1}`:                                        "/version",
		} {
			got := put(body).want(http.StatusUnprocessableEntity)
			if got.at("errors", 0, "pointer") != pointer {
				s.Errorf("%s: %s", body, got.body)
			}
		}
		less := m.with(tenant.Sandbox, tenant.Read|tenant.PolicyWrite, m.userID)
		less.get("/v1/retention").refused(http.StatusForbidden, "insufficient_scope")
		less.send("PUT", "/v1/retention", less.key, `{"zones":{}}`).refused(http.StatusForbidden, "insufficient_scope")
		put(`{"zones":{}}`, `If-Match: "1"`).want(http.StatusOK)
	})
}
