package outbound_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"verdict/internal/outbound"
)

// TestHTTP checks that a client for libraries has the rules of the package: forbidden addresses, no redirects, and a
// limit for what is read.
func TestHTTP(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/elsewhere" {
			http.Redirect(w, r, "/", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, strings.Repeat("x", 100))
	}))
	t.Cleanup(server.Close)
	get := func(c *http.Client, path string) (int, string, error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := c.Do(request)
		if err != nil {
			return 0, "", err
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		return response.StatusCode, string(body), err
	}
	if status, _, err := get(outbound.New(outbound.Options{}).HTTP(100), "/"); err == nil {
		t.Errorf("a loopback address answered %d", status)
	}
	open := outbound.New(outbound.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	if status, body, err := get(open.HTTP(100), "/"); err != nil || status != http.StatusOK || len(body) != 100 {
		t.Errorf("%d, %d bytes, %v", status, len(body), err)
	}
	if _, body, err := get(open.HTTP(99), "/"); err == nil || len(body) > 99 {
		t.Errorf("%d bytes beyond the limit, %v", len(body), err)
	}
	if status, _, err := get(open.HTTP(100), "/elsewhere"); err != nil || status != http.StatusFound {
		t.Errorf("a redirect gives %d, %v", status, err)
	}
}
