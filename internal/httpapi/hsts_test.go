package httpapi_test

import (
	"crypto/tls"
	"net/http/httptest"
	"net/netip"
	"testing"

	"verdict/internal/httpapi"
	"verdict/internal/serving"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
)

// TestBrowsersComeBackByTLS checks that every answer to a request that arrived by TLS has a
// Strict-Transport-Security header, and that answers to all other requests have none. The TLS connection may end at
// the service or at a trusted proxy.
func TestBrowsersComeBackByTLS(t *testing.T) {
	t.Parallel()
	service, err := usecase.New(storetest.Open(t, storetest.SQLite(t), store.Options{}), usecase.Options{})
	if err != nil {
		t.Fatal(err)
	}
	api, err := httpapi.New(service, httpapi.Options{Node: serving.NewNode(serving.Limits{
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
	})})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/livez", "/v1/usage", "/docs", "/nowhere", "/v1/rule-sets?limit=x"} {
		for name, c := range map[string]struct {
			tls         bool
			from, proto string
			want        string
		}{
			"plain":           {false, "10.0.0.1:80", "", ""},
			"TLS":             {true, "192.0.2.1:80", "", "max-age=31536000"},
			"trusted proxy":   {false, "10.0.0.1:80", "https", "max-age=31536000"},
			"plain to proxy":  {false, "10.0.0.1:80", "http", ""},
			"anybody's claim": {false, "192.0.2.1:80", "https", ""},
		} {
			r := httptest.NewRequest("GET", path, nil)
			r.RemoteAddr, r.TLS = c.from, nil
			if c.tls {
				r.TLS = &tls.ConnectionState{}
			}
			if c.proto != "" {
				r.Header.Set("X-Forwarded-Proto", c.proto)
			}
			w := httptest.NewRecorder()
			api.ServeHTTP(w, r)
			if got := w.Header().Get("Strict-Transport-Security"); got != c.want {
				t.Errorf("%s, %s: %q, want %q", path, name, got, c.want)
			}
		}
	}
}
