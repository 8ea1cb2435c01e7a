package console

import (
	"slices"
	"strings"

	"verdict/internal/account"
)

// accountPages serves the pages of a person's own account: the password, the second factor, the
// identity provider and the open sessions.
type accountPages struct {
	access  *account.Access
	factors *account.SecondFactors
	signOn  *account.SignOn
}

func (p *accountPages) routes() []page {
	return []page{
		{pattern: "GET /console/account", handle: p.account},
		{pattern: "POST /console/account/password", handle: p.changePassword},
		{pattern: "POST /console/account/sessions/others", handle: p.endOtherSessions},
		{pattern: "POST /console/account/sessions/{id}/revoke", handle: p.endSession},
	}
}

// shownSession is a session as its owner's page shows it.
type shownSession struct {
	account.Session
	Browser string
	This    bool
}

func (p *accountPages) account(v *visit) error {
	sessions, err := p.access.Sessions(v.ctx, v.who.session)
	if err != nil {
		return err
	}

	list := make([]shownSession, len(sessions))
	for i, s := range sessions {
		list[i] = shownSession{s, browserName(s.Agent), s.ID == v.who.session.ID}
	}

	factor, err := p.factors.State(v.ctx, v.who.session)
	if err != nil {
		return err
	}

	linked, err := p.signOn.Linked(v.ctx, v.who.session)
	if err != nil {
		return err
	}

	connections := p.signOn.OfTenant(v.who.session.Tenant.ID)
	return v.render("account", "Your account", struct {
		Sessions    []shownSession
		MinPassword int
		Factor      account.FactorState
		Linked      string // the id of the connection that the account is linked with, "" for none
		LinkedName  string
		Grouped     bool // whether the groups at the provider decide the role
		Connections []account.Connection
	}{
		Sessions:    list,
		MinPassword: p.access.MinPassword(),
		Factor:      factor,
		Linked:      linked,
		LinkedName:  connectionName(connections, linked),
		Grouped:     groupsDecide(connections, linked),
		Connections: connections,
	})
}

func (p *accountPages) changePassword(v *visit) error {
	_, token, err := p.access.ChangePassword(v.ctx, v.who.session,
		v.form.Secret("current_password"), v.form.Secret("password"), v.address(), v.r.UserAgent())
	if err != nil {
		return v.redraw(err, p.account)
	}

	v.cookies.keepToken(token)
	return v.done("The password was changed, and all other sessions ended.", "/account")
}

func (p *accountPages) endSession(v *visit) error {
	if err := p.access.RevokeSession(v.ctx, v.who.session, v.id("id")); err != nil {
		return err
	}
	return v.done("That session has ended.", "/account")
}

func (p *accountPages) endOtherSessions(v *visit) error {
	if err := p.access.RevokeOtherSessions(v.ctx, v.who.session); err != nil {
		return err
	}
	return v.done("You are signed out everywhere else.", "/account")
}

// connectionName returns the name of a connection. It returns the id if the operator has removed the connection.
func connectionName(connections []account.Connection, id string) string {
	for _, c := range connections {
		if c.ID == id {
			return c.Name
		}
	}
	return id
}

// groupsDecide reports whether the groups at the provider of a connection decide the role of a person.
func groupsDecide(connections []account.Connection, id string) bool {
	return slices.ContainsFunc(connections, func(c account.Connection) bool { return c.ID == id && len(c.Roles) > 0 })
}

// browserName returns a readable name for a user agent. The order of the comparisons
// matters, because most user agents also contain the names of other browsers.
func browserName(agent string) string {
	name := "A browser"
	for _, b := range [][2]string{
		{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"},
		{"Chromium/", "Chromium"}, {"Safari/", "Safari"}, {"curl/", "curl"}, {"Go-http-client", "A program"},
	} {
		if strings.Contains(agent, b[0]) {
			name = b[1]
			break
		}
	}

	for _, s := range [][2]string{
		{"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"},
		{"Windows", "Windows"}, {"Mac OS", "macOS"}, {"Linux", "Linux"},
	} {
		if strings.Contains(agent, s[0]) {
			return name + " on " + s[1]
		}
	}

	return name
}
