package console

import (
	"errors"
	"net/http"

	"verdict/internal/account"
	"verdict/internal/fault"
	"verdict/internal/tenant"
)

func (c *Console) doorPages() []page {
	return []page{
		{pattern: "GET /console/signin", handle: c.signInForm, public: true},
		{pattern: "POST /console/signin", handle: c.signIn, public: true},
		{pattern: "POST /console/signout", handle: c.signOut, public: true},
		{pattern: "GET /console/signup", handle: c.signUpForm, public: true},
		{pattern: "POST /console/signup", handle: c.signUp, public: true},
		{pattern: "GET /console/invite/{token}", handle: c.inviteForm, public: true},
		{pattern: "POST /console/invite/{token}", handle: c.join, public: true},
		{pattern: "POST /console/theme", handle: c.setTheme, public: true},
	}
}

// address and browser are what is kept of where a session began.
func (v *visit) address() string { return v.console.options.Address(v.r) }

func (v *visit) browser() string { return v.r.UserAgent() }

// wanted is the page somebody was on the way to, "" when there is none that
// they may be sent to.
func (v *visit) wanted() string {
	if v.r.Method == http.MethodPost {
		return localPath(v.form.Value("next"))
	}
	return localPath(v.query("next"))
}

func (c *Console) signInForm(v *visit) error {
	if v.who != nil && v.r.Method == http.MethodGet {
		return v.see(orHome(v.wanted()))
	}
	return v.render("signin", "Sign in", signInView{Next: v.wanted(), Kept: v.form.Value(formKept), Route: v.form.Value(formRoute)})
}

func orHome(path string) string {
	if path == "" {
		return "/console"
	}
	return path
}

func (c *Console) signIn(v *visit) error {
	session, token, err := c.service.Account.SignInAt(v.ctx, v.form.Value("email"), v.form.Secret("password"), v.where())
	if err != nil {
		return v.again(err, c.signInForm)
	}
	if err := v.leave(session); err != nil {
		return err
	}
	v.keepToken(token)
	v.remember(session)
	if v.form.Value(formKept) != "" {
		return c.resumeForm(v, session)
	}
	return v.see(orHome(v.wanted()))
}

// leave ends the session that the browser had before it began another one, so
// that none is left behind that nobody can see.
func (v *visit) leave(begun account.Session) error {
	if v.who == nil || v.who.session.ID == begun.ID {
		return nil
	}
	return v.console.service.Account.SignOut(v.ctx, v.who.session)
}

func (c *Console) signOut(v *visit) error {
	if v.who != nil {
		if err := c.service.Account.SignOut(v.ctx, v.who.session); err != nil {
			return err
		}
	}
	v.dropToken()
	v.tell("You are signed out.")
	return v.see("/console/signin")
}

func (c *Console) signUpForm(v *visit) error {
	if v.who != nil && v.r.Method == http.MethodGet {
		return v.see("/console")
	}
	mode := c.service.Account.SignupMode()
	return v.render("signup", "Sign up", struct{ Closed, Invite bool }{mode == tenant.SignupClosed, mode == tenant.SignupInvite})
}

// aboutInvite makes a fault of the field out of a refusal of an invite code.
func aboutInvite(err error) error {
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Code != fault.CodeInviteCodeRequired && refusal.Code != fault.CodeInvalidInviteCode {
		return err
	}
	var faults fault.List
	faults.Add("/invite_code", refusal.Code, "%s", refusal.Detail)
	return faults.Err()
}

func (c *Console) signUp(v *visit) error {
	body, err := signUpBody(v.form)
	if err != nil {
		return v.again(err, c.signUpForm)
	}
	signed, session, token, err := c.service.Account.OpenAccount(v.ctx, body, v.address(), v.browser())
	if err != nil && signed.KeyID == "" {
		return v.again(aboutInvite(err), c.signUpForm)
	}
	if err == nil {
		if err := v.leave(session); err != nil {
			c.options.Logger.Warn("could not end the previous session; it expires by itself", "request_id", v.requestID, "error", err)
		}
		v.keepToken(token)
		v.remember(session)
	}
	v.who = nil // the page is for somebody who has just come in
	data := struct {
		OrgName, Key, Curl string
		Warnings           []string
	}{signed.Tenant.OrgName, signed.Key.Reveal(), v.curl(signed.Key, tenant.Admin), nil}
	for _, w := range signed.Warnings {
		data.Warnings = append(data.Warnings, sentence(w.Detail))
	}
	if err != nil {
		data.Warnings = append(data.Warnings, "Your organisation was created, but you could not be signed in. Sign in with the password you chose.")
	}
	return v.render("welcome", "Welcome", data)
}

// invitation is what the link of this page offers. A text that is no token
// offers as little as one that nobody was given.
func (c *Console) invitation(v *visit) (account.Invitation, tenant.Token, error) {
	token, _ := tenant.ParseToken(v.id("token"))
	offered, err := c.service.Account.Invitation(v.ctx, token)
	return offered, token, err
}

func (c *Console) inviteForm(v *visit) error {
	offered, _, err := c.invitation(v)
	if err != nil {
		return err
	}
	v.who = nil // whoever is signed in here may be somebody else
	return v.render("invite", "Join "+offered.OrgName, offered)
}

func (c *Console) join(v *visit) error {
	_, token, err := c.invitation(v)
	if err != nil {
		return err
	}
	session, fresh, err := c.service.Account.AcceptInvitation(v.ctx, token, v.form.Secret("password"), v.address(), v.browser())
	if err != nil {
		return v.again(err, c.inviteForm)
	}
	if err := v.leave(session); err != nil {
		return err
	}
	v.keepToken(fresh)
	v.remember(session)
	return v.see("/console")
}

// setTheme keeps the reader's choice of colours, or forgets it.
func (c *Console) setTheme(v *visit) error {
	switch theme := v.form.Value("theme"); theme {
	case "light", "dark":
		v.setCookie(themeCookie, theme, themeAge)
	default:
		v.setCookie(themeCookie, "", dropped)
	}
	return v.see(orHome(v.wanted()))
}
