package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestProbeFollowsNoRedirect asks something that answers with a redirect to a page that exists. That is not a service
// that works.
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
