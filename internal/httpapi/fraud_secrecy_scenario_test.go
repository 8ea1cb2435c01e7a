package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestFraudReExplained checks that a decision based on fraud counters is
// re-explained with the same hash after the counters and the settings have
// changed.
func TestFraudReExplained(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		made := []answer{
			m.apply("A-1", oneAccount, device, location), m.apply("A-2", oneAccount, device),
			m.apply("A-3", oneAccount+`,"ip":"203.0.113.78","pincode":"400001"`),
		}
		m.apply("A-4", oneAccount)
		m.put(settings, `{
			"fraud":{"beneficiary_reuse":{"distinct_applicants":9,"points":1}},
			"device":{"sim_new_days":0}
		}`).want(http.StatusOK)
		m.put(pincodes, `{"pincode":"400001","risk":"BLOCKED"}`).want(http.StatusOK)
		s.clock.advance(200 * 24 * time.Hour)
		m.apply("A-5", oneAccount)
		for i, d := range made {
			got := m.get("/v1/decisions/"+d.text("decision_id")).
				want(http.StatusOK).is("re_explanation.verified", true, "decision_hash", d.text("decision_hash"))
			got.saw(mule, i > 0, i+1)
		}
	})
}

// TestSecretsStayBehind checks that account numbers, addresses and other identifiers
// appear in no answer, in no stored facts and in no log line.
func TestSecretsStayBehind(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		secrets := []string{
			"00112233445566", "203.0.113.78", "203.0.113.77", "9812345678", "zebra@example.in", "d-ZEBRA-1",
			"19.0761234",
		}
		var texts []string
		keep := func(a answer) answer {
			texts = append(texts, string(a.body), a.header.Get("Location"))
			return a
		}
		keep(m.put(settings, `{"fraud":{"beneficiary_reuse":{"allowlist_accounts":["00112233445566"]}}}`).
			want(http.StatusOK))
		keep(m.put(settings, `{
			"fraud":{"beneficiary_reuse":{"allowlist_accounts":[]},"ip_cluster":{"distinct_applicants":2}}
		}`).want(http.StatusOK))
		body := func(ref string) string {
			return strings.ReplaceAll(evaluation(742, scalars, device, location, fraud), "A-77", ref)
		}
		keep(m.post("/v1/evaluate", body("A-1"))).want(http.StatusOK)
		keep(m.post("/v1/decisions/preview", body("A-2"))).want(http.StatusOK)
		second := keep(m.post("/v1/evaluate", body("A-2"), "Idempotency-Key: 1")).want(http.StatusOK).raised(5)
		keep(m.post("/v1/evaluate", body("A-2"), "Idempotency-Key: 1")).want(http.StatusOK)
		keep(m.post("/v1/fraud/blocklist", `{"kind":"device","value":"d-ZEBRA-1"}`)).want(http.StatusCreated)
		for _, id := range m.get("/v1/fraud/alerts").column("id") {
			keep(m.patch("/v1/fraud/alerts/"+id, `{"status":"closed","resolution":"confirmed_fraud"}`)).
				want(http.StatusOK)
			keep(m.get("/v1/fraud/alerts/" + id)).want(http.StatusOK)
			keep(m.get("/v1/fraud/alerts/" + id + "/ring")).want(http.StatusOK)
		}
		for _, path := range []string{
			"/v1/fraud/alerts", "/v1/fraud/blocklist", settings, "/v1/audit", "/v1/decisions",
			"/v1/decisions/" + second.text("decision_id"),
		} {
			keep(m.get(path)).want(http.StatusOK)
		}
		keep(m.post("/v1/evaluate", strings.ReplaceAll(body("A-3"), `"203.0.113.78"`, `"203.0.113.78x"`))).
			want(http.StatusUnprocessableEntity)
		s.flush()
		texts = append(texts, s.storedFacts(m, second.text("decision_id")), s.log.String())
		for _, text := range texts {
			for _, secret := range secrets {
				if strings.Contains(text, secret) {
					s.Errorf("%s is in %.3000s", secret, text)
				}
			}
		}
	})
}
