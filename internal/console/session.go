package console

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"verdict/internal/account"
	"verdict/internal/fault"
	"verdict/internal/tenant"
)

// person is who is signed in.
type person struct {
	session account.Session
	scopes  tenant.Scopes
}

// Email is the address that the person signs in with.
func (p *person) Email() string { return p.session.User.Email }

// Role is what the person is to the organisation.
func (p *person) Role() string { return p.session.User.Role }

// UserID is the person's id.
func (p *person) UserID() string { return p.session.User.ID }

// OrgName is the name of the organisation.
func (p *person) OrgName() string { return p.session.Tenant.OrgName }

// Initial is the first letter of the address, for the corner of the page.
func (p *person) Initial() string { return strings.ToUpper(p.Email()[:min(1, len(p.Email()))]) }

// recognise finds who is signed in by the cookie; nobody is no error, and
// neither is a session that has ended.
func (v *visit) recognise() error {
	token, given := v.cookies.token()
	if !given {
		return nil
	}

	session, err := v.console.service.Access.SessionOf(v.ctx, token)
	var refusal *fault.Error
	if errors.As(err, &refusal) && refusal.Kind == fault.Unauthenticated {
		return nil
	}
	if err != nil {
		return err
	}

	v.who = &person{session, session.Role().Scopes()}
	return nil
}

// askToSignIn sends a stranger to the door, and back afterwards. A posted form
// is not done then. If it can be resumed it is kept in the page that asks for
// the password, also when the browser has no session any more because its owner
// signed out in another tab. Other forms must be filled in again.
func (v *visit) askToSignIn() error {
	next := v.r.URL.RequestURI()
	if v.r.Method != http.MethodGet && v.r.Method != http.MethodHead {
		if v.page.resume != nil {
			return v.keepForm()
		}
		next = v.cameFrom()
	}
	if next == "" || next == "/console" || next == "/console/" {
		return v.see("/console/signin")
	}

	return v.see("/console/signin?next=" + url.QueryEscape(next))
}

// cameFrom returns the page that a form was posted from, "" when the browser
// does not say.
func (v *visit) cameFrom() string {
	from, err := url.Parse(v.r.Referer())
	if err != nil || from.Host != v.r.Host {
		return ""
	}
	return localPath(from.RequestURI())
}

// localPath is a path of this console that somebody may be sent to, "" for
// anything else: a link to the door must not lead out of the house.
func localPath(text string) string {
	if !strings.HasPrefix(text, "/console/") || strings.ContainsAny(text, "\\\r\n\t") || strings.Contains(text, "//") {
		return ""
	}

	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || strings.Contains(u.Path, "..") {
		return ""
	}

	return u.RequestURI()
}
