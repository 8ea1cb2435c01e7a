package console_test

import (
	"maps"
	"strings"
	"testing"

	"verdict/internal/tenant"
)

// paths are the pages that name something in particular, and those that are
// worth more than one look; nil for those that are looked at elsewhere. Most
// looks are at live, where there is more to see.
func (s *stage) paths(t *testing.T) map[string][]look {
	t.Helper()
	all := map[string][]look{
		"/console": nil, "/console/{$}": nil, "/console/signin": nil, "/console/signup": nil, "/console/invite/{token}": nil,
		"/console/{env}":                 {{path: "/console/live"}, {path: "/console/sandbox", name: "sandbox"}},
		"/console/{env}/policies/fields": nil, // asked for by the editor's script
		"/console/{env}/reference":       {{path: "/console/live/reference", cut: ".reference > :nth-child(n+4)"}},
	}
	maps.Copy(all, exhibitsOf(s.service, s.caller(tenant.Live)).paths(t))
	return all
}

// file is the name of the page's pictures.
func (l look) file(pattern string) string {
	name := strings.Trim(strings.NewReplacer("/console", "", "/{env}", "", "{", "", "}", "", "/", "-").Replace(pattern), "-")
	if name == "" {
		name = "overview"
	}
	if l.name != "" {
		name += "-" + l.name
	}
	return name
}
