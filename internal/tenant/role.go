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

// personal are the scopes of what a person answers for. What programs do with a
// key, deciding and reading, does not end with the person.
const personal = PolicyWrite | PolicyActivate

// Allow returns what is left of the scopes of a key: what its owner answers for
// goes when the owner is disabled or has a role without it.
func (r Role) Allow(key Scopes, enabled bool) Scopes {
	may := r.Scopes()
	if !enabled {
		may = 0
	}
	switch {
	case may&Admin != 0:
		return key
	case key&Admin != 0:
		key = Decide | Read | FactsRead | PolicyWrite | PolicyActivate
	}
	return key &^ (personal &^ may)
}
