package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"verdict/internal/offer"
	"verdict/internal/tenant"
)

const lenderProfile = `{"name":"Asha Finance","address":"12 Lake Road\nPune","cooling_off_days":3,"transferable":false,
	"grievance":{"name":"Asha officer","phone":"020 5550 1234","email":"complaints@asha.example"},
	"holidays":["2026-11-17"],
	"texts":{"en":{"note":"<script>alert(1)</script>"},"hi":{"name":"आशा फ़ाइनेंस"}}}`

// TestLenderProfile stores versions of the profile and reads them.
func TestLenderProfile(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		const at = "/v1/lender-profile"
		m.get(at).refused(http.StatusNotFound, "not_found")
		m.put(at, lenderProfile, `If-Match: "1"`).refused(http.StatusPreconditionFailed, "precondition_failed")
		first := m.put(at, lenderProfile, "If-None-Match: *").want(http.StatusOK).is("version", 1.0)
		if first.header.Get("Etag") != `"1"` {
			s.Errorf("the ETag is %s", first.header.Get("Etag"))
		}
		m.put(at, lenderProfile, "If-None-Match: *").refused(http.StatusPreconditionFailed, "precondition_failed")
		m.put(at, string(first.body), `If-Match: "1"`).want(http.StatusOK).is("version", 2.0)
		m.get(at).want(http.StatusOK).is("version", 2.0).is("name", "Asha Finance")
		m.get(at+"?version=1").want(http.StatusOK).is("version", 1.0)
		m.get(at+"?version=3").refused(http.StatusNotFound, "not_found")
		faults := m.put(at, `{"name":"","address":"Pune","cooling_off_days":0,"texts":{"xx":{}}}`).
			refused(http.StatusUnprocessableEntity, "invalid_field").pointers()
		for _, pointer := range []string{"/name", "/cooling_off_days", "/transferable", "/grievance", "/texts/xx"} {
			if !strings.Contains(strings.Join(faults, " "), pointer) {
				s.Errorf("no fault at %s: %v", pointer, faults)
			}
		}
		reader := m.with(tenant.Sandbox, tenant.Decide, m.userID)
		reader.put(at, lenderProfile).refused(http.StatusForbidden, "insufficient_scope")
		reader.get(at).refused(http.StatusForbidden, "insufficient_scope")
	})
}

