package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestOneValidity checks that all parts of the service agree on whether an offer is still valid: the documents, the
// facts of later decisions, the erasure of the person, and the answer to the person. The stored decision keeps its
// original validity, which takes neither holidays nor reviews into account.
func TestOneValidity(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november) // a Sunday; the policy's offers are valid for three days
		m := s.signup()
		m.put("/v1/lender-profile", lenderProfile).want(http.StatusOK) // Tuesday the 17th is a holiday
		m.activate(m.draft(boundedPolicy))
		made := map[string]string{}
		for _, ref := range []string{"H-1", "H-2"} {
			made[ref] = m.post("/v1/decisions", asksFor(ref, 300_000)).want(http.StatusOK).is("status", "APPROVED").
				is("offer.valid_until", "2026-11-18T18:29:59Z").text("decision_id")
		}
		for _, ref := range []string{"R-1", "R-2"} {
			body := strings.NewReplacer(`"score":860,"enquiries_6m":0`, `"score":770,"enquiries_6m":9`).
				Replace(asksFor(ref, 20_000))
			made[ref] = m.post("/v1/decisions", body).want(http.StatusOK).is("status", "REFERRED").text("decision_id")
		}

		s.begin(november.Add(4 * 24 * time.Hour)) // Thursday the 19th: the third working day
		m.checkOpen("H-1", made["H-1"], 300_000, "2026-11-19T18:29:59Z")
		m.get("/v1/decisions/"+made["H-1"]).want(http.StatusOK).is("offer.valid_until", "2026-11-18T18:29:59Z")

		s.begin(november.Add(5 * 24 * time.Hour))
		m.checkEnded("H-2", made["H-2"])

		s.begin(november.Add(15 * 24 * time.Hour)) // Monday, 30 November
		for _, ref := range []string{"R-1", "R-2"} {
			m.post("/v1/decisions/"+made[ref]+"/review", `{"outcome":"overturned"}`).want(http.StatusCreated)
		}
		s.begin(november.Add(17 * 24 * time.Hour))
		m.checkOpen("R-1", made["R-1"], 20_000, "2026-12-03T18:29:59Z")
		s.begin(november.Add(19 * 24 * time.Hour))
		m.checkEnded("R-2", made["R-2"])
	})
}

// checkOpen checks that the offer of a decision can be accepted until a time.
func (m *member) checkOpen(ref, id string, limit float64, until string) {
	m.Helper()
	m.get("/v1/decisions/"+id+"/kfs").want(http.StatusOK).is("valid_until", until)
	m.get("/v1/applicants/"+ref+"?audience=applicant").want(http.StatusOK).is("data.0.offer.valid_until", until)
	end, err := time.Parse(time.RFC3339, until)
	if err != nil {
		m.Fatal(err)
	}
	erasure := m.post("/v1/erasures", `{"applicant_ref":"`+ref+`","reason":"applicant_request"}`).
		want(http.StatusAccepted).
		is("state", "deferred", "deferred_until", end.Add(time.Second).Format("2006-01-02T15:04:05.000Z"))
	m.post("/v1/erasures/"+erasure.text("id")+"/withdraw", "").want(http.StatusOK)
	m.post("/v1/decisions", asksFor(ref, 10_000)).want(http.StatusOK).is("facts.own_open_offer", limit)
}

// checkEnded checks that the offer of a decision can no longer be accepted.
func (m *member) checkEnded(ref, id string) {
	m.Helper()
	m.get("/v1/decisions/"+id+"/kfs").refused(http.StatusGone, "offer_expired")
	m.post("/v1/decisions", strings.Replace(asksFor(ref, 10_000), `"score":860`, `"score":300`, 1)).
		want(http.StatusOK).is("status", "DECLINED").is("facts.own_open_offer", 0.0)
	m.post("/v1/erasures", `{"applicant_ref":"`+ref+`","reason":"applicant_request"}`).
		want(http.StatusCreated).is("state", "completed")
}
