package console

import (
	"encoding/base64"
	"net/http"
	"time"
	"unicode/utf8"

	"verdict/internal/account"
	"verdict/internal/tenant"
)

// The cookies. That of the session has the prefix with which a browser takes
// it from this very host alone, wherever that is possible: it asks for TLS.
const (
	sessionCookie       = "verdict"
	secureSessionCookie = "__Host-verdict"
	browserCookie       = "verdict-browser"
	secureBrowserCookie = "__Host-verdict-browser"
	flashCookie         = "verdict-flash"
	themeCookie         = "verdict-theme"
)

const (
	flashAge = 60                 // seconds; a redirect takes less
	themeAge = 365 * 24 * 60 * 60 // seconds
	markAge  = 365 * 24 * 60 * 60 // seconds
	maxFlash = 300                // bytes of a message
	ageLimit = 7 * 24 * time.Hour // the longest that a session lives
	dropped  = -1                 // the age of a cookie that is to go
)

func (v *visit) secure() bool { return v.console.options.Secure(v.r) }

func (v *visit) sessionName() string {
	if v.secure() {
		return secureSessionCookie
	}
	return sessionCookie
}

// setCookie sets a cookie that scripts cannot read and that other sites cannot
// have sent along with a form.
func (v *visit) setCookie(name, value string, age int) {
	http.SetCookie(v.w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: age, Secure: v.secure(), HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// token is the session's token, if the browser has sent something like one.
func (v *visit) token() (tenant.Token, bool) {
	c, err := v.r.Cookie(v.sessionName())
	if err != nil {
		return tenant.Token{}, false
	}
	return tenant.ParseToken(c.Value)
}

// keepToken gives the browser a new session. The cookie outlives the session by
// a day, so that a form that arrives late is known to be from somebody whose
// session has ended.
func (v *visit) keepToken(t tenant.Token) {
	v.setCookie(v.sessionName(), t.Reveal(), int((ageLimit+24*time.Hour)/time.Second))
}

// browserName is the name of the cookie by which a browser is known again.
func (v *visit) browserName() string {
	if v.secure() {
		return secureBrowserCookie
	}
	return browserCookie
}

// where is where somebody signs in.
func (v *visit) where() account.Place {
	at := account.Place{Address: v.address(), Agent: v.browser()}
	if c, err := v.r.Cookie(v.browserName()); err == nil {
		at.Marks = c.Value
	}
	return at
}

// remember makes the browser known to the account that has just signed in. If
// that fails the person is signed in all the same.
func (v *visit) remember(session account.Session) {
	marks, err := v.console.service.Account.Remember(v.ctx, session.User.ID, v.where().Marks)
	if err != nil {
		v.console.options.Logger.Warn("could not store the browser cookie; the browser stays unknown", "request_id", v.requestID, "error", err)
		return
	}
	v.setCookie(v.browserName(), marks, markAge)
}

// dropToken takes the session from the browser.
func (v *visit) dropToken() { v.setCookie(v.sessionName(), "", dropped) }

// tell has the next page say something. A message is for people and has no
// secret in it.
func (v *visit) tell(message string) {
	if len(message) > maxFlash {
		message = message[:maxFlash]
	}
	v.flashed = true
	v.setCookie(flashCookie, base64.RawURLEncoding.EncodeToString([]byte(message)), flashAge)
}

// told is what this page is to say, which is said once.
func (v *visit) told() string {
	c, err := v.r.Cookie(flashCookie)
	if err != nil {
		return ""
	}
	v.setCookie(flashCookie, "", dropped)
	message, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil || len(message) > maxFlash || !utf8.Valid(message) {
		return ""
	}
	return string(message)
}

// theme is the reader's choice of colours, "" when there is none.
func (v *visit) theme() string {
	c, err := v.r.Cookie(themeCookie)
	if err != nil || c.Value != "light" && c.Value != "dark" {
		return ""
	}
	return c.Value
}
