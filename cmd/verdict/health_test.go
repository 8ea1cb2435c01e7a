package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestProbeFollowsNoRedirect probes a server that redirects to an existing page. The probe must fail, because such a
// server is not a working service.
func TestProbeFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/livez" {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		}
	}))
	defer server.Close()
	if status, _, err := probe(t.Context(), server.URL+"/elsewhere"); err != nil || status != http.StatusOK {
		t.Errorf("a page: %v", err)
	}
	if status, _, err := probe(t.Context(), server.URL+"/livez"); err != nil || status == http.StatusOK {
		t.Error("a redirect counts as a service that works")
	}
}
