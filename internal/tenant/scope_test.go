package tenant

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"verdict/internal/fault"
)

var singles = []Scopes{Decide, Read, PolicyWrite, PolicyActivate, FactsRead, Admin}

// TestScopesAll checks formatting, parsing and membership for every set of
// scopes.
func TestScopesAll(t *testing.T) {
	t.Parallel()
	for s := Scopes(1); s < Admin<<1; s++ {
		want := s
		if s&Admin != 0 {
			want = Admin
		}
		for _, text := range []string{s.String(), strings.Join(s.Names(), ","),
			" " + strings.Join(s.Names(), " , ") + " "} {
			if got, err := ParseScopes(text); err != nil || got != want {
				t.Errorf("%q reads as %v and %v, want %v", text, got, err, want)
			}
		}
		for _, one := range singles {
			if got := s.Has(one); got != (s&one != 0 || s&Admin != 0) {
				t.Errorf("%v has %v: %v", s, one, got)
			}
		}
		if s.Has(0) || !s.Has(s) || Scopes(0).Has(s) {
			t.Errorf("%v has the wrong sets", s)
		}
		p := Principal{TenantID: "ten_1", Environment: Sandbox, Scopes: s}
		for _, one := range singles {
			if err := p.Require(one); (err == nil) != s.Has(one) {
				t.Errorf("%v: %v is answered with %v", s, one, err)
			}
		}
	}
	if got := (Decide | PolicyActivate).String(); got != "decide policy:activate" {
		t.Errorf("got %s", got)
	}
	if got := Scopes(0).Names(); len(got) != 0 || got == nil {
		t.Errorf("the empty set has the names %v", got)
	}
}

func TestScopesRefused(t *testing.T) {
	t.Parallel()
	for text, code := range map[string]string{
		"": fault.CodeRequired, " , ": fault.CodeRequired,
		"write": fault.CodeUnknownScope, "decide hunter2": fault.CodeUnknownScope, "Decide": fault.CodeUnknownScope,
		"policy": fault.CodeUnknownScope, "policy:": fault.CodeUnknownScope, "decide\tread": fault.CodeUnknownScope,
	} {
		got, err := ParseScopes(text)
		var refusal *fault.Error
		if got != 0 || !errors.As(err, &refusal) || refusal.Kind != fault.Invalid || refusal.Code != code {
			t.Errorf("%q reads as %v and %v", text, got, err)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "policy:activate") {
			t.Errorf("the refusal is %v", err)
		}
	}
}

func TestRequireNames(t *testing.T) {
	t.Parallel()
	full := Principal{TenantID: "ten_1", Environment: Live, Scopes: Admin}
	for name, p := range map[string]Principal{
		"zero":           {},
		"no tenant":      {Environment: Live, Scopes: Admin},
		"no environment": {TenantID: "ten_1", Scopes: Admin},
		"other scopes":   {TenantID: "ten_1", Environment: Live, Scopes: Decide | Read | PolicyWrite},
	} {
		var refusal *fault.Error
		err := p.Require(PolicyActivate)
		if !errors.As(err, &refusal) || refusal.Kind != fault.Forbidden ||
			refusal.Code != fault.CodeInsufficientScope ||
			!strings.Contains(refusal.Detail, "policy:activate") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := full.Require(PolicyActivate); err != nil {
		t.Error(err)
	}
	if err := full.Require(0); err == nil {
		t.Error("a call that needs no scope was let through")
	}
}

func TestRoleAndEnvironment(t *testing.T) {
	t.Parallel()
	if RoleAdmin.Scopes() != Admin || Role("").Scopes() != 0 || Role("owner").Scopes() != 0 {
		t.Error("a role has the wrong scopes")
	}
	for _, e := range Environments() {
		if got, ok := ParseEnvironment(string(e)); !ok || got != e {
			t.Errorf("%s does not read back", e)
		}
	}
	for _, text := range []string{"", "Live", "sandbox ", "test"} {
		if got, ok := ParseEnvironment(text); ok || got != "" || slices.Contains(Environments(), Environment(text)) {
			t.Errorf("%q reads as %q", text, got)
		}
	}
}
