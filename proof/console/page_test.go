package console_test

import (
	"maps"
	"strings"
	"testing"

	"verdict/internal/console/consoletest"
	"verdict/internal/tenant"
)

// paths returns the pages with an id in their path and the pages that are checked in several states. A pattern
// with the value nil is checked elsewhere or is not a separate page. Most pages are in the live environment,
// which has more data.
func (s *stage) paths(t *testing.T) map[string][]consoletest.Page {
	t.Helper()
	all := map[string][]consoletest.Page{
		"/console": nil, "/console/{$}": nil, "/console/signin": nil, "/console/signup": nil,
		"/console/invite/{token}": nil, "/console/sso/{id}": nil, "/console/sso/{id}/callback": nil,
		// The editor's script requests "/console/{env}/policies/fields".
		"/console/{env}/policies/fields": nil, "/console/{env}/policies/fields/absence": nil,
	}
	examples := consoletest.NewExamples(s.service, s.caller(tenant.Live))
	maps.Copy(all, examples.Pages(t))
	all["/console/{env}"] = append(all["/console/{env}"],
		consoletest.Page{Path: "/console/sandbox", Name: "sandbox"})
	all["/console/{env}/decisions"] = []consoletest.Page{{Path: "/console/live/decisions"}, examples.Loans(t)}
	return all
}

// fileOf returns the name of the page's screenshots.
func fileOf(page consoletest.Page, pattern string) string {
	name := strings.Trim(strings.NewReplacer("/console", "", "/{env}", "", "{", "", "}", "", "/", "-").Replace(pattern),
		"-")
	if name == "" {
		name = "overview"
	}
	if page.Name != "" {
		name += "-" + page.Name
	}
	return name
}
