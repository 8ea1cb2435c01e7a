package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

// TestDeferredErasure asks for the erasure of a person with an open offer, an open alert and a legal hold. The answer
// is 202 and says what the erasure waits for. Once all of them have ended, the same request erases the person.
func TestDeferredErasure(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		for _, person := range []string{"A-1", "A-2"} {
			m.post("/v1/evaluate", strings.Replace(applicantBody(person, "001122334455"), "560", "781", 1)).
				want(http.StatusOK)
		}
		hold := m.post("/v1/legal-holds", `{"applicant_ref":"A-1","reason":"regulator_request"}`, "Idempotency-Key: h").
			want(http.StatusCreated)
		erase := `{"applicant_ref":"A-1","reason":"consent_withdrawn"}`
		deferred := func(basis ...any) answer {
			s.Helper()
			got := m.post("/v1/erasures", erase).want(http.StatusAccepted)
			list := got.list("basis")
			same := len(list) == len(basis) && got.at("state") == "deferred" && got.at("erased_at") == nil &&
				got.header.Get("Location") == "/v1/erasures/"+got.text("id")
			for i := range basis {
				same = same && list[i] == basis[i]
			}
			if !same {
				s.Errorf("the answer is %s, want %v", got.body, basis)
			}
			read := m.get("/v1/erasures/" + got.text("id")).want(http.StatusOK)
			if string(read.body) != string(got.body) {
				s.Errorf("it is read as %s", read.body)
			}
			return got
		}
		first := deferred("open_offer", "open_alert", "legal_hold")
		once := m.post("/v1/erasures", erase, "Idempotency-Key: e").want(http.StatusAccepted)
		if first.at("deferred_until") != nil || once.text("id") != first.text("id") {
			s.Errorf("the answers are %s and %s", first.body, once.body)
		}
		if got := m.get("/v1/erasures").want(http.StatusOK); len(got.list("data")) != 1 {
			s.Errorf("the list is %s", got.body)
		}
		m.closeAlerts()
		deferred("open_offer", "legal_hold")
		released := m.post("/v1/legal-holds/"+hold.text("id")+"/release", "").want(http.StatusOK)
		if released.at("state") != "released" || released.at("released_at") == nil {
			s.Errorf("released: %s", released.body)
		}
		m.post("/v1/legal-holds/"+hold.text("id")+"/release", "").refused(http.StatusConflict, "invalid_transition")
		last := deferred("open_offer")
		until, err := time.Parse(time.RFC3339, last.text("deferred_until"))
		if err != nil {
			s.Fatal(err)
		}
		s.clock.advance(until.Sub(s.clock.now()))
		done := m.post("/v1/erasures", erase).want(http.StatusCreated)
		if done.text("id") != first.text("id") || done.at("state") != "completed" || done.at("basis") != nil ||
			done.at("applicant_ref") != nil {
			s.Errorf("the receipt is %s", done.body)
		}
		m.post("/v1/erasures/"+done.text("id")+"/withdraw", "").refused(http.StatusConflict, "invalid_transition")
		if got := m.get("/v1/legal-holds").want(http.StatusOK); strings.Contains(string(got.body), "A-1") {
			s.Errorf("the holds name the erased applicant: %s", got.body)
		}
	})
}

// TestWithdrawErasure withdraws a deferred erasure, and repeats the request with the same Idempotency-Key.
func TestWithdrawErasure(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		m.post("/v1/decisions", `{"applicant":{"id":"A-1"},"bureau_report":{"score":781}}`).want(http.StatusOK)
		id := m.post("/v1/erasures", `{"applicant_ref":"A-1","reason":"other"}`).want(http.StatusAccepted).text("id")
		less := m.with(tenant.Sandbox, tenant.Read|tenant.Decide, m.userID)
		less.post("/v1/erasures/"+id+"/withdraw", "").refused(http.StatusForbidden, "insufficient_scope")
		first := m.post("/v1/erasures/"+id+"/withdraw", "", "Idempotency-Key: w").want(http.StatusOK)
		again := m.post("/v1/erasures/"+id+"/withdraw", "", "Idempotency-Key: w").want(http.StatusOK)
		if first.at("state") != "withdrawn" || first.at("withdrawn_at") == nil || first.at("applicant_ref") != nil ||
			string(again.body) != string(first.body) {
			s.Errorf("withdrawn: %s, and again: %s", first.body, again.body)
		}
		m.post("/v1/erasures/"+id+"/withdraw", "").refused(http.StatusConflict, "invalid_transition")
		if got := m.get("/v1/erasures/" + id).want(http.StatusOK); string(got.body) != string(first.body) {
			s.Errorf("it is read as %s", got.body)
		}
		next := m.post("/v1/erasures", `{"applicant_ref":"A-1","reason":"other"}`).want(http.StatusAccepted).text("id")
		if next == id {
			s.Error("the withdrawn erasure came back")
		}
	})
}

