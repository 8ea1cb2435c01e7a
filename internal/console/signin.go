package console

import (
	"errors"
	"log/slog"
	"net/http"

	"verdict/internal/account"
	"verdict/internal/fault"
	"verdict/internal/tenant"
)

// signInPages serves the pages that need no session: sign in, sign out, sign up, accept an
// invitation, and choose the colour theme.
type signInPages struct {
	access *account.Access
	signOn *account.SignOn
	logger *slog.Logger
	// resume continues with the form that the sign-in page contained.
	resume func(*visit, account.Session) error
}

func (p *signInPages) routes() []page {
	return []page{
		{pattern: "GET /console/signin", handle: p.signInForm, public: true},
		{pattern: "POST /console/signin", handle: p.signIn, public: true},
		{pattern: "POST /console/signin/code", handle: p.signInWithCode, public: true},
		{pattern: "POST /console/signout", handle: p.signOut, public: true},
		{pattern: "GET /console/signup", handle: p.signUpForm, public: true},
		{pattern: "POST /console/signup", handle: p.signUp, public: true},
		{pattern: "GET /console/invite/{token}", handle: p.inviteForm, public: true, secret: true},
		{pattern: "POST /console/invite/{token}", handle: p.join, public: true},
		{pattern: "POST /console/theme", handle: p.setTheme, public: true},
	}
}

// address returns the client's network address.
func (v *visit) address() string { return v.console.options.Node.Clients.Address(v.r) }

// nextPage returns the page that the person wanted before signing in. It returns "" if there is
// none, or if it is not a page of this console.
func nextPage(v *visit) string {
	if v.r.Method == http.MethodPost {
		return localPath(v.form.Value("next"))
	}
	return localPath(v.query("next"))
}

func (p *signInPages) signInForm(v *visit) error {
	if v.who != nil && v.r.Method == http.MethodGet {
		return v.redirect(orHome(nextPage(v)))
	}
	return p.draw(v)
}

// draw renders the sign-in page, also for a person who is signed in.
func (p *signInPages) draw(v *visit) error {
	v.who = nil
	return v.render("signin", "Sign in", p.view(v))
}

func (p *signInPages) view(v *visit) signInView {
	return signInView{
		Next:        nextPage(v),
		Kept:        v.form.Value(formKept),
		Route:       v.form.Value(formRoute),
		Connections: p.signOn.Listed(),
	}
}

func orHome(path string) string {
	if path == "" {
		return "/console"
	}
	return path
}

func (p *signInPages) signIn(v *visit) error {
	if v.form.Value("continue") != "" {
		return p.continueEdit(v)
	}
	session, token, err := p.access.SignInAt(v.ctx, v.form.Value("email"), v.form.Secret("password"), placeOf(v))
	var needs *account.NeedsCode
	if errors.As(err, &needs) {
		v.who = nil
		return p.codeForm(needs.Ticket)(v)
	}
	if err != nil {
		return v.redraw(err, p.signInForm)
	}
	return p.signedIn(v, session, token)
}

// continueEdit continues with the kept form of a person who has meanwhile used another tab to sign in. A sign-in
// through an identity provider cannot pass the form on.
func (p *signInPages) continueEdit(v *visit) error {
	if v.who == nil {
		return v.redraw(fault.New(fault.Unauthenticated, fault.CodeSessionEnded,
			"nobody is signed in in this browser yet"), p.signInForm)
	}
	if err := v.limit(); err != nil { // a sign-in does not count for this limit, but storing an edit does
		return err
	}
	return p.resume(v, v.who.session)
}

// codeForm returns the page that asks for a code of the second factor.
func (p *signInPages) codeForm(ticket string) func(*visit) error {
	return func(v *visit) error {
		return v.render("signin_code", "Second step", struct {
			signInView
			Ticket string
		}{p.view(v), ticket})
	}
}

// signInWithCode does the second step of a sign-in. If the person took too long, it asks for the password again.
func (p *signInPages) signInWithCode(v *visit) error {
	ticket := v.form.Value("ticket")
	session, token, err := p.access.SignInWithCode(v.ctx, ticket, v.form.Value("code"), placeOf(v))
	if fault.CodeOf(err) == fault.CodeSessionEnded {
		return v.redraw(err, p.signInForm)
	}
	if err != nil {
		v.who = nil
		return v.redraw(err, p.codeForm(ticket))
	}
	return p.signedIn(v, session, token)
}

// signedIn gives the browser its session, and continues with the page or the form that the person wanted before.
func (p *signInPages) signedIn(v *visit, session account.Session, token tenant.Token) error {
	if err := p.endPreviousSession(v, session); err != nil {
		return err
	}

	v.cookies.keepToken(token)
	p.remember(v, session)
	if v.form.Value(formKept) != "" {
		return p.resume(v, session)
	}

	return v.redirect(orHome(nextPage(v)))
}

// endPreviousSession ends the session that the browser had before the new session began,
// because nobody could use or see that session any more.
func (p *signInPages) endPreviousSession(v *visit, begun account.Session) error {
	if v.who == nil || v.who.session.ID == begun.ID {
		return nil
	}
	return p.access.SignOut(v.ctx, v.who.session)
}

