package tenant

import (
	"strings"

	"verdict/internal/fault"
)

// Scopes is a set of things a key may do. The zero set may do nothing.
type Scopes uint8

// The scopes. Activating a policy is apart from writing one, so
// that who drafts need not be who arms. Reading the facts that a decision was
// made on is no part of reading decisions: they are about a person. Admin is everything, the scopes that
// are yet to be thought of included, and the managing of keys.
const (
	Decide Scopes = 1 << iota
	Read
	PolicyWrite
	PolicyActivate
	FactsRead
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
	{Admin, "admin"},
}

// Has reports whether the set covers every scope of another, which must not be
// empty: a question for nothing was forgotten, and the answer to it is no.
func (s Scopes) Has(wanted Scopes) bool {
	if wanted == 0 {
		return false
	}
	return s&Admin != 0 || s&wanted == wanted
}

// Within is what of the set another set covers.
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

// Names lists the scopes in their fixed order; admin stands alone, because it
// says the rest.
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

// String writes the set the way ParseScopes reads it and storage keeps it:
// names separated by single spaces.
func (s Scopes) String() string { return strings.Join(s.Names(), " ") }

// ParseScopes reads names separated by spaces or commas.
func ParseScopes(text string) (Scopes, error) {
	return ScopesOf(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' })...)
}

// ScopesOf makes a set of names. An unknown name is refused, and so is the
// empty set: a key that may do nothing was not what somebody meant.
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
		return Admin, nil // one way to say everything
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

func allScopeNames() string {
	names := make([]string, 0, len(scopeNames))
	for _, n := range scopeNames {
		names = append(names, n.name)
	}
	return strings.Join(names, ", ")
}
