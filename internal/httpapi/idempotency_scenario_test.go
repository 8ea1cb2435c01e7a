package httpapi_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"verdict/internal/tenant"
)

// repeats sends a request twice with the same idempotency key and fails unless
// the second request gets the first answer. It returns the first answer.
func (m *member) repeats(path, body string, status int) answer {
	m.Helper()
	first := m.post(path, body, "Idempotency-Key: again").want(status)
	second := m.post(path, body, "Idempotency-Key: again").want(status)
	if string(first.body) != string(second.body) || first.header.Get("Location") != second.header.Get("Location") {
		m.Errorf("POST %s: first %s\nthen %s", path, first.body, second.body)
	}
	if first.header.Get("Idempotent-Replayed") != "" || second.header.Get("Idempotent-Replayed") != "true" {
		m.Errorf("POST %s: replayed %q, then %q", path, first.header.Get("Idempotent-Replayed"),
			second.header.Get("Idempotent-Replayed"))
	}
	if first.header.Get("X-Request-Id") == second.header.Get("X-Request-Id") {
		m.Errorf("POST %s: two requests have one id", path)
	}
	m.post(path, body+" ", "Idempotency-Key: again").refused(http.StatusUnprocessableEntity, "idempotency_key_reused")
	return first
}

func TestOnce(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		decided := m.repeats("/v1/decisions", sample, http.StatusOK)
		set := m.repeats("/v1/rule-sets", `{"name":"once"}`, http.StatusCreated)
		m.repeats("/v1/rule-sets/"+set.text("id")+"/activate", `{"note":"once"}`, http.StatusOK)
		m.repeats("/v1/scorecards", scorecard, http.StatusCreated)
		m.repeats("/v1/decisions/"+decided.text("decision_id")+"/review", `{"outcome":"upheld"}`, http.StatusCreated)
		m.get("/v1/usage").is("used", 1)
		for path, want := range map[string]int{
			"/v1/decisions":                       1,
			"/v1/rule-sets":                       3,
			"/v1/scorecards":                      2,
			"/v1/audit?action=decision.created":   1,
			"/v1/audit?action=rule_set.created":   2,
			"/v1/audit?action=rule_set.activated": 2,
			"/v1/audit?action=decision.reviewed":  1,
		} {
			if n := len(m.get(path).list("data")); n != want {
				s.Errorf("GET %s: %d, want %d", path, n, want)
			}
		}
		if n := len(m.get("/v1/decisions/" + decided.text("decision_id")).list("reviews")); n != 1 {
			s.Errorf("%d reviews", n)
		}
		// The inherited sections have changed since the first request, but the
		// replayed answer has not.
		again := m.post("/v1/rule-sets", `{"name":"once"}`, "Idempotency-Key: again").want(http.StatusCreated)
		if string(again.body) != string(set.body) {
			s.Errorf("replayed %s", again.body)
		}
	})
}

func TestOncePerPathTenantAndEnvironment(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		other, live := s.signup(), m.with(tenant.Live, tenant.Admin, m.userID)
		live.activate(live.get("/v1/rule-sets?order=asc").column("id")[0])
		ids := map[string]bool{}
		for _, who := range []*member{m, other, live} {
			got := who.post("/v1/decisions", sample, "Idempotency-Key: k").want(http.StatusOK)
			if got.header.Get("Idempotent-Replayed") != "" {
				s.Error("somebody else's answer was replayed")
			}
			ids[got.text("decision_id")] = true
		}
		if len(ids) != 3 {
			s.Errorf("%d decisions", len(ids))
		}
		m.post("/v1/rule-sets", `{"name":"x"}`, "Idempotency-Key: k").want(http.StatusCreated)
		// Another API key of the same tenant counts as the same caller, and
		// quotes around the idempotency key are ignored.
		same := m.with(tenant.Sandbox, tenant.Admin, m.userID).
			post("/v1/decisions", sample, `Idempotency-Key: "k"`).want(http.StatusOK)
		if same.header.Get("Idempotent-Replayed") != "true" || !ids[same.text("decision_id")] {
			s.Error("the tenant's other key got another answer")
		}
	})
}

func TestWhatIsNotRemembered(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		m.post("/v1/decisions", `{}`, "Idempotency-Key: k").refused(http.StatusUnprocessableEntity, "invalid_field")
		first := m.post("/v1/decisions", sample, "Idempotency-Key: k").want(http.StatusOK)
		s.clock.advance(24*time.Hour - time.Second)
		m.post("/v1/decisions", sample, "Idempotency-Key: k").is("decision_id", first.text("decision_id"))
		s.clock.advance(2 * time.Second)
		later := m.post("/v1/decisions", sample, "Idempotency-Key: k").want(http.StatusOK)
		if later.text("decision_id") == first.text("decision_id") || later.header.Get("Idempotent-Replayed") != "" {
			s.Error("the key is remembered beyond its day")
		}
		m.post("/v1/decisions", asking(sample, `"x":1`), "Idempotency-Key: k").
			refused(http.StatusUnprocessableEntity, "idempotency_key_reused")

		for _, key := range []string{" ", `""`, strings.Repeat("k", 256), "caf\u00e9"} {
			m.post("/v1/decisions", sample, "Idempotency-Key: "+key).
				refused(http.StatusUnprocessableEntity, "invalid_field").silent(s, "caf")
		}
		s.raw("POST", "/v1/decisions", func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+m.key)
			r.Header["Idempotency-Key"] = []string{"a", "b"}
			r.Body = io.NopCloser(strings.NewReader(sample))
		}).refused(http.StatusUnprocessableEntity, "invalid_field")
		m.post("/v1/decisions", sample, "Idempotency-Key: "+strings.Repeat("k", 255)).want(http.StatusOK)
	})
}

func TestOnceRace(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for path, body := range map[string]string{
			"/v1/decisions":  sample,
			"/v1/rule-sets":  `{"name":"raced"}`,
			"/v1/scorecards": scorecard,
		} {
			bodies := map[string]int{}
			for _, a := range s.race(16, func(int) (answer, error) {
				return s.trySend("POST", path, m.key, body, "Idempotency-Key: race")
			}) {
				if a.status < 300 {
					bodies[string(a.body)]++
					continue
				}
				if a.refused(http.StatusConflict, "idempotency_in_progress"); a.header.Get("Retry-After") != "1" {
					s.Errorf("come back after %q seconds", a.header.Get("Retry-After"))
				}
			}
			if len(bodies) != 1 {
				s.Errorf("POST %s: %d different answers: %v", path, len(bodies), fmt.Sprint(bodies))
			}
		}
		m.get("/v1/usage").is("used", 1)
		for path, want := range map[string]int{"/v1/decisions": 1, "/v1/rule-sets": 3, "/v1/scorecards": 2} {
			if n := len(m.get(path).list("data")); n != want {
				s.Errorf("GET %s: %d, want %d", path, n, want)
			}
		}
	})
}