// placeOf returns the network address, user agent and marks of the browser that signs in.
func placeOf(v *visit) account.Client {
	return account.Client{Address: v.address(), Agent: v.r.UserAgent(), Marks: v.cookies.marks()}
}

// remember marks the browser as known to the account that has just signed in. If that fails, the
// person is still signed in.
func (p *signInPages) remember(v *visit, session account.Session) {
	marks, err := p.access.Remember(v.ctx, session.User.ID, v.cookies.marks())
	if err != nil {
		p.logger.Warn("could not create the known-browser cookie; the browser keeps its old cookie, if any",
			"request_id", v.requestID, "error", err)
		return
	}
	v.cookies.keepMarks(marks)
}

func (p *signInPages) signOut(v *visit) error {
	if v.who != nil {
		if err := p.access.SignOut(v.ctx, v.who.session); err != nil {
			return err
		}
	}

	v.cookies.dropToken()
	v.setFlash("You are signed out.")
	return v.redirect("/console/signin")
}

func (p *signInPages) signUpForm(v *visit) error {
	if v.who != nil && v.r.Method == http.MethodGet {
		return v.redirect("/console")
	}
	mode := p.access.SignupMode()
	return v.render("signup", "Sign up", struct {
		Closed, Invite bool
		MinPassword    int
	}{
		Closed:      mode == tenant.SignupClosed,
		Invite:      mode == tenant.SignupInvite,
		MinPassword: p.access.MinPassword(),
	})
}

// aboutInvite converts the refusal of an invite code into a fault of its field.
func aboutInvite(err error) error {
	refusal := fault.Of(err)
	if refusal == nil ||
		refusal.Code != fault.CodeInviteCodeRequired && refusal.Code != fault.CodeInvalidInviteCode {
		return err
	}

	var faults fault.List
	faults.Add("/invite_code", refusal.Code, "%s", refusal.Detail)
	return faults.Err()
}

func (p *signInPages) signUp(v *visit) error {
	ask := tenant.Signup{
		Email:    v.form.Value("email"),
		OrgName:  v.form.Value("org_name"),
		Password: v.form.Secret("password"),
		Invite:   tenant.NewSecret(v.form.Value("invite_code")),
	}
	signed, session, token, err := p.access.OpenAccount(v.ctx, ask, v.address(), v.r.UserAgent())
	if err != nil && signed.KeyID == "" {
		return v.redraw(aboutInvite(err), p.signUpForm)
	}
	if err == nil {
		if err := p.endPreviousSession(v, session); err != nil {
			p.logger.Warn("could not end the previous session; it expires by itself",
				"request_id", v.requestID, "error", err)
		}
		v.cookies.keepToken(token)
		p.remember(v, session)
	}

	v.who = nil // render the page in the layout for people who are not signed in
	data := struct {
		OrgName, Key, Curl string
		Warnings           []string
	}{
		OrgName: signed.Tenant.OrgName,
		Key:     signed.Key.Reveal(),
		Curl:    curl(v.base(), signed.Key, tenant.Admin),
	}
	if err != nil {
		data.Warnings = append(data.Warnings, "Your organisation was created, but you could not be signed in. "+
			"Sign in with the password you chose.")
	}

	return v.render("welcome", "Welcome", data)
}

// invitation returns the invitation of the link and its token. A malformed token is refused in the
// same way as an unknown token.
func (p *signInPages) invitation(v *visit) (account.Invitation, tenant.Token, error) {
	token, _ := tenant.ParseToken(v.id("token"))
	offered, err := p.access.Invitation(v.ctx, token)
	return offered, token, err
}

func (p *signInPages) inviteForm(v *visit) error {
	offered, _, err := p.invitation(v)
	if err != nil {
		return err
	}

	v.who = nil // another person may be signed in with this browser
	return v.render("invite", "Join "+offered.OrgName, struct {
		account.Invitation
		MinPassword int
	}{offered, p.access.MinPassword()})
}

func (p *signInPages) join(v *visit) error {
	_, token, err := p.invitation(v)
	if err != nil {
		return err
	}

	session, fresh, err := p.access.AcceptInvitation(v.ctx, token, v.form.Secret("password"),
		v.address(), v.r.UserAgent())
	if err != nil {
		return v.redraw(err, p.inviteForm)
	}
	if err := p.endPreviousSession(v, session); err != nil {
		return err
	}

	v.cookies.keepToken(fresh)
	p.remember(v, session)
	return v.redirect("/console")
}

// setTheme stores the reader's colour theme in a cookie, or deletes the cookie.
func (p *signInPages) setTheme(v *visit) error {
	switch theme := v.form.Value("theme"); theme {
	case "light", "dark":
		v.cookies.set(themeCookie, theme, themeAge)
	default:
		v.cookies.set(themeCookie, "", deleteAge)
	}
	return v.redirect(orHome(nextPage(v)))
}
