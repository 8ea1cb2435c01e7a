package httpapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"verdict/internal/tenant"
)

// TestBatchStreamTimeout checks that a stream ends when its time is over, although its next line may still take long
// to arrive.
func TestBatchStreamTimeout(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{pace: time.Hour, whole: 200 * time.Millisecond}, func(s *stack) {
		l := s.signup().stream("/v1/decisions/batch")
		got := l.read()
		detail, _ := got.at("error", "detail").(string)
		if got.at("error", "code") != "request_timeout" || !strings.Contains(detail, "200ms") {
			s.Errorf("the last line is %s", got.body)
		}
		l.end()
	})
}

// TestBatchJobTimeout checks that the upload of a job ends when its time is over.
func TestBatchJobTimeout(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{pace: time.Hour, whole: 200 * time.Millisecond}, func(s *stack) {
		body, to := io.Pipe()
		defer func() { _ = to.Close() }()
		request, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.url+"/v1/decisions/batch", body)
		if err != nil {
			s.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+s.signup().key)
		for _, h := range jobHeaders {
			name, value, _ := strings.Cut(h, ": ")
			request.Header.Set(name, value)
		}
		got, err := s.do(request)
		if err != nil {
			s.Fatal(err)
		}
		got.refused(http.StatusRequestTimeout, "request_timeout")
	})
}

// TestBatchStreamBlankLines checks that many blank lines cost as much as an application.
func TestBatchStreamBlankLines(t *testing.T) {
	t.Parallel()
	rates := tenant.DefaultRates()
	rates.Decide = tenant.Rate{Allowance: 1, Window: time.Hour, Burst: 20}
	plans := tenant.DefaultPricePlans()
	each(t, stackOptions{plans: plans.WithRates(rates)}, func(s *stack) {
		m := s.signup()
		l := m.stream("/v1/decisions/batch")
		l.write(batchItem("A-1", 0.32) + strings.Repeat("\n", 1+3*100) + batchItem("A-2", 0.32) + "\n")
		_, _ = l.read(), l.read()
		_ = l.to.Close()
		l.end()
		left := m.post("/v1/decisions/preview", batchItem("A-3", 0.32)).want(http.StatusOK).header.Get("Ratelimit")
		if !strings.Contains(left, ";r=14;") { // two applications, three times a hundred blank lines, and this request
			s.Errorf("the limit is %s", left)
		}
	})
}

// TestBatchStreamNeverRead sends many applications and reads none of the answers. The stream stops reading when the
// buffers of the connection are full, and ends when the time for reading answers is over. What was decided until then
// is stored and billed, the memory is given back, and other requests are served.
func TestBatchStreamNeverRead(t *testing.T) {
	t.Parallel()
	const lines, most = 100_000, 2_000
	buffer := 16 << 10
	o := stackOptions{pace: time.Hour, answers: time.Second, sendBuffer: buffer}
	each(t, o, func(s *stack) {
		m := s.signup()
		before := s.memory.InUse()
		conn, err := (&net.Dialer{}).DialContext(s.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			s.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		if err := conn.(*net.TCPConn).SetReadBuffer(buffer); err != nil {
			s.Fatal(err)
		}
		sent := make(chan error, 1)
		go func() {
			out := bufio.NewWriter(conn)
			// Flush returns the error of a write.
			_, _ = fmt.Fprintf(out, "POST /v1/decisions/batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"+
				"Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n", m.key)
			for i := range lines {
				line := batchItem(fmt.Sprint("A-", i), 0.32) + "\n"
				_, _ = fmt.Fprintf(out, "%x\r\n%s\r\n", len(line), line)
			}
			sent <- out.Flush()
		}()
		// The body never ends, so only the service can end the connection. Everything fits into memory if the service
		// keeps reading, and the write then succeeds.
		select {
		case err := <-sent:
			if err == nil {
				s.Error("all lines were sent to a service that should have stopped reading")
			}
		case <-time.After(2 * time.Minute):
			s.Fatal("the stream has not ended")
		}
		s.eventually("the memory of the stream is given back", func() bool { return s.memory.InUse() == before })
		used, _ := m.get("/v1/usage").want(http.StatusOK).at("used").(float64)
		if stored := len(m.decisionIDs()); used < 1 || used > most || float64(stored) != used {
			s.Errorf("of %d lines %d were decided and %v billed; want the same number, and at most %d", lines, stored,
				used, most)
		}
		m.post("/v1/decisions", batchItem("B-1", 0.32)).want(http.StatusOK)
		l := m.stream("/v1/decisions/batch")
		l.write(batchItem("B-2", 0.32) + "\n")
		if got := l.read(); got.at("decision", "status") == nil {
			s.Errorf("another stream: %s", got.body)
		}
		_ = l.to.Close()
		l.end()
	})
}

// decisionIDs returns the ids of all decisions of the caller.
func (m *member) decisionIDs() (ids []string) {
	m.Helper()
	for path := "/v1/decisions?limit=100"; path != ""; {
		page := m.get(path).want(http.StatusOK)
		for _, e := range page.list("data") {
			entry, _ := e.(map[string]any)
			id, _ := entry["decision_id"].(string)
			ids = append(ids, id)
		}
		next := page.text("pagination", "next_cursor")
		if path = ""; next != "" {
			path = "/v1/decisions?limit=100&cursor=" + next
		}
	}
	return ids
}
