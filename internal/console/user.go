package console

import (
	"slices"
	"time"

	"verdict/internal/account"
	"verdict/internal/tenant"
)

// userPages serves the pages about the people of the organisation: the list, invitations,
// roles, access, and the confirmation of new activators.
type userPages struct {
	accounts *account.People
	factors  *account.SecondFactors
	signOn   *account.SignOn
	now      func() time.Time
}

func (p *userPages) routes() []page {
	return []page{
		{pattern: "GET /console/users", handle: p.users, scope: tenant.PolicyActivate},
		{pattern: "POST /console/users/{id}/confirm", handle: p.confirmActivator, scope: tenant.PolicyActivate},
		{pattern: "POST /console/users/invite", handle: p.invite, scope: tenant.Admin},
		{pattern: "POST /console/users/invitations/{id}/revoke", handle: p.revokeInvitation, scope: tenant.Admin},
		{pattern: "POST /console/users/{id}/role", handle: p.setRole, scope: tenant.Admin},
		{pattern: "POST /console/users/{id}/disable", handle: p.disableUser, scope: tenant.Admin},
		{pattern: "POST /console/users/{id}/enable", handle: p.enableUser, scope: tenant.Admin},
	}
}

// roleOptions returns the roles to choose from, each with an explanation.
func roleOptions() []option {
	means := map[tenant.Role]option{
		tenant.RoleAdmin: {Label: "Admin", Hint: "everything, including people and API keys"},
		tenant.RoleRisk:  {Label: "Risk", Hint: "decides, reviews, writes policies and activates them"},
		tenant.RoleViewer: {
			Label: "Viewer", Hint: "views everything except people, API keys and webhooks, and changes nothing",
		},
	}
	var list []option
	for _, role := range tenant.Roles() {
		o := means[role]
		o.Value = string(role)
		list = append(list, o)
	}

	return list
}

func (p *userPages) users(v *visit) error {
	people, err := p.accounts.ListWithSignIn(v.ctx, v.caller())
	if err != nil {
		return err
	}

	required, err := p.factors.Required(v.ctx, v.caller())
	if err != nil {
		return err
	}

	connections := p.signOn.OfTenant(v.who.session.Tenant.ID)
	names := map[string]string{} // names of the connections, by id
	for _, u := range people {
		names[u.Connection] = connectionName(connections, u.Connection)
	}

	var invitations []account.Invitation
	if v.who.scopes.Has(tenant.Admin) {
		if invitations, err = p.accounts.Invitations(v.ctx, v.caller()); err != nil {
			return err
		}
	}

	now := p.now()
	return v.render("users", "People", struct {
		Users       []account.User
		Invitations []account.Invitation
		Roles       []option
		Now         time.Time
		Waiting     bool // whether a person waits to become an activator
		Providers   map[string]string
		Grouped     bool // whether groups of an identity provider decide the role of a person
		Required    bool // whether everybody with a password needs a second factor
	}{
		Users:       people,
		Invitations: invitations,
		Roles:       roleOptions(),
		Now:         now,
		Providers:   names,
		Grouped: slices.ContainsFunc(people, func(u account.User) bool {
			return groupsDecide(connections, u.Connection)
		}),
		Required: required,
		Waiting:  slices.ContainsFunc(people, func(u account.User) bool { return u.Waits(now) }),
	})
}

// confirmActivator lets a new activator activate policies before the waiting time is over.
func (p *userPages) confirmActivator(v *visit) error {
	if err := p.accounts.ConfirmActivator(v.ctx, v.caller(), v.id("id")); err != nil {
		return v.redraw(err, p.users)
	}
	return v.done("The person may now activate in live.", "/users")
}

// invite creates an invitation and renders its link, which is shown only once.
func (p *userPages) invite(v *visit) error {
	made, token, err := p.accounts.Invite(v.ctx, v.caller(), v.form.Value("email"), tenant.Role(v.form.Value("role")))
	if err != nil {
		return v.redraw(err, p.users)
	}
	return v.render("invited", "Invitation", struct {
		Email, Link string
		ExpiresAt   time.Time
	}{made.Email, v.base() + "/console/invite/" + token.Reveal(), made.ExpiresAt})
}

func (p *userPages) revokeInvitation(v *visit) error {
	if err := p.accounts.RevokeInvitation(v.ctx, v.caller(), v.id("id")); err != nil {
		return err
	}
	return v.done("The invitation was withdrawn.", "/users")
}

func (p *userPages) setRole(v *visit) error {
	if err := p.accounts.SetRole(v.ctx, v.caller(), v.id("id"), tenant.Role(v.form.Value("role"))); err != nil {
		return v.redraw(err, p.users)
	}
	return v.done("The role was set. The person has to sign in again.", "/users")
}

func (p *userPages) disableUser(v *visit) error {
	revokeKeys := v.form.Value("revoke_keys") != ""
	if err := p.accounts.DisableUser(v.ctx, v.caller(), v.id("id"), revokeKeys); err != nil {
		return v.redraw(err, p.users)
	}
	if revokeKeys {
		return v.done("The person's access was disabled, and the person's API keys were revoked.", "/users")
	}

	return v.done("The person's access was disabled.", "/users")
}

func (p *userPages) enableUser(v *visit) error {
	if err := p.accounts.EnableUser(v.ctx, v.caller(), v.id("id")); err != nil {
		return v.redraw(err, p.users)
	}
	return v.done("The person can sign in again.", "/users")
}

// directory looks up the people of the organisation. Pages use it to show who did
// something.
type directory struct {
	accounts *account.People
}

// names returns the e-mail addresses of the tenant's people, by user id.
func (d directory) names(v *visit) (map[string]string, error) {
	people, err := d.accounts.List(v.ctx, v.caller())
	if err != nil {
		return nil, err
	}

	names := map[string]string{}
	for _, u := range people {
		names[u.ID] = u.Email
	}

	return names, nil
}
