package tenant

// Role is what a person is to a tenant.
type Role string

// The roles. Who signs up is an administrator; the others are invited.
const (
	RoleAdmin  Role = "admin"  // may do everything, people and keys included
	RoleRisk   Role = "risk"   // decides, writes policies and arms them
	RoleViewer Role = "viewer" // looks
)

// Roles lists the roles, the mightiest first, in the order they are shown.
func Roles() []Role { return []Role{RoleAdmin, RoleRisk, RoleViewer} }

// ParseRole reads a role's name.
func ParseRole(text string) (r Role, ok bool) {
	r = Role(text)
	return r, r.Scopes() != 0
}

// Scopes are the scopes of a role; an unknown one has none.
func (r Role) Scopes() Scopes {
	switch r {
	case RoleAdmin:
		return Admin
	case RoleRisk:
		return Decide | Read | PolicyWrite | PolicyActivate | FactsRead
	case RoleViewer:
		return Read
	}
	return 0
}
