package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestFailuresAreLoggedOnce closes the database under a service. Each failed
// request has one line in the log: an error that contains the cause.
func TestFailuresAreLoggedOnce(t *testing.T) {
	t.Parallel()
	recorded := make(chan struct{}, 1)
	s := start(t, storetest.Open(t, storetest.SQLite(t), store.Options{}), stackOptions{
		front: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				next.ServeHTTP(w, r)
				recorded <- struct{}{}
			})
		},
	})
	m := s.signup()
	<-recorded
	m.get("/v1/decisions").want(http.StatusOK) // caches the key
	<-recorded
	if err := s.db.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got := m.get("/v1/decisions")
		got.unavailable(t)
		<-recorded // the line is written after the answer
		var lines []string
		for line := range strings.Lines(s.log.String()) {
			if strings.Contains(line, got.text("request_id")) {
				lines = append(lines, line)
			}
		}
		if len(lines) != 1 {
			t.Fatalf("the failure is logged %d times: %q", len(lines), lines)
		}
		for _, want := range []string{
			`"level":"ERROR"`, `"msg":"request failed"`, `"route":"GET /v1/decisions"`, `"status":503`,
			`"code":"unavailable"`, `"tenant_id":"` + m.tenantID, `"error":"`,
		} {
			if !strings.Contains(lines[0], want) {
				t.Errorf("the line lacks %s: %s", want, lines[0])
			}
		}
	}
}
