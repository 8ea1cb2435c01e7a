package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestRefusalsOfDocuments checks the refusals of documents that a decision does not have. Each refusal says how the
// decision ended and what to do instead. The reason is the same whether or not a lender profile is stored.
func TestRefusalsOfDocuments(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		decide := func(document, status string) (path string) {
			return "/v1/decisions/" + m.post("/v1/decisions", document).want(http.StatusOK).is("status", status).
				text("decision_id")
		}
		refused := func(path string, status int, code, detail string) {
			s.Helper()
			if got := m.get(path).refused(status, code).text("detail"); !strings.Contains(got, detail) {
				s.Errorf("%s: %q, want %q", path, got, detail)
			}
		}
		full := decide(`{"applicant":{"id":"A-1","monthly_income":85000,"foir":0.32,"requested_amount":100000},
			"bureau_report":{"score":742,"enquiries_6m":1,"active_tradelines":3,"max_dpd_12m":0}}`, "APPROVED")
		declined := decide(`{"applicant":{"id":"A-2"},"bureau_report":{"score":560}}`, "DECLINED")
		referred := decide(`{"applicant":{"id":"A-3"},"bureau_report":{"score":-1}}`, "REFERRED")
		for range 2 {
			refused(full+"/letter", http.StatusConflict, "no_letter", "offers what was asked for")
			refused(referred+"/letter", http.StatusConflict, "no_letter", "still waits for a person")
			refused(declined+"/kfs", http.StatusConflict, "no_offer", "is a decline")
			refused(referred+"/kfs", http.StatusConflict, "no_offer", "still waits for a person")
			if m.get(full+"/kfs").status == http.StatusOK {
				break
			}
			refused(full+"/kfs", http.StatusConflict, "lender_profile_missing", "PUT /v1/lender-profile")
			refused(declined+"/letter", http.StatusConflict, "lender_profile_missing", "PUT /v1/lender-profile")
			m.put("/v1/lender-profile", lenderProfile).want(http.StatusOK)
		}
		m.post(referred+"/review", `{"outcome":"upheld"}`).want(http.StatusCreated)
		refused(referred+"/kfs", http.StatusConflict, "no_offer", "a person has declined")
		m.post(declined+"/review", `{"outcome":"overturned"}`).want(http.StatusCreated)
		refused(declined+"/kfs", http.StatusConflict, "no_offer", "decide the application again")
		refused(declined+"/letter", http.StatusConflict, "no_letter", "decide the application again")

		until := m.get(full + "/kfs").want(http.StatusOK).text("valid_until")
		s.begin(november.Add(30 * 24 * time.Hour))
		refused(full+"/kfs", http.StatusGone, "offer_expired", "could be accepted until "+until)
	})
}
