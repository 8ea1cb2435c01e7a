package httpapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// unavailable fails unless the answer is a 503 with Retry-After.
func (a answer) unavailable(t *testing.T) {
	t.Helper()
	a.refused(http.StatusServiceUnavailable, "unavailable")
	if a.header.Get("Retry-After") != "1" {
		t.Errorf("%s: come back after %q seconds", a.sent, a.header.Get("Retry-After"))
	}
	told := strings.Contains(a.text("detail"), "repeat it with the same Idempotency-Key")
	if told != strings.Contains(a.sent, "POST") {
		t.Errorf("%s: the refusal says %q", a.sent, a.text("detail"))
	}
}

// shareUsed fails unless the refusal says that the tenant has reached its own
// share.
func (a answer) shareUsed(t *testing.T) {
	t.Helper()
	a.unavailable(t)
	if detail := a.text("detail"); !strings.Contains(detail, "its limit of concurrent requests") {
		t.Errorf("%s: the refusal says %q", a.sent, detail)
	}
}

// TestLostPostgres checks that requests are refused while the database is
// unreachable, and that the service recovers without a restart.
func TestLostPostgres(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	s := start(t, storetest.Open(t, databaseURL, store.Options{}), stackOptions{})
	m := s.signup()
	decided := m.post("/v1/decisions", sample, "Idempotency-Key: before").want(http.StatusOK)
	path := "/v1/decisions/" + decided.text("decision_id")

	address, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(address.Path, "/")
	address.Path = "/postgres"
	admin := storetest.Raw(t, address.String())
	execute := func(statement string, args ...any) {
		t.Helper()
		if _, err := admin.ExecContext(t.Context(), statement, args...); err != nil {
			t.Fatal(err)
		}
	}
	execute("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false")
	execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name)
	for range 2 { // first with fresh cache entries, then with stale cache entries
		m.post("/v1/decisions", sample, "Idempotency-Key: within").unavailable(t)
		m.post("/v1/decisions", sample).unavailable(t)
		m.get(path).unavailable(t)
		m.get("/v1/usage").unavailable(t)
		m.post("/v1/rule-sets", `{"name":"x"}`).unavailable(t)
		s.send("POST", "/api/signup", "", `{"email":"lost@example.in","org_name":"Lost","password":"correct horse"}`).
			unavailable(t)
		// While the key is cached, the body of this 503 is not a problem document.
		if health := m.get("/v1/health").want(http.StatusServiceUnavailable); health.header.Get("Retry-After") != "1" {
			t.Errorf("the health says to come back after %q seconds", health.header.Get("Retry-After"))
		}
		s.send("GET", "/livez", "", "").want(http.StatusOK)
		s.send("GET", "/readyz", "", "").want(http.StatusServiceUnavailable)
		s.clock.advance(time.Second) // the time for which readiness is cached
	}
	if strings.Contains(s.log.String(), m.key) || strings.Contains(s.log.String(), "lost@example.in") {
		t.Error("the log says too much")
	}

	execute("ALTER DATABASE " + name + " ALLOW_CONNECTIONS true")
	s.send("GET", "/readyz", "", "").want(http.StatusOK)
	m.post("/v1/decisions", sample, "Idempotency-Key: within").want(http.StatusOK).is("status", "APPROVED")
	m.post("/v1/decisions", sample, "Idempotency-Key: before").is("decision_id", decided.text("decision_id"))
	m.get(path).want(http.StatusOK).is("re_explanation.verified", true)
	m.get("/v1/usage").want(http.StatusOK).is("used", 2)
	if n := len(m.get("/v1/decisions").list("data")); n != 2 {
		t.Errorf("%d decisions are stored", n)
	}
}

// TestLockedSQLite checks that writes are refused and reads continue while
// another connection has locked the database file.
func TestLockedSQLite(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.SQLite(t)
	s := start(t, storetest.Open(t, databaseURL, store.Options{Timeout: 2 * time.Minute}), stackOptions{})
	m := s.signup()
	decided := m.post("/v1/decisions", sample).want(http.StatusOK)
	// Only the requests that must be refused have a short timeout.
	hasty := start(t, storetest.Open(t, databaseURL, store.Options{Timeout: 100 * time.Millisecond}), stackOptions{})
	hasty.begin(s.clock.now())

	other, err := storetest.Raw(t, databaseURL).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	if _, err := other.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	m.on(hasty).post("/v1/decisions", sample).unavailable(t)
	m.on(hasty).post("/v1/rule-sets", `{"name":"x"}`).unavailable(t)
	m.get("/v1/decisions/"+decided.text("decision_id")).want(http.StatusOK).is("re_explanation.verified", true)
	if _, err := other.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	m.post("/v1/decisions", sample).want(http.StatusOK)
	m.get("/v1/usage").is("used", 2)
}

// TestClosedDatabase checks that requests are answered with 503 after the
// database is closed, as during shutdown.
func TestClosedDatabase(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		m.get("/v1/usage").want(http.StatusOK)
		if err := s.db.Close(); err != nil {
			s.Fatal(err)
		}
		m.post("/v1/decisions", sample).unavailable(s.T)
		m.get("/v1/decisions").unavailable(s.T)
		s.clock.advance(stale)
		m.get("/v1/health").unavailable(s.T)
	})
}