// TestKeyFactsStatement checks the statement and the letter of decisions of every outcome.
func TestKeyFactsStatement(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		before := m.post("/v1/decisions", sample).want(http.StatusOK).text("decision_id")
		kfs := func(id, query string) string { return "/v1/decisions/" + id + "/kfs" + query }
		letter := func(id, query string) string { return "/v1/decisions/" + id + "/letter" + query }
		m.get(kfs(before, "")).refused(http.StatusConflict, "lender_profile_missing")
		m.put("/v1/lender-profile", lenderProfile).want(http.StatusOK)
		m.put("/v1/lender-profile", strings.Replace(lenderProfile, "Asha Finance", "Asha Second", 1)).
			want(http.StatusOK)
		s.clock.advance(time.Second)
		after := m.post("/v1/decisions", sample).want(http.StatusOK)
		if got := m.get(kfs(before, "")).want(http.StatusOK); got.at("lender", "profile_version") != 1.0 {
			s.Errorf("a decision from before the first profile has %v", got.at("lender"))
		}
		statement := m.get(kfs(after.text("decision_id"), "")).want(http.StatusOK)
		for _, name := range []string{"net_disbursed", "apr", "total_interest", "total_payable"} {
			if got, want := statement.at("apr_computation", name), after.at("offer", name); got != want {
				s.Errorf("%s is %v, want %v", name, got, want)
			}
		}
		rows := statement.list("schedule")
		last := float64(len(rows))
		if statement.at("lender", "name") != "Asha Second" || after.at("offer", "tenure_months") != last ||
			statement.at("schedule", len(rows)-1, "instalment") != after.at("offer", "last_emi") {
			s.Errorf("the statement is %s", statement.body)
		}
		run := m.post("/v1/agents/underwrite", strings.Replace(sample, "A-1", "A-9", 1)).want(http.StatusOK)
		if got := m.get(kfs(textAt(run, "decision", "decision_id"), "")); got.at("lender", "profile_version") != 2.0 {
			s.Errorf("the decision of an agent has %s", got.body)
		}
		s.checkFormats(m, kfs(after.text("decision_id"), ""), `lang="en"`, "Key Facts Statement")
		hindi := string(m.get(kfs(after.text("decision_id"), "?lang=hi&format=html")).want(http.StatusOK).body)
		if !strings.Contains(hindi, "मुख्य तथ्य विवरण") || !strings.Contains(hindi, "आशा फ़ाइनेंस") {
			s.Error("the page is not in Hindi")
		}
		m.get(kfs(before, "?lang=xx")).refused(http.StatusUnprocessableEntity, "invalid_field")
		m.get(kfs(before, "?disbursed_on=tomorrow")).refused(http.StatusUnprocessableEntity, "invalid_field")
		m.get(kfs(before, "?disbursed_on=2026-11-01")).refused(http.StatusUnprocessableEntity, "invalid_field")
		m.get(kfs(before, "?disbursed_on=2028-11-01")).refused(http.StatusUnprocessableEntity, "invalid_field")
		m.get(kfs(before, "?disbursed_on=2026-11-30")).want(http.StatusOK).is("disbursed_on", "2026-11-30")
		full := m.post("/v1/decisions", strings.Replace(sample, "600000", "300000", 1)).want(http.StatusOK)
		m.get(letter(full.text("decision_id"), "")).refused(http.StatusConflict, "no_letter")

		declined := m.post("/v1/decisions", `{"applicant":{"id":"A-2"},"bureau_report":{"score":560}}`).
			want(http.StatusOK).
			is("status", "DECLINED").text("decision_id")
		m.get(kfs(declined, "")).refused(http.StatusConflict, "no_offer")
		told := m.get(letter(declined, "?lang=hi")).want(http.StatusOK).is("kind", "decline")
		if strings.Contains(string(told.body), "BUR_") || strings.Contains(string(told.body), "560") {
			s.Errorf("the letter has a code or a value: %s", told.body)
		}
		s.checkFormats(m, letter(declined, ""), `lang="en"`, "Your application for a loan")

		counter := after.text("decision_id")
		m.get(letter(counter, "")).want(http.StatusOK).is("kind", "counter_offer", "offer.requested_amount", 600000)

		referred := m.post("/v1/decisions", `{"applicant":{"id":"A-3"},"bureau_report":{"score":-1}}`).
			want(http.StatusOK).
			is("status", "REFERRED").text("decision_id")
		m.get(kfs(referred, "")).refused(http.StatusConflict, "no_offer")
		m.get(letter(referred, "")).refused(http.StatusConflict, "no_letter")
		m.post("/v1/decisions/"+referred+"/review", `{"outcome":"more_information"}`).want(http.StatusCreated)
		m.get(kfs(referred, "")).refused(http.StatusConflict, "no_offer")
		s.clock.advance(time.Second)
		m.post("/v1/decisions/"+referred+"/review", `{"outcome":"overturned"}`).want(http.StatusCreated)
		m.get(kfs(referred, "")).want(http.StatusOK)
		s.clock.advance(time.Second)
		m.post("/v1/decisions/"+referred+"/review", `{"outcome":"upheld","reason_code":"INC_LOW"}`).
			want(http.StatusCreated)
		m.get(kfs(referred, "")).refused(http.StatusConflict, "no_offer")
		m.get(letter(referred, "")).want(http.StatusOK).is("kind", "decline").
			is("reasons.0", "The income is low for this loan")

		// The policy's offers are valid for three days, not counting Sundays. A holiday adds a day.
		s.begin(november.Add(4 * 24 * time.Hour))
		m.get(kfs(before, "")).want(http.StatusOK).is("disbursed_on", "2026-11-19")
		s.begin(november.Add(6 * 24 * time.Hour))
		m.get(kfs(before, "")).refused(http.StatusGone, "offer_expired")
		m.get(letter(counter, "")).refused(http.StatusGone, "offer_expired")
		m.get(letter(declined, "")).want(http.StatusOK)
		m.post("/v1/erasures", `{"applicant_ref":"A-2","reason":"applicant_request"}`).want(http.StatusCreated)
		m.get(letter(declined, "")).refused(http.StatusGone, "erased")
		m.get(kfs("dec_01KA2W4Q8N5T7XJ3RZB6MCDVHE", "")).refused(http.StatusNotFound, "not_found")
	})
}

// TestLateReview checks the documents of a referral. A reviewer approves it after the offer's own validity has ended,
// and later declines it without a reason code.
func TestLateReview(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		m.put("/v1/lender-profile", lenderProfile).want(http.StatusOK)
		referred := "/v1/decisions/" +
			m.post("/v1/decisions", `{"applicant":{"id":"A-3"},"bureau_report":{"score":-1}}`).
				want(http.StatusOK).is("status", "REFERRED").text("decision_id")
		s.begin(november.Add(15 * 24 * time.Hour)) // Monday, 30 November
		m.post(referred+"/review", `{"outcome":"overturned"}`).want(http.StatusCreated)
		m.get(referred+"/kfs").want(http.StatusOK).is("issued_on", "2026-11-30").is("disbursed_on", "2026-11-30").
			is("valid_until", "2026-12-03T18:29:59Z")
		s.begin(november.Add(19 * 24 * time.Hour))
		m.get(referred+"/kfs").refused(http.StatusGone, "offer_expired")
		m.post(referred+"/review", `{"outcome":"upheld"}`).want(http.StatusCreated)
		told := m.get(referred+"/letter").want(http.StatusOK).is("kind", "decline").is("date", "2026-12-04")
		if text := told.text("text"); len(told.list("reasons")) != 0 ||
			!strings.Contains(text, "of 15 November 2026") ||
			!strings.Contains(text, "After a review of your application by a person") {
			s.Errorf("the letter of a decline without a reason code is %s", told.body)
		}
	})
}

