package serving

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

const plainRequest = "POST /v1/decisions HTTP/1.1\r\nHost: localhost:8080\r\nAuthorization: Bearer vk_test_1\r\n" +
	"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"

func TestParseHead(t *testing.T) {
	t.Parallel()
	h, ok := ParseHead([]byte(plainRequest + "further bytes"))
	if !ok || string(h.Method) != "POST" || string(h.Path) != "/v1/decisions" ||
		string(h.Authorization) != "Bearer vk_test_1" || h.Size != int64(len(plainRequest)) {
		t.Errorf("%v: %q %q %q, %d bytes", ok, h.Method, h.Path, h.Authorization, h.Size)
	}
	if h, ok := ParseHead([]byte("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")); !ok || h.Size != 32 {
		t.Errorf("a request without a body: %v, %d bytes", ok, h.Size)
	}
}

// TestParseHeadLeavesTheRest checks that every request whose end is not certain is left
// to net/http.
func TestParseHeadLeavesTheRest(t *testing.T) {
	t.Parallel()
	with := func(header string) string {
		return strings.Replace(plainRequest, "Content-Type: application/json", header, 1)
	}
	for name, request := range map[string]string{
		"nothing":               "",
		"half a head":           plainRequest[:60],
		"a head without an end": strings.TrimSuffix(plainRequest, "\r\n\r\n{}"),
		"a query":               strings.Replace(plainRequest, "/v1/decisions", "/v1/decisions?a=b", 1),
		"an escaped path":       strings.Replace(plainRequest, "/v1/decisions", "/v1/%64ecisions", 1),
		"an absolute URL":       strings.Replace(plainRequest, "/v1/decisions", "http://a/v1/decisions", 1),
		"HTTP/1.0":              strings.Replace(plainRequest, "HTTP/1.1", "HTTP/1.0", 1),
		"bare line feeds":       strings.ReplaceAll(plainRequest, "\r\n", "\n"),
		"a transfer coding":     with("Transfer-Encoding: chunked"),
		"an expectation":        with("Expect: 100-continue"),
		"an upgrade":            with("Upgrade: h2c"),
		"a closing connection":  with("Connection: close"),
		"two lengths":           with("Content-Length: 3"),
		"two keys":              with("Authorization: Bearer vk_test_2"),
		"two hosts":             with("Host: b"),
		"no host":               strings.Replace(plainRequest, "Host: localhost:8080\r\n", "", 1),
		"a signed length":       strings.Replace(plainRequest, "Length: 2", "Length: +2", 1),
		"an endless length":     strings.Replace(plainRequest, "Length: 2", "Length: 99999999999999999999", 1),
		"a folded line":         with("X-A: b\r\n c"),
		"a blank before colon":  with("X-A : b"),
		"a line without colon":  with("X-A"),
		"a control character":   with("X-A: \x01"),
	} {
		if _, ok := ParseHead([]byte(request)); ok {
			t.Errorf("%s: parsed", name)
		}
	}
}

// FuzzHead checks every request that ParseHead accepts: net/http must read the same method, path and Authorization
// header from it, and must find its end at the same byte.
func FuzzHead(f *testing.F) {
	f.Add([]byte(plainRequest))
	f.Add([]byte("GET /livez HTTP/1.1\r\nHost: a\r\nConnection: Keep-Alive\r\n\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, ok := ParseHead(data)
		if !ok || h.Size > int64(len(data)) {
			return
		}
		from := bytes.NewReader(data)
		buffered := bufio.NewReader(from)
		r, err := http.ReadRequest(buffered)
		if err != nil {
			t.Fatalf("net/http refuses it: %v", err)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		rest := from.Len() + buffered.Buffered()
		if r.Method != string(h.Method) || r.URL.EscapedPath() != string(h.Path) || r.URL.RawQuery != "" ||
			r.Header.Get("Authorization") != string(h.Authorization) || r.Close || len(r.TransferEncoding) > 0 ||
			int64(len(data)-rest) != h.Size || r.ContentLength != int64(len(body)) {
			t.Fatalf("read %q %q %d, and net/http %q %q %d", h.Method, h.Path, h.Size,
				r.Method, r.URL, len(data)-rest)
		}
	})
}
