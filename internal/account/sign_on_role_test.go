package account

import (
	"testing"

	"verdict/internal/tenant"
)

// TestDefaultRole checks that only people in none of the groups get the default role. A group can give a role
// with fewer permissions.
func TestDefaultRole(t *testing.T) {
	t.Parallel()
	c := Connection{
		Roles:       map[string]tenant.Role{"Auditors": tenant.RoleViewer, "Admins": tenant.RoleAdmin},
		DefaultRole: tenant.RoleRisk,
	}
	for _, test := range []struct {
		groups []string
		want   tenant.Role
	}{
		{nil, tenant.RoleRisk},
		{[]string{"Everybody"}, tenant.RoleRisk},
		{[]string{"Everybody", "Auditors"}, tenant.RoleViewer},
		{[]string{"Auditors", "Admins"}, tenant.RoleAdmin},
	} {
		if got := c.role(test.groups); got != test.want {
			t.Errorf("%v: %q, want %q", test.groups, got, test.want)
		}
	}
	c.DefaultRole = ""
	if got := c.role([]string{"Everybody"}); got != "" {
		t.Errorf("without a group and a default: %q", got)
	}
}
