package console

import (
	"slices"
	"time"

	"verdict/internal/account"
	"verdict/internal/tenant"
)

func (c *Console) userPages() []page {
	return []page{
		{pattern: "GET /console/users", handle: c.users, scope: tenant.PolicyActivate},
		{pattern: "POST /console/users/{id}/confirm", handle: c.confirmActivator, scope: tenant.PolicyActivate},
		{pattern: "POST /console/users/invite", handle: c.invite, scope: tenant.Admin},
		{pattern: "POST /console/users/invitations/{id}/revoke", handle: c.revokeInvitation, scope: tenant.Admin},
		{pattern: "POST /console/users/{id}/role", handle: c.setRole, scope: tenant.Admin},
		{pattern: "POST /console/users/{id}/disable", handle: c.disableUser, scope: tenant.Admin},
		{pattern: "POST /console/users/{id}/enable", handle: c.enableUser, scope: tenant.Admin},
	}
}

// roleOptions say what each role is for.
func roleOptions() []option {
	means := map[tenant.Role]option{
		tenant.RoleAdmin:  {Label: "Admin", Hint: "everything, including people and API keys"},
		tenant.RoleRisk:   {Label: "Risk", Hint: "decides, reviews, writes policies and activates them"},
		tenant.RoleViewer: {Label: "Viewer", Hint: "can view everything and change nothing"},
	}
	var list []option
	for _, role := range tenant.Roles() {
		o := means[role]
		o.Value = string(role)
		list = append(list, o)
	}
	return list
}

func (c *Console) users(v *visit) error {
	people, err := c.service.Account.People(v.ctx, v.caller())
	if err != nil {
		return err
	}
	var invitations []account.Invitation
	if v.who.scopes.Has(tenant.Admin) {
		if invitations, err = c.service.Account.Invitations(v.ctx, v.caller()); err != nil {
			return err
		}
	}
	now := c.options.Now()
	return v.render("users", "People", struct {
		Users       []account.User
		Invitations []account.Invitation
		Roles       []option
		Now         time.Time
		Waiting     bool // somebody waits to be one who may activate
	}{
		people, invitations, roleOptions(), now,
		slices.ContainsFunc(people, func(u account.User) bool { return u.Waits(now) }),
	})
}

// confirmActivator lets somebody activate who was given the right to by another.
func (c *Console) confirmActivator(v *visit) error {
	if err := c.service.Account.ConfirmActivator(v.ctx, v.caller(), v.id("id")); err != nil {
		return v.again(err, c.users)
	}
	return v.done("The person may now activate in live.", "/users")
}

// invite makes a link, which the answer shows this once.
func (c *Console) invite(v *visit) error {
	made, token, err := c.service.Account.Invite(v.ctx, v.caller(), v.form.Value("email"), tenant.Role(v.form.Value("role")))
	if err != nil {
		return v.again(err, c.users)
	}
	return v.render("invited", "Invitation", struct {
		Email, Link string
		ExpiresAt   time.Time
	}{made.Email, v.base() + "/console/invite/" + token.Reveal(), made.ExpiresAt})
}

func (c *Console) revokeInvitation(v *visit) error {
	if err := c.service.Account.RevokeInvitation(v.ctx, v.caller(), v.id("id")); err != nil {
		return err
	}
	return v.done("The invitation was withdrawn.", "/users")
}

func (c *Console) setRole(v *visit) error {
	if err := c.service.Account.SetRole(v.ctx, v.caller(), v.id("id"), tenant.Role(v.form.Value("role"))); err != nil {
		return v.again(err, c.users)
	}
	return v.done("The role was set. The person has to sign in again.", "/users")
}

func (c *Console) disableUser(v *visit) error {
	revokeKeys := v.form.Value("revoke_keys") != ""
	if err := c.service.Account.DisableUser(v.ctx, v.caller(), v.id("id"), revokeKeys); err != nil {
		return v.again(err, c.users)
	}
	if revokeKeys {
		return v.done("Their access was disabled, and their API keys were revoked.", "/users")
	}
	return v.done("Their access was disabled.", "/users")
}

func (c *Console) enableUser(v *visit) error {
	if err := c.service.Account.EnableUser(v.ctx, v.caller(), v.id("id")); err != nil {
		return v.again(err, c.users)
	}
	return v.done("They can sign in again.", "/users")
}

// names are the addresses of the tenant's people by their ids, for lists that
// say who did something.
func (c *Console) names(v *visit) (map[string]string, error) {
	people, err := c.service.Account.People(v.ctx, v.caller())
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, u := range people {
		names[u.ID] = u.Email
	}
	return names, nil
}
