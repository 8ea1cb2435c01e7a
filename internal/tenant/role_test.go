package tenant

import (
	"errors"
	"testing"

	"verdict/internal/fault"
)

func TestRoles(t *testing.T) {
	t.Parallel()
	for role, want := range map[Role]string{
		RoleAdmin:  "admin",
		RoleRisk:   "decide read policy:write policy:activate facts:read log:read evidence:read",
		RoleViewer: "read log:read",
		"king":     "", "": "",
	} {
		if got := role.Scopes().String(); got != want {
			t.Errorf("%q may %q, want %q", role, got, want)
		}
	}
	for _, role := range Roles() {
		if role != RoleAdmin && role.Scopes().Has(Admin) {
			t.Errorf("%s may do everything", role)
		}
	}
}

// TestPersonIsToldOfARole checks that the refusal of a signed-in person names a role
// and not an API key, which the person did not use.
func TestPersonIsToldOfARole(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		who  Principal
		want string
	}{
		{Principal{TenantID: "ten_1", Environment: Live, UserID: "usr_1", Scopes: Read},
			"this action needs a role with the scope admin; ask an administrator for such a role"},
		{Principal{TenantID: "ten_1", Environment: Live, UserID: "usr_1", KeyID: "key_1", Scopes: PolicyWrite | Read},
			"this call needs an API key with the scope admin; this key has read, policy:write"},
		{Principal{}, "this call needs an API key with the scope admin"},
	} {
		var refusal *fault.Error
		if err := c.who.Require(Admin); !errors.As(err, &refusal) || refusal.Detail != c.want {
			t.Errorf("told %v, want %q", err, c.want)
		}
	}
}
