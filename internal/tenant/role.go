package tenant

// Role is the role of a person in a tenant.
type Role string

// The roles. A person who signs up is an administrator; others are invited, or added by
// the operator.
const (
	RoleAdmin  Role = "admin"  // may do everything, including people and keys
	RoleRisk   Role = "risk"   // decides, writes policies and activates them
	RoleViewer Role = "viewer" // reads only
)

// Roles returns the roles in display order, beginning with the most powerful.
func Roles() []Role { return []Role{RoleAdmin, RoleRisk, RoleViewer} }

// Scopes returns the scopes of a role; an unknown role has none.
func (r Role) Scopes() Scopes {
	switch r {
	case RoleAdmin:
		return Admin
	case RoleRisk:
		return Decide | Read | PolicyWrite | PolicyActivate | FactsRead | LogRead | EvidenceRead
	case RoleViewer:
		return Read | LogRead
	}
	return 0
}

// personal holds the scopes that depend on the owner of a key. Programs use the
// other scopes, such as deciding and reading, so a key still has those scopes
// when its owner is disabled.
const personal = PolicyWrite | PolicyActivate

// Allow returns the effective scopes of a key. If the owner is an enabled administrator, the key has all its
// scopes. Otherwise the scope Admin counts as all other scopes except PrivacyManage, and Allow removes the
// personal scopes that the role of the owner does not have. For a disabled owner, it removes all personal scopes.
func (r Role) Allow(key Scopes, enabled bool) Scopes {
	may := r.Scopes()
	if !enabled {
		may = 0
	}
	switch {
	case may&Admin != 0:
		return key
	case key&Admin != 0:
		key = Decide | Read | FactsRead | LogRead | EvidenceRead | WebhooksManage | PolicyWrite | PolicyActivate
	}
	return key &^ (personal &^ may)
}
