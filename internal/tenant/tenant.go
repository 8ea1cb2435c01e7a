// Package tenant defines tenants and their users, roles, passwords and tokens, API keys
// and their scopes, environments, plans, ids and rate limits.
//
// It creates, hashes, parses and checks these values. It stores nothing and implements
// no protocol. Randomness and time are arguments, so that tests can control them. A
// secret (such as a key, a password or a token) has a type that does not print its value.
package tenant

import (
	"time"

	"verdict/internal/fault"
)

// Tenant is a lender. Every row of a lender's data belongs to exactly one tenant.
type Tenant struct {
	ID        string
	OrgName   string
	Plan      string // the name of a plan, for PricePlans.Get
	CreatedAt time.Time
}

// Unauthenticated returns the refusal of a request without a valid key. The text is
// the same for every cause, so that it reveals nothing to an attacker.
func Unauthenticated() error {
	return fault.New(fault.Unauthenticated, fault.CodeUnauthenticated,
		`a valid API key is required, in the header "Authorization: Bearer <API_KEY>"; `+KeyForm)
}
