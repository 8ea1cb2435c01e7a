package httpapi_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"verdict/internal/store"
)

// hold blocks the store's committer, so that writes wait, until the test calls
// release. The test must call release even if it fails.
func (m *member) hold() (release func()) {
	m.Helper()
	begun, end, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- m.db.Scope(m.tenantID, "sandbox").Write(context.Background(), func(*store.Tx) error {
			close(begun)
			<-end
			return nil
		})
	}()
	<-begun
	return sync.OnceFunc(func() {
		close(end)
		if err := <-done; err != nil {
			m.Error(err)
		}
	})
}

// waiting blocks until n writes wait for the committer.
func (s *stack) waiting(n int) {
	s.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for begun := time.Now(); s.db.Stats().Waiting < n; <-tick.C {
		if time.Since(begun) > 2*time.Minute {
			s.Fatalf("%d writes wait, and not %d", s.db.Stats().Waiting, n)
		}
	}
}

// TestFullHouse checks admission at the limit of requests in progress. A tenant
// that has used its share is refused while another tenant is still admitted. At
// full capacity every POST is refused immediately, while reads and probes are
// answered. The admitted requests complete and free their places.
func TestFullHouse(t *testing.T) {
	t.Parallel()
	const places = 3
	each(t, stackOptions{inFlight: places}, func(s *stack) {
		m, other := s.signup(), s.signup()
		before := m.post("/v1/decisions", sample).want(http.StatusOK)
		release := m.hold()
		defer release()
		inside := make(chan answer, places)
		enter := func(m *member) {
			go func() {
				got, err := m.trySend("POST", "/v1/decisions", m.key, sample)
				if err != nil {
					s.Error(err)
				}
				inside <- got
			}()
		}
		enter(m)
		enter(m)
		s.waiting(2)
		m.post("/v1/decisions", sample, "Idempotency-Key: later").shareUsed(s.T)
		enter(other) // the other tenant's share is free
		s.waiting(places)
		m.post("/v1/decisions", sample, "Idempotency-Key: later").unavailable(s.T)
		other.post("/v1/decisions", sample).unavailable(s.T)
		m.post("/v1/decisions/preview", sample).unavailable(s.T)
		m.post("/v1/evaluate", evaluation(742, scalars)).unavailable(s.T)
		s.send("POST", "/v1/decisions", "wrong", sample).unavailable(s.T)
		s.send("POST", "/v1/nothing", "", sample).unavailable(s.T)
		s.send("GET", "/livez", "", "").want(http.StatusOK)
		s.send("GET", "/readyz", "", "").want(http.StatusOK)
		m.get("/v1/decisions/" + before.text("decision_id")).want(http.StatusOK)
		release()
		for range places {
			(<-inside).want(http.StatusOK)
		}
		m.post("/v1/decisions", sample, "Idempotency-Key: later").want(http.StatusOK)
		m.get("/v1/usage").is("used", places+1)
		// Several refusals share a log line.
		log := s.log.String()
		if n := strings.Count(log, "API requests were refused: a capacity limit is reached"); n == 0 || n > 2 {
			s.Errorf("the log tells %d times that requests were refused", n)
		}
		if strings.Contains(log, `"level":"ERROR"`) {
			s.Errorf("refusals are logged as errors:\n%s", log)
		}
	})
}

// TestPlacesComeBack checks that every request frees its place, whatever its
// outcome.
func TestPlacesComeBack(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{inFlight: 1}, func(s *stack) {
		m := s.signup()
		for range 3 {
			m.post("/v1/decisions", `{"bureau_report":{"score":"high"}}`).want(http.StatusUnprocessableEntity)
			m.post("/v1/decisions", `{`).want(http.StatusBadRequest)
			m.post("/v1/nothing", sample).want(http.StatusNotFound)
			m.post("/v1/decisions", sample).want(http.StatusOK)
			m.get("/v1/decisions/dec_nobody").want(http.StatusNotFound)
			m.get("/v1/decisions").want(http.StatusOK)
		}
	})
}

// TestSlowSendersHoldNoPlace checks that a request whose body has not arrived
// holds no place.
func TestSlowSendersHoldNoPlace(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{inFlight: 1}, func(s *stack) {
		m := s.signup()
		conn, err := (&net.Dialer{}).DialContext(s.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			s.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		// The service answers "100 Continue" when it begins to read the body.
		if _, err := fmt.Fprintf(conn, "POST /v1/decisions HTTP/1.1\r\nHost: x\r\n"+
			"Authorization: Bearer %s\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n",
			m.key, len(sample)); err != nil {
			s.Fatal(err)
		}
		reader := bufio.NewReader(conn)
		wantLine(s, reader, "HTTP/1.1 100 Continue")
		m.post("/v1/decisions", sample).want(http.StatusOK)
		if _, err := io.WriteString(conn, sample); err != nil {
			s.Fatal(err)
		}
		wantLine(s, reader, "")
		wantLine(s, reader, "HTTP/1.1 200 OK")
		m.get("/v1/usage").is("used", 2)
	})
}

func wantLine(s *stack, r *bufio.Reader, want string) {
	s.Helper()
	line, err := r.ReadString('\n')
	if got := strings.TrimSpace(line); err != nil || got != want {
		s.Fatalf("the line is %q (%v), want %q", got, err, want)
	}
}
