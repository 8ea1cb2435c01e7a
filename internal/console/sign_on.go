package console

import (
	"verdict/internal/account"
	"verdict/internal/fault"
)

// signOnPages serves the pages between this console and identity providers.
type signOnPages struct {
	signOn *account.SignOn
	signIn *signInPages
}

func (p *signOnPages) routes() []page {
	return []page{
		{pattern: "GET /console/sso/{id}", handle: p.ask, public: true},
		{pattern: "POST /console/sso/{id}", handle: p.begin, public: true},
		{pattern: "GET /console/sso/{id}/callback", handle: p.callback, public: true, secret: true},
		{pattern: "POST /console/account/sso/{id}", handle: p.beginLink},
		{pattern: "POST /console/account/sso/{id}/unlink", handle: p.unlink},
	}
}

// ask renders the page of the link /console/sso/ID. The page says who is signed in, and asks the person to continue
// with a form. It starts no sign-in by itself, because any site can link to it. Other sites cannot post the form.
func (p *signOnPages) ask(v *visit) error {
	connection, err := p.signOn.Connection(v.id("id"))
	if err != nil {
		return err
	}
	data := struct {
		ID, Name, Next string
		SignedIn       *person
	}{connection.ID, connection.Name, nextPage(v), v.who}
	v.who = nil // render the page in the layout for people who are not signed in
	return v.render("sso", "Sign in with "+connection.Name, data)
}

// begin sends the browser to the provider. It renders a page that leads there instead of redirecting, because the
// Content-Security-Policy allows forms to lead only to this site.
func (p *signOnPages) begin(v *visit) error {
	begun, err := p.signOn.Begin(v.ctx, v.id("id"), nextPage(v), v.who.sessionID(), placeOf(v))
	if err != nil {
		return v.redraw(err, p.signIn.draw)
	}
	v.cookies.keepFlow(begun.Cookie)
	v.w.Header().Set("Refresh", "0; url="+begun.URL)
	v.who = nil
	return v.render("sso_leave", "Sign in", struct{ URL string }{begun.URL})
}

// callback handles the request with which the provider sends the browser back. It finishes the sign-in that the
// method begin has started, or the linking that beginLink has started.
func (p *signOnPages) callback(v *visit) error {
	returned := account.Returned{
		Connection: v.id("id"),
		Cookie:     v.cookies.takeFlow(),
		Session:    v.who.sessionID(),
		State:      v.query("state"),
		Code:       v.query("code"),
		Issuer:     v.query("iss"),
		Error:      v.query("error"),
	}
	if p.signOn.Links(v.ctx, returned) {
		return p.finishLink(v, returned)
	}

	session, token, next, err := p.signOn.Finish(v.ctx, returned, placeOf(v))
	if fault.CodeOf(err) == fault.CodeSessionInUse {
		return v.redraw(err, p.ask)
	}
	if err != nil {
		return v.redraw(err, p.signIn.draw)
	}
	if err := p.signIn.endPreviousSession(v, session); err != nil {
		return err
	}

	v.cookies.keepToken(token)
	p.signIn.remember(v, session)
	return v.redirect(orHome(localPath(next)))
}

// beginLink renders a link to the provider instead of redirecting, for the same reason as begin. The page says which
// e-mail address can be linked.
func (p *signOnPages) beginLink(v *visit) error {
	begun, err := p.signOn.BeginLink(v.ctx, v.who.session, v.form.Secret("current_password"), v.id("id"), placeOf(v))
	if fault.CodeOf(err) == fault.CodeInvalidField || fault.CodeOf(err) == fault.CodeWrongPassword {
		v.setFlash("That is not your current password, so nothing was linked.")
		return v.redirect("/console/account")
	}
	if err != nil {
		return err
	}
	v.cookies.keepFlow(begun.Cookie)
	return v.render("link", "Link your account", struct{ URL string }{begun.URL})
}

func (p *signOnPages) finishLink(v *visit, returned account.Returned) error {
	if v.who == nil {
		return v.redirect("/console/signin?next=/console/account")
	}
	if err := p.signOn.FinishLink(v.ctx, v.who.session, returned, placeOf(v)); err != nil {
		return err
	}
	return v.done("Your account is linked. You can now sign in with your identity provider or with your password.",
		"/account")
}

func (p *signOnPages) unlink(v *visit) error {
	if err := p.signOn.Unlink(v.ctx, v.who.session); err != nil {
		return err
	}
	return v.done("The link was removed.", "/account")
}
