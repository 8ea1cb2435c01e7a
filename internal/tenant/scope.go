package tenant

import (
	"strings"

	"verdict/internal/fault"
)

// Scopes is a set of permissions. The zero set permits nothing.
type Scopes uint16

// The scopes. Activating a policy is separate from writing one, so that one person
// can write a policy and another can activate it. Read does not include the facts
// of a decision, because they are personal data. Admin includes every scope,
// including future scopes, and the management of keys.
const (
	Decide Scopes = 1 << iota
	Read
	PolicyWrite
	PolicyActivate
	FactsRead
	LogRead      // the log, which contains nothing about people
	EvidenceRead // capsules, which contain the facts of a decision and its whole policy
	// WebhooksManage is for the addresses to which events are sent. It is separate, because
	// it lets data leave the service.
	WebhooksManage
	// PrivacyManage is for access to all data about a person, erasures, legal holds and
	// retention periods. It is separate, because an erasure cannot be undone.
	PrivacyManage
	Admin
)

var scopeNames = []struct {
	scope Scopes
	name  string
}{
	{Decide, "decide"},
	{Read, "read"},
	{PolicyWrite, "policy:write"},
	{PolicyActivate, "policy:activate"},
	{FactsRead, "facts:read"},
	{LogRead, "log:read"},
	{EvidenceRead, "evidence:read"},
	{WebhooksManage, "webhooks:manage"},
	{PrivacyManage, "privacy:manage"},
	{Admin, "admin"},
}

// Has reports whether the set includes every scope of wanted. It returns false if
// wanted is empty, because an empty set means that the caller forgot to name a
// scope.
func (s Scopes) Has(wanted Scopes) bool {
	if wanted == 0 {
		return false
	}
	return s&Admin != 0 || s&wanted == wanted
}

// Within returns the intersection of the two sets.
func (s Scopes) Within(may Scopes) Scopes {
	switch {
	case may&Admin != 0:
		return s
	case s&Admin != 0:
		return may
	default:
		return s & may
	}
}

// Names returns the names of the scopes in a fixed order. If the set includes
// admin, it returns only "admin", which includes the rest.
func (s Scopes) Names() []string {
	if s&Admin != 0 {
		return []string{"admin"}
	}
	names := make([]string, 0, len(scopeNames))
	for _, n := range scopeNames {
		if s&n.scope != 0 {
			names = append(names, n.name)
		}
	}
	return names
}

// String returns the names separated by single spaces. This is the form that
// ParseScopes reads and storage stores.
func (s Scopes) String() string { return strings.Join(s.Names(), " ") }

// ParseScopes reads names separated by spaces or commas.
func ParseScopes(text string) (Scopes, error) {
	return ScopesOf(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' })...)
}

// ScopesOf returns the set of the named scopes. It refuses an unknown name and an
// empty set, because a key without permissions is a mistake.
func ScopesOf(names ...string) (Scopes, error) {
	var s Scopes
	for _, name := range names {
		scope := scopeNamed(name)
		if scope == 0 {
			return 0, fault.New(fault.Invalid, fault.CodeUnknownScope, "a scope must be one of %s", allScopeNames())
		}
		s |= scope
	}
	switch {
	case s == 0:
		return 0, fault.New(fault.Invalid, fault.CodeRequired, "at least one scope is required, of %s", allScopeNames())
	case s&Admin != 0:
		return Admin, nil // the canonical form of all scopes
	}
	return s, nil
}

func scopeNamed(name string) Scopes {
	for _, n := range scopeNames {
		if n.name == name {
			return n.scope
		}
	}
	return 0
}

func allScopeNames() string { return strings.Join(ScopeNames(), ", ") }

// ScopeNames returns the names of all scopes in a fixed order.
func ScopeNames() []string {
	names := make([]string, 0, len(scopeNames))
	for _, n := range scopeNames {
		names = append(names, n.name)
	}
	return names
}
