package httpapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// rawPost sends a request for a decision over a new connection. It sends the first bytes of the request, waits for
// the answer to a probe, and then sends the rest, so that the service reads the request in two parts. If the
// argument "first" is 0, it sends the request in one part.
func (m *member) rawPost(path string, first int) (status string, h http.Header, body string) {
	m.Helper()
	conn, err := (&net.Dialer{}).DialContext(m.Context(), "tcp", strings.TrimPrefix(m.url, "http://"))
	if err != nil {
		m.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	request := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s",
		path, m.key, len(sample), sample)
	for _, part := range []string{request[:first], request[first:]} {
		if _, err := io.WriteString(conn, part); err != nil {
			m.Fatal(err)
		}
		if first > 0 { // give the service time to read the first part by itself
			m.send("GET", "/livez", "", "").want(http.StatusOK)
		}
	}
	got, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		m.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	raw, err := io.ReadAll(got.Body)
	if err != nil {
		m.Fatal(err)
	}
	return got.Status, got.Header, strings.ReplaceAll(string(raw), got.Header.Get("X-Request-Id"), "req_")
}

// TestEarlyRefusals checks that a refusal before net/http reads the request is the same answer as a refusal by the
// handler, and that requests of other kinds are not refused early.
func TestEarlyRefusals(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{inFlight: 1}, func(s *stack) {
		m, revoked := s.signup(), s.signup()
		m.post("/v1/decisions", sample).want(http.StatusOK) // now the key is cached
		release := m.hold()
		defer release()
		inside := make(chan answer, 1)
		go func() {
			got, err := m.trySend("POST", "/v1/decisions", m.key, sample)
			if err != nil {
				s.Error(err)
			}
			inside <- got
		}()
		s.waiting(1)

		const half = 20 // in the middle of the first line
		for _, path := range []string{"/v1/decisions", "/v1/evaluate", "/v1/decisions/preview", "/v1/eligibility"} {
			status, header, body := m.rawPost(path, 0)
			wantStatus, want, wantBody := m.rawPost(path, half)
			if status != wantStatus || body != wantBody || status != "503 Service Unavailable" {
				s.Errorf("%s: %s %s\nwant %s %s", path, status, body, wantStatus, wantBody)
			}
			for _, h := range []http.Header{header, want} {
				h.Del("X-Request-Id")
				h.Del("Date") // the handler uses the machine's clock, not the test's
			}
			if fmt.Sprint(header) != fmt.Sprint(want) {
				s.Errorf("%s: the headers are\n%v\nwant\n%v", path, header, want)
			}
		}
		for name, got := range map[string]answer{
			"a wrong key": s.send("POST", "/v1/decisions", "wrong", sample),
			"no key":      s.send("POST", "/v1/decisions", "", sample),
			"another key": revoked.post("/v1/decisions", sample),
		} {
			if got.status != http.StatusServiceUnavailable {
				s.Errorf("%s: %d", name, got.status) // all places are taken, so every caller is refused
			}
		}
		m.get("/v1/decisions").want(http.StatusOK)

		release()
		(<-inside).want(http.StatusOK)
		if status, _, body := m.rawPost("/v1/decisions", 0); status != "200 OK" {
			s.Errorf("with a free place: %s %s", status, body)
		}
		m.get("/v1/usage").is("used", 3)
	})
}