// TestLegalHoldRequests checks bad requests and the limit of holds.
func TestLegalHoldRequests(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{caps: usecase.Caps{Holds: 1}}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		for _, person := range []string{"A-1", "A-2"} {
			m.post("/v1/decisions", `{"applicant":{"id":"`+person+`"},"bureau_report":{"score":560}}`).
				want(http.StatusOK)
		}
		for body, pointer := range map[string]string{
			`{"reason":"audit"}`:                                                                      "/applicant_ref",
			`{"applicant_ref":"A-1"}`:                                                                 "/reason",
			`{"applicant_ref":"A-1","reason":"because"}`:                                              "/reason",
			`{"applicant_ref":"A-1","reason":"audit","until":"tomorrow"}`:                             "/until",
			`{"applicant_ref":"A-1","reason":"audit","until":"2020-01-01T00:00:00Z"}`:                 "/until",
			`{"applicant_ref":"A-1","reason":"audit","until":"9999-12-31T00:00:00Z"}`:                 "/until",
			`{"applicant_ref":"A-1","reason":"audit","until":7}`:                                      "/until",
			`{"applicant_ref":"A-1","reason":"audit","untill":"2030-01-01T00:00:00Z"}`:                "/untill",
			`{"applicant_ref":"` + strings.Repeat("x", 257) + `","reason":"audit"}`:                   "/applicant_ref",
			`{"applicant_ref":"A-1","decision_id":"dec_01KA2W4Q8N5T7XJ3RZB6MCDVHE","reason":"audit"}`: "/decision_id",
		} {
			got := m.post("/v1/legal-holds", body).want(http.StatusUnprocessableEntity)
			if got.at("errors", 0, "pointer") != pointer {
				s.Errorf("%s: %s", body, got.body)
			}
		}
		m.post("/v1/legal-holds", `{"applicant_ref":"A-0","reason":"audit"}`).refused(http.StatusNotFound, "not_found")
		m.get("/v1/legal-holds/lhd_01KA2W4Q8N5T7XJ3RZB6MCDVHE").refused(http.StatusNotFound, "not_found")
		m.get("/v1/legal-holds/x").refused(http.StatusNotFound, "not_found")
		hold := m.post("/v1/legal-holds",
			`{"applicant_ref":"A-1","reason":"audit","until":"2026-12-01T00:00:00.000Z"}`).
			want(http.StatusCreated)
		if hold.at("until") != "2026-12-01T00:00:00.000Z" || hold.at("state") != "in_force" {
			s.Errorf("the hold is %s", hold.body)
		}
		m.post("/v1/legal-holds", `{"applicant_ref":"A-2","reason":"audit"}`).
			refused(http.StatusConflict, "cap_reached")
		s.clock.advance(30 * 24 * time.Hour)
		if got := m.get(hold.header.Get("Location")).want(http.StatusOK); got.at("state") != "ended" {
			s.Errorf("after its end the hold is %s", got.body)
		}
		m.post("/v1/legal-holds", `{"applicant_ref":"A-2","reason":"audit"}`).want(http.StatusCreated)
		if got := m.get("/v1/legal-holds?in_force=true").want(http.StatusOK); len(got.list("data")) != 1 ||
			got.at("data", 0, "applicant_ref") != "A-2" {
			s.Errorf("in force are %s", got.body)
		}
		if got := m.get("/v1/legal-holds?applicant_ref=A-1").want(http.StatusOK); len(got.list("data")) != 1 {
			s.Errorf("of A-1 there are %s", got.body)
		}
	})
}
