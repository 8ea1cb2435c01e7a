package tenant

import "verdict/internal/fault"

// Principal is who calls, as far as anything below the door needs to know: a
// storage handle is made from TenantID and Environment and sees nothing else.
// The zero Principal may do nothing.
type Principal struct {
	TenantID    string
	Environment Environment
	KeyID       string // "" for a person in the console
	UserID      string // whose key it is, or who is signed in
	Scopes      Scopes
	Plan        Plan
}

// Require is nil when the caller has the scope, else the 403 that names it.
func (p Principal) Require(scope Scopes) error {
	if p.TenantID != "" && p.Environment.Valid() && p.Scopes.Has(scope) {
		return nil
	}
	if p.KeyID == "" && p.UserID != "" {
		return fault.New(fault.Forbidden, fault.CodeInsufficientScope,
			"this needs a role with the scope %s; an administrator can give it to you", scope)
	}
	return fault.New(fault.Forbidden, fault.CodeInsufficientScope,
		"this call needs an API key with the scope %s", scope)
}