// checkFormats checks that a document is JSON unless the query or the Accept header asks for HTML. The page must have
// its own Content-Security-Policy and no script.
func (s *stack) checkFormats(m *member, path string, want ...string) {
	s.Helper()
	const browser = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	for _, html := range []answer{m.get(path + "?format=html"), m.get(path, "Accept: text/html"),
		m.get(path, browser)} {
		html.want(http.StatusOK)
		if html.header.Get("Content-Type") != "text/html; charset=utf-8" ||
			html.header.Get("Content-Security-Policy") != offer.ContentPolicy ||
			strings.Contains(string(html.body), "<script") {
			s.Errorf("%s is answered with %v", path, html.header)
		}
		for _, text := range want {
			if !strings.Contains(string(html.body), text) {
				s.Errorf("%s lacks %s", path, text)
			}
		}
	}
	for _, accept := range []string{"Accept: application/json", "Accept: */*", "Accept: text/html, application/json"} {
		if got := m.get(path, accept).want(http.StatusOK); got.header.Get("Content-Type") != "application/json" {
			s.Errorf("%s with %s is answered with %s", path, accept, got.header.Get("Content-Type"))
		}
	}
	m.get(path, "Accept: text/csv").refused(http.StatusNotAcceptable, "not_acceptable")
	for _, accept := range []string{"Accept: text/html", "Accept: application/json", "Accept: */*"} {
		got := m.get(path, accept).header.Get("Vary")
		if got != "Accept" && got != "Accept, Accept-Encoding" {
			s.Errorf("%s with %s varies by %q", path, accept, got)
		}
	}
	// A refusal has the format that was asked for.
	for _, page := range []answer{
		m.get(path+"?lang=xx", "Accept: text/html").want(http.StatusUnprocessableEntity),
		m.get(path + "?lang=xx&format=html").want(http.StatusUnprocessableEntity),
		m.get("/v1/decisions/dec_01KA2W4Q8N5T7XJ3RZB6MCDVHE/kfs", browser).want(http.StatusNotFound),
	} {
		if page.header.Get("Content-Type") != "text/html; charset=utf-8" ||
			page.header.Get("Content-Security-Policy") != offer.ContentPolicy ||
			!strings.Contains(string(page.body), page.header.Get("X-Request-Id")) {
			s.Errorf("the refusal is %v: %s", page.header, page.body)
		}
	}
	m.get(path+"?lang=xx&format=json", browser).refused(http.StatusUnprocessableEntity, "invalid_field")
}

// TestReviewStatesThePolicysText checks that the letter of a decline by a person has the policy's own text for the
// reason code, although no rule of the policy hit.
func TestReviewStatesThePolicysText(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		m.put("/v1/lender-profile", lenderProfile).want(http.StatusOK)
		m.activate(m.draft(`{"name":"own texts","patch":{"knockouts":{"set":[
			{"id":"KO_PAPERS","stage":1,"reason_code":"PAPERS","applicant_message":"Papers are missing",
				"condition_ast":{"op":"gt","field":"enquiries_6m","value":90}},
			{"id":"KO_ONE","stage":1,"reason_code":"TWO_TEXTS","applicant_message":"One",
				"condition_ast":{"op":"gt","field":"enquiries_6m","value":91}},
			{"id":"KO_TWO","stage":1,"reason_code":"TWO_TEXTS","applicant_message":"Two",
				"condition_ast":{"op":"gt","field":"enquiries_6m","value":92}}]}}}`))
		referred := "/v1/decisions/" +
			m.post("/v1/decisions", `{"applicant":{"id":"A-3"},"bureau_report":{"score":-1}}`).
				want(http.StatusOK).is("status", "REFERRED").text("decision_id")
		for code, want := range map[string]string{
			"PAPERS":    "Papers are missing",
			"TWO_TEXTS": "A detail of the application does not fit this loan",
			"INC_LOW":   "The income is low for this loan",
		} {
			s.clock.advance(time.Second)
			m.post(referred+"/review", `{"outcome":"upheld","reason_code":"`+code+`"}`).want(http.StatusCreated)
			m.get(referred+"/letter").want(http.StatusOK).is("reasons.0", want)
		}
	})
}

// TestOtherTermHasALetter checks that an offer has a letter if its term differs from the requested term.
func TestOtherTermHasALetter(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		m.put("/v1/lender-profile", lenderProfile).want(http.StatusOK)
		body := strings.Replace(sample, `"requested_amount":600000`, `"requested_amount":300000,"tenure_months":7`, 1)
		made := m.post("/v1/decisions", body).want(http.StatusOK).is("status", "APPROVED").
			is("offer.is_counter_offer", false)
		m.get("/v1/decisions/"+made.text("decision_id")+"/letter").want(http.StatusOK).is("kind", "counter_offer").
			is("reasons.0", "The term asked for is not available for this loan").
			is("offer.term_months", made.at("offer", "tenure_months"))
	})
}
