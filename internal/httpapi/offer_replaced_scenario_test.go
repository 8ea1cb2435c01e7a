package httpapi_test

import (
	"net/http"
	"testing"
	"time"
)

// TestReplacedOffer makes a second offer to the same person. Under a policy that counts earlier offers, the second
// offer replaces the first. The first offer then has no documents, and the person is told that it was replaced. Under
// another policy both offers stay valid.
func TestReplacedOffer(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		m.put("/v1/lender-profile", lenderProfile).want(http.StatusOK)
		offered := func(ref string, amount int) string {
			return m.post("/v1/decisions", asksFor(ref, amount)).want(http.StatusOK).is("status", "APPROVED").
				text("decision_id")
		}
		kfs := func(id string) answer { return m.get("/v1/decisions/" + id + "/kfs") }

		free := []string{offered("R-0", 100_000), offered("R-0", 110_000)}
		kfs(free[0]).want(http.StatusOK)
		kfs(free[1]).want(http.StatusOK)

		m.activate(m.draft(boundedPolicy))
		first := offered("R-1", 300_000)
		kfs(first).want(http.StatusOK)
		counter := offered("R-2", 900_000)
		m.get("/v1/decisions/" + counter + "/letter").want(http.StatusOK)
		s.begin(november.Add(time.Hour))
		second := offered("R-1", 310_000)
		offered("R-2", 200_000)
		kfs(first).refused(http.StatusGone, "offer_replaced")
		m.get("/v1/decisions/"+counter+"/letter").refused(http.StatusGone, "offer_replaced")
		kfs(second).want(http.StatusOK)
		kfs(free[0]).want(http.StatusOK)
		told := m.get("/v1/applicants/R-1?audience=applicant").want(http.StatusOK)
		if told.at("data", 0, "offer", "replaced") != true || told.at("data", 0, "offer", "valid_until") != nil ||
			told.at("data", 1, "offer", "replaced") != nil || told.at("data", 1, "offer", "valid_until") == nil {
			s.Errorf("the person is told %s", told.body)
		}

		// A reviewer declines the newer offer, so the first offer is valid again. Then a third offer replaces the
		// first offer, and booking the first offer causes a warning.
		m.post("/v1/decisions/"+second+"/review", `{"outcome":"overturned"}`).want(http.StatusCreated)
		kfs(first).want(http.StatusOK)
		third := offered("R-1", 320_000)
		loan := `{"applicant_ref":"R-1","decision_id":"` + first + `","outstanding":300000}`
		booked := m.post("/v1/exposures", loan, "Idempotency-Key: b").want(http.StatusOK)
		if textAt(booked, "warnings", 0, "code") != "replaced_offer" {
			s.Errorf("booking a replaced offer is answered with %s", booked.body)
		}
		kfs(first).want(http.StatusOK) // the statement now belongs to a booked loan
		kfs(third).want(http.StatusOK)
		again := m.post("/v1/exposures", loan, "Idempotency-Key: b").want(http.StatusOK)
		if textAt(again, "warnings", 0, "code") != "replaced_offer" {
			s.Errorf("the repetition is answered with %s", again.body)
		}
		plain := m.post("/v1/exposures", `{"applicant_ref":"R-0","decision_id":"`+free[0]+`","outstanding":1}`).
			want(http.StatusOK)
		if plain.at("warnings") != nil {
			s.Errorf("a loan under a policy that counts no offers is answered with %s", plain.body)
		}
	})
}

// TestDeclinedByPerson reviews a referral with the outcome "upheld". The referral then counts as a decline, both in
// the facts of the next decision and in what the applicant and the co-applicant are told.
func TestDeclinedByPerson(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		m.put("/v1/lender-profile", lenderProfile).want(http.StatusOK)
		body := `{"applicant_ref":"D-1","applicants":[{"role":"primary","monthly_income":85000,"foir":0.32,
			"requested_amount":300000,"bureau_report":{"score":781,"max_dpd_12m":40}},
			{"role":"co_applicant","applicant_ref":"D-2","monthly_income":50000,"foir":0.1,
			"bureau_report":{"score":790}}]}`
		referred := m.post("/v1/decisions", body).want(http.StatusOK)
		if referred.text("status") != "REFERRED" {
			s.Fatalf("the decision is %s", referred.body)
		}
		path := "/v1/decisions/" + referred.text("decision_id")
		m.post(path+"/review", `{"outcome":"upheld","reason_code":"INC_LOW"}`).want(http.StatusCreated)
		letter := m.get(path + "/letter").want(http.StatusOK)
		told := m.get("/v1/applicants/D-1?audience=applicant").want(http.StatusOK)
		if textAt(told, "data", 0, "status") != "REFERRED" || told.at("data", 0, "changed_by_review") != true ||
			textAt(told, "data", 0, "status_after_review") != "DECLINED" || len(told.list("data", 0, "reasons")) != 1 ||
			textAt(told, "data", 0, "reasons", 0) != textAt(letter, "reasons", 0) {
			s.Errorf("the person is told %s; the letter is %s", told.body, letter.body)
		}
		partner := func() answer { return m.get("/v1/applicants/D-2?audience=applicant").want(http.StatusOK) }
		if p := partner(); textAt(p, "other_roles", 0, "status_after_review") != "DECLINED" ||
			p.at("other_roles", 0, "changed_by_review") != true {
			s.Errorf("the co-applicant is told %s", p.body)
		}
		m.activate(m.draft(boundedPolicy))
		m.post("/v1/decisions", asksFor("D-1", 10_000)).want(http.StatusOK).
			is("facts.own_last_status", "DECLINED", "facts.own_declines_30d", 1.0)
		m.post(path+"/review", `{"outcome":"overturned"}`).want(http.StatusCreated)
		if p := partner(); textAt(p, "other_roles", 0, "status_after_review") != "APPROVED" {
			s.Errorf("after the approval the co-applicant is told %s", p.body)
		}
	})
}

// TestLetterOfCappedReferral approves a referral whose amount was limited by a limit cap. The letter contains the text
// of the cap.
func TestLetterOfCappedReferral(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		m.put("/v1/lender-profile", lenderProfile).want(http.StatusOK)
		m.activate(m.draft(`{"name":"capped","limit_caps":[{"id":"CAP_LTV","reason_code":"LTV",
			"applicant_message":"The price bounds the loan","of":{"value":60000}}]}`))
		referred := m.post("/v1/decisions",
			`{"applicant":{"monthly_income":85000,"foir":0.32,"requested_amount":300000},
			"bureau_report":{"score":781,"max_dpd_12m":40}}`).want(http.StatusOK).is("status", "REFERRED")
		path := "/v1/decisions/" + referred.text("decision_id")
		m.post(path+"/review", `{"outcome":"overturned"}`).want(http.StatusCreated)
		letter := m.get(path + "/letter").want(http.StatusOK)
		if len(letter.list("reasons")) != 1 || textAt(letter, "reasons", 0) != "The price bounds the loan" {
			s.Errorf("the letter is %s; the decision %s", letter.body, referred.body)
		}
	})
}
