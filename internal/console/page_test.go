package console_test

import (
	"net/http"
	"strings"
	"testing"

	"verdict/internal/tenant"
)

// TestEveryPageIsDrawn checks that every page that needs no id is shown, in both
// environments.
func TestEveryPageIsDrawn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	b.decide(tenant.Sandbox, "A-1")
	for _, route := range h.console.Routes() {
		path, isPage := strings.CutPrefix(route, "GET ")
		if !isPage || strings.Contains(strings.ReplaceAll(path, "{env}", ""), "{") {
			continue
		}
		for _, env := range tenant.Environments() {
			at := strings.Replace(path, "{env}", string(env), 1)
			shown := b.get(at)
			if shown.status != http.StatusOK && shown.status != http.StatusSeeOther {
				t.Errorf("%s is answered with %d\n%s", at, shown.status, shown.body)
			}
			if shown.header.Get("Content-Security-Policy") == "" || shown.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s lacks the headers of every page: %v", at, shown.header)
			}
			for _, forbidden := range []string{
				" style=", "<style", " onclick", "javascript:", "ZgotmplZ", "<no value>",
			} {
				if strings.Contains(shown.body, forbidden) {
					t.Errorf("%s has %q in it", at, forbidden)
				}
			}
			if strings.Contains(path, "{env}") && shown.status == http.StatusOK {
				live := strings.Contains(shown.body, "<title>LIVE · ")
				if live != (env == tenant.Live) && strings.Contains(shown.body, "<!doctype") {
					t.Errorf("%s: that this is live is said %v", at, live)
				}
			}
		}
	}
}
