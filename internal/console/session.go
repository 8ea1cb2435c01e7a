package console

import (
	"net/http"
	"net/url"
	"strings"

	"verdict/internal/account"
	"verdict/internal/fault"
	"verdict/internal/tenant"
)

// person is the person who is signed in.
type person struct {
	session account.Session
	scopes  tenant.Scopes
}

// Email returns the e-mail address that the person signs in with.
func (p *person) Email() string { return p.session.User.Email }

// Role returns the person's role in the organisation.
func (p *person) Role() string { return p.session.User.Role }

// UserID returns the person's id.
func (p *person) UserID() string { return p.session.User.ID }

// sessionID returns the id of the person's session, or "" if p is nil because nobody is signed in.
func (p *person) sessionID() string {
	if p == nil {
		return ""
	}
	return p.session.ID
}

// OrgName returns the name of the organisation.
func (p *person) OrgName() string { return p.session.Tenant.OrgName }

// Initial returns the first letter of the e-mail address, which the page header shows.
func (p *person) Initial() string { return strings.ToUpper(p.Email()[:min(1, len(p.Email()))]) }

// recognise finds the signed-in person by the session cookie. A missing cookie or an ended session
// is not an error; v.who then stays nil.
func (v *visit) recognise() error {
	token, given := v.cookies.token()
	if !given {
		return nil
	}

	session, err := v.console.service.Access.SessionOf(v.ctx, token)
	if fault.KindOf(err) == fault.Unauthenticated {
		return nil
	}
	if err != nil {
		return err
	}

	v.who = &person{session, session.Scopes()}
	return nil
}

// askToSignIn redirects to the sign-in page, which leads back afterwards. A posted form is not
// executed. If the form's page can resume the form, the sign-in page contains the form. This
// also works if the person has signed out in another tab, so that the browser has no session any
// more. Other forms must be filled in again.
func (v *visit) askToSignIn() error {
	next := v.r.URL.RequestURI()
	if v.r.Method != http.MethodGet && v.r.Method != http.MethodHead {
		if v.page.resume != nil {
			return v.keepForm()
		}
		next = cameFrom(v.r)
	}
	if next == "" || next == "/console" || next == "/console/" {
		return v.redirect("/console/signin")
	}

	return v.redirect("/console/signin?next=" + url.QueryEscape(next))
}

// cameFrom returns the page from which a form was posted, or "" if the browser does not say.
func cameFrom(r *http.Request) string {
	from, err := url.Parse(r.Referer())
	if err != nil || from.Host != r.Host {
		return ""
	}
	return localPath(from.RequestURI())
}

// localPath returns text if it is a path of this console, else "". A link to the sign-in page thus
// cannot redirect to another site.
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
