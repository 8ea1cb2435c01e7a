package httpapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"verdict/internal/httpapi"
)

func TestBodiesThatAreNotJSON(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for name, c := range map[string]struct {
			body, code string
		}{
			"nothing":          {"", "malformed_json"},
			"a word":           {"ZEBRA", "malformed_json"},
			"cut short":        {`{"applicant":{"id":"ZEBRA"`, "malformed_json"},
			"two documents":    {`{} {}`, "malformed_json"},
			"a trailing comma": {`{"a":1,}`, "malformed_json"},
			"not a number":     {`{"a":NaN}`, "malformed_json"},
			"infinity":         {`{"a":Infinity}`, "malformed_json"},
			"a null byte":      {"{\"ZEBRA\x00\":1}", "malformed_json"},
			"an escaped null":  {`{"applicant":{"id":"ZEBRA\u0000"},"bureau_report":{"score":742}}`, "malformed_json"},
			"not UTF-8":        {"{\"a\":\"ZEBRA\xff\"}", "malformed_json"},
			"half a pair":      {`{"a":"\ud800ZEBRA"}`, "malformed_json"},
			"a byte order":     {"{}\ufeff", "malformed_json"},
			"a key twice":      {`{"a":"ZEBRA","a":"ZEBRA"}`, "duplicate_key"},
			"escaped twice":    {`{"applicant":{"id":"a","i\u0064":"ZEBRA"}}`, "duplicate_key"},
			"a huge number":    {`{"bureau_report":{"score":771239e15}}`, "number_out_of_range"},
			"a long exponent":  {`{"a":1e771239771239}`, "number_out_of_range"},
			"deep arrays":      {strings.Repeat("[", 100_000), "malformed_json"},
			"deep objects":     {strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat("}", 1000), "malformed_json"},
		} {
			for _, path := range []string{"/v1/decisions", "/v1/decisions/preview", "/v1/rule-sets"} {
				got := m.post(path, c.body)
				if got.status != http.StatusBadRequest || got.text("code") != c.code {
					s.Errorf("%s to %s: %d %s", name, path, got.status, got.body)
				}
				got.silent(s, "ZEBRA", "771239")
			}
		}
	})
}

func TestBodiesThatAreTooLarge(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		padded := asking(sample, `"padding":"`+strings.Repeat("x", 1<<20)+`"`)
		m.post("/v1/decisions", padded).refused(http.StatusRequestEntityTooLarge, "request_too_large")
		m.post("/v1/decisions", strings.Repeat(" ", 1<<20-len(sample))+sample).want(http.StatusOK)
		chunked := func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+m.key)
			r.Header.Set("Content-Type", "application/json")
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(padded)), -1
		}
		s.raw("POST", "/v1/decisions", chunked).refused(http.StatusRequestEntityTooLarge, "request_too_large")
		s.send("POST", "/api/signup", "", padded).refused(http.StatusRequestEntityTooLarge, "request_too_large")
		m.get("/v1/usage").is("used", 1)
	})
}

func TestHeadersOfARequest(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for header, want := range map[string]int{
			"Content-Type: text/plain":                        http.StatusUnsupportedMediaType,
			"Content-Type: application/x-www-form-urlencoded": http.StatusUnsupportedMediaType,
			"Content-Type: application/json; charset=latin1":  http.StatusUnsupportedMediaType,
			"Content-Type: application/json; charset=UTF-8":   http.StatusOK,
			"Content-Type: ;;;":                               http.StatusUnsupportedMediaType,
			"Content-Encoding: gzip":                          http.StatusUnsupportedMediaType,
			"Content-Encoding: identity":                      http.StatusOK,
			"Accept: text/html":                               http.StatusNotAcceptable,
			"Accept: text/html, application/json;q=0.1":       http.StatusOK,
			"Accept: */*":                                     http.StatusOK,
			"Accept: text/csv":                                http.StatusNotAcceptable,
		} {
			got := m.post("/v1/decisions", sample, header)
			if got.status != want {
				s.Errorf("%s: %d, want %d: %s", header, got.status, want, got.body)
			}
			if code := map[int]string{415: "unsupported_media_type", 406: "not_acceptable"}[want]; code != "" {
				got.refused(want, code)
			}
		}
	})
}

func TestMethods(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for _, c := range []struct{ method, path, allow string }{
			{"PUT", "/v1/decisions", "GET, HEAD, POST"}, {"DELETE", "/v1/decisions/dec_1", "GET, HEAD"},
			{"GET", "/v1/decisions/preview/", ""}, {"GET", "/v1/eligibility", "POST"},
			{"OPTIONS", "/v1/usage", "GET, HEAD"}, {"GET", "/api/signup", "POST"}, {"POST", "/livez", "GET, HEAD"},
			{"POST", "/docs", "GET, HEAD"}, {"PUT", "/openapi.yaml", "GET, HEAD"},
		} {
			got := s.send(c.method, c.path, m.key, "")
			if c.allow == "" {
				got.refused(http.StatusNotFound, "not_found")
				continue
			}
			if got.refused(http.StatusMethodNotAllowed, "method_not_allowed"); got.header.Get("Allow") != c.allow {
				s.Errorf("%s allows %q, want %q", got.sent, got.header.Get("Allow"), c.allow)
			}
		}
		for _, path := range []string{"/v1/usage", "/livez", "/readyz", "/docs", "/openapi.yaml", "/v1/health"} {
			head := s.send("HEAD", path, m.key, "").want(http.StatusOK)
			if len(head.body) != 0 {
				s.Errorf("HEAD %s has a body", path)
			}
		}
		s.send("GET", "/ZEBRA", "", "").refused(http.StatusNotFound, "not_found").silent(s, "ZEBRA")
		s.send("GET", "//", "", "").refused(http.StatusNotFound, "not_found")
		got := m.get("/v1/usage")
		if got.header.Get("Cache-Control") != "no-store" || got.header.Get("X-Content-Type-Options") != "nosniff" {
			s.Errorf("the headers are %v", got.header)
		}
	})
}

// TestSlowBody checks that a request whose body stalls halfway is answered with a timeout. On a busy machine the
// timeout may expire before the server has read the headers; the connection is then closed without an answer, and the
// test tries again with a longer timeout.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		var response *http.Response
		for within := 100 * time.Millisecond; response == nil && within < 2*time.Minute; within *= 4 {
			response = m.stall(within)
		}
		if response == nil || response.StatusCode != http.StatusRequestTimeout || !response.Close {
			s.Errorf("answered %+v", response)
		}
		m.get("/v1/usage").is("used", 0)
	})
}

// stall sends half a request to a server with the timeout within, and returns the head of the answer, or nil if the
// server closes the connection without an answer.
func (m *member) stall(within time.Duration) *http.Response {
	m.Helper()
	slow := m.otherwise(func(*httpapi.Options) {}, func(server *httptest.Server) {
		server.Config.ReadTimeout = within
	})
	conn, err := (&net.Dialer{}).DialContext(m.Context(), "tcp", strings.TrimPrefix(slow.url, "http://"))
	if err != nil {
		m.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	// The server may already have closed the connection, which the read below notices.
	_, _ = fmt.Fprintf(conn, "POST /v1/decisions HTTP/1.1\r\nHost: x\r\n"+
		"Authorization: Bearer %s\r\nContent-Length: 400\r\n\r\n{\"applicant\":", m.key)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return nil
	}
	_ = response.Body.Close()
	return response
}
