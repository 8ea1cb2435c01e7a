package httpapi_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"verdict/internal/tenant"
)

// mailbox replaces the network and records the bodies that are sent. The tests on both databases share it.
type mailbox struct {
	mu     sync.Mutex
	bodies []string
	sentTo map[string]int // the number of bodies by address
	status int
}

func (m *mailbox) post(_ context.Context, url string, _ map[string]string, body []byte) (int, string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bodies = append(m.bodies, string(body))
	if m.sentTo == nil {
		m.sentTo = map[string]int{}
	}
	m.sentTo[url]++
	return m.status, ""
}

// count returns how many bodies were sent to an address.
func (m *mailbox) count(url string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sentTo[url]
}

// TestWebhooks creates a webhook with a key that may only manage webhooks. It then decides, and checks what is sent and
// what the routes show.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	sent := &mailbox{status: http.StatusOK}
	each(t, stackOptions{post: sent.post}, func(s *stack) {
		m := s.signup()
		manager := m.with(tenant.Sandbox, tenant.WebhooksManage, m.userID)
		made := manager.post("/v1/webhooks", `{"url":"https://example.com/events"}`).want(http.StatusCreated)
		at := "/v1/webhooks/" + made.text("id")
		if made.header.Get("Location") != at || !strings.HasPrefix(made.text("secret"), "whsec_") {
			s.Errorf("created %s at %s", made.body, made.header.Get("Location"))
		}
		for _, path := range []string{"/v1/webhooks", at} {
			if got := manager.get(path).want(http.StatusOK); strings.Contains(string(got.body), "whsec_") {
				s.Errorf("%s shows the secret: %s", path, got.body)
			}
		}
		manager.post("/v1/decisions", sample).refused(http.StatusForbidden, "insufficient_scope")
		reader := m.with(tenant.Sandbox, tenant.Read|tenant.Decide, m.userID)
		reader.get("/v1/webhooks").refused(http.StatusForbidden, "insufficient_scope")
		reader.post("/v1/webhooks", `{"url":5}`).refused(http.StatusForbidden, "insufficient_scope")

		id := m.post("/v1/decisions", sample).want(http.StatusOK).text("decision_id")
		if err := s.service.Webhooks.Deliver(s.Context()); err != nil {
			s.Fatal(err)
		}
		log := manager.get(at + "/deliveries").want(http.StatusOK)
		if log.at("data", 0, "outcome") != "delivered" || log.at("data", 0, "type") != "decision.created" ||
			log.at("data", 0, "status") != 200.0 {
			s.Errorf("the log is %s", log.body)
		}
		feed := m.get("/v1/events").want(http.StatusOK)
		sent.mu.Lock()
		if !slices.ContainsFunc(sent.bodies, func(body string) bool {
			return strings.Contains(body, id) && strings.Contains(string(feed.body), body)
		}) {
			s.Errorf("sent %s, and the feed is %s", sent.bodies, feed.body)
		}
		sent.mu.Unlock()

		if paused := s.send("PATCH", at, manager.key, `{"state":"paused"}`).want(http.StatusOK); paused.text("state") !=
			"paused" || paused.text("url") != "https://example.com/events" {
			s.Errorf("paused: %s", paused.body)
		}
		s.send("PATCH", at, manager.key, `{"state":"disabled","urls":1}`).
			refused(http.StatusUnprocessableEntity, "invalid_field")
		tested := manager.post(at+"/test", "").want(http.StatusOK)
		if tested.text("outcome") != "delivered" || tested.text("type") != "webhook.test" {
			s.Errorf("tested: %s", tested.body)
		}
		fresh := manager.post(at+"/secret", "").want(http.StatusOK)
		if fresh.text("secret") == made.text("secret") || fresh.text("previous_secret_until") == "" {
			s.Errorf("rotated: %s", fresh.body)
		}
		manager.post(at+"/redeliver", `{"sequence":1}`).want(http.StatusNoContent) // an event of the signup
		for _, body := range []string{
			`{}`, `{"sequence":0}`, `{"sequence":99}`, `{"from_sequence":1}`, `{"from_sequence":2,"to_sequence":1}`,
			`{"sequence":1,"to_sequence":1}`, `{"sequence":"1"}`,
		} {
			manager.post(at+"/redeliver", body).want(http.StatusUnprocessableEntity)
		}
		audit := m.get("/v1/audit?object=" + made.text("id")).want(http.StatusOK)
		for _, action := range []string{"created", "changed", "secret_rotated", "redelivered"} {
			if !strings.Contains(string(audit.body), `"webhook.`+action+`"`) {
				s.Errorf("the audit trail has no webhook.%s: %s", action, audit.body)
			}
		}

		other := s.signup()
		for _, path := range []string{at, at + "/deliveries"} {
			other.get(path).refused(http.StatusNotFound, "not_found")
			m.with(tenant.Live, tenant.Admin, m.userID).get(path).refused(http.StatusNotFound, "not_found")
		}
		s.send("DELETE", at, manager.key, "").want(http.StatusNoContent)
		manager.get(at).refused(http.StatusNotFound, "not_found")
	})
}

// TestWebhookOnce checks that requests with the same Idempotency-Key change a webhook only
// once and get the same answer, including the secret.
func TestWebhookOnce(t *testing.T) {
	t.Parallel()
	sent := &mailbox{status: http.StatusOK}
	each(t, stackOptions{post: sent.post}, func(s *stack) {
		m := s.signup()
		twice := func(path, body string, status int) answer {
			s.Helper()
			first := m.post(path, body, "Idempotency-Key: one").want(status)
			again := m.post(path, body, "Idempotency-Key: one").want(status)
			if string(again.body) != string(first.body) || again.header.Get("Idempotent-Replayed") != "true" ||
				first.header.Get("Idempotent-Replayed") != "" ||
				again.header.Get("Location") != first.header.Get("Location") {
				s.Errorf("%s: %s, then %s", path, first.body, again.body)
			}
			return first
		}
		url := "https://example.com/" + s.Name() // differs between the databases
		made := twice("/v1/webhooks", `{"url":"`+url+`"}`, http.StatusCreated)
		m.post("/v1/webhooks", `{"url":"https://example.com/other"}`, "Idempotency-Key: one").
			refused(http.StatusUnprocessableEntity, "idempotency_key_reused")
		at := "/v1/webhooks/" + made.text("id")
		if list := m.get("/v1/webhooks").want(http.StatusOK); list.at("data", 0, "id") != made.text("id") ||
			strings.Count(string(list.body), `"whk_`) != 1 {
			s.Errorf("the list is %s", list.body)
		}
		before := sent.count(url)
		twice(at+"/test", "", http.StatusOK)
		if sent.count(url) != before+1 {
			s.Errorf("%d test events were sent", sent.count(url)-before)
		}
		if fresh := twice(at+"/secret", "", http.StatusOK); fresh.text("secret") == made.text("secret") {
			s.Errorf("the secret is the former one")
		}
		twice(at+"/redeliver", `{"sequence":1}`, http.StatusNoContent)
		before = sent.count(url)
		if err := s.service.Webhooks.Deliver(s.Context()); err != nil {
			s.Fatal(err)
		}
		if sent.count(url) != before+1 {
			s.Errorf("%d events were sent again", sent.count(url)-before)
		}
	})
}
