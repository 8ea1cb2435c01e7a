// Package tenant is who is calling: tenants and their users, API keys and what
// they may do, environments, plans, and the ids that name all of them.
//
// It mints, hashes, reads and checks; it stores nothing and speaks no
// protocol. Randomness and the time of day come in as arguments, so that a
// test decides them. A secret (a key, a password, a password's hash) is held
// in a type that does not print itself.
package tenant

import (
	"time"

	"verdict/internal/fault"
)

// Tenant is a lender: everything stored belongs to exactly one.
type Tenant struct {
	ID        string
	OrgName   string
	Plan      string // the name of a plan; Plans.Get has the rest
	CreatedAt time.Time
}

// User is a person who signs in to a tenant's console. An e-mail address, as
// NormaliseEmail writes it, belongs to one user of the whole service.
type User struct {
	ID           string
	TenantID     string
	Email        string
	Role         Role
	PasswordHash Secret // as Hasher.Hash made it
	CreatedAt    time.Time
}

// Unauthenticated is the refusal of a request without a valid key. It says the
// same whatever was wrong, so that nothing can be learnt by trying.
func Unauthenticated() error {
	return fault.New(fault.Unauthenticated, fault.CodeUnauthenticated,
		"a valid API key is required, in the header Authorization: Bearer <API_KEY>")
}
