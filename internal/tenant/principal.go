package tenant

import (
	"strings"

	"verdict/internal/fault"
)

// Principal is the authenticated caller. A storage handle is made from TenantID and
// Environment, and has access to no other data. The zero Principal may do nothing.
type Principal struct {
	TenantID    string
	Environment Environment
	KeyID       string // "" for a person in the console
	UserID      string // the owner of the key, or the person who is signed in
	Scopes      Scopes
	Plan        PricePlan
}

// Require returns nil if the caller has the scope, and otherwise an error of kind
// Forbidden that names the scope, and those that the caller's key has.
func (p Principal) Require(scope Scopes) error {
	if p.TenantID != "" && p.Environment.Valid() && p.Scopes.Has(scope) {
		return nil
	}
	if p.KeyID == "" && p.UserID != "" {
		return fault.New(fault.Forbidden, fault.CodeInsufficientScope,
			"this action needs a role with the scope %s; ask an administrator for such a role", scope)
	}
	held := ""
	if names := p.Scopes.Names(); len(names) > 0 {
		held = "; this key has " + strings.Join(names, ", ")
	}
	return fault.New(fault.Forbidden, fault.CodeInsufficientScope,
		"this call needs an API key with the scope %s%s", scope, held)
}
