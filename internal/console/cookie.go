package console

import (
	"encoding/base64"
	"net/http"
	"time"
	"unicode/utf8"

	"verdict/internal/tenant"
)

// The names of the cookies. Over TLS the session's has the prefix with which a browser
// accepts it only from this very host.
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

// cookies reads the cookies of one request and sets those of its answer.
type cookies struct {
	w      http.ResponseWriter
	r      *http.Request
	secure bool // the request came over TLS
}

// set sets a cookie that scripts cannot read and that browsers do not send with the forms
// of other sites.
func (c cookies) set(name, value string, age int) {
	http.SetCookie(c.w, &http.Cookie{
		Name:     name,
		Value:    value,
		Path:     "/",
		MaxAge:   age,
		Secure:   c.secure,
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
	})
}

func (c cookies) sessionName() string {
	if c.secure {
		return secureSessionCookie
	}
	return sessionCookie
}

// token returns the session's token, if the browser has sent something like one.
func (c cookies) token() (tenant.Token, bool) {
	sent, err := c.r.Cookie(c.sessionName())
	if err != nil {
		return tenant.Token{}, false
	}
	return tenant.ParseToken(sent.Value)
}

// keepToken gives the browser a new session. The cookie outlives the session by
// a day, so that a form that arrives late is known to be from somebody whose
// session has ended.
func (c cookies) keepToken(t tenant.Token) {
	c.set(c.sessionName(), t.Reveal(), int((ageLimit+24*time.Hour)/time.Second))
}

// dropToken removes the session from the browser.
func (c cookies) dropToken() { c.set(c.sessionName(), "", dropped) }

// browserName returns the name of the cookie that holds the marks of a known browser.
func (c cookies) browserName() string {
	if c.secure {
		return secureBrowserCookie
	}
	return browserCookie
}

// marks returns the marks of the browser, "" when it has none.
func (c cookies) marks() string {
	sent, err := c.r.Cookie(c.browserName())
	if err != nil {
		return ""
	}
	return sent.Value
}

// keepMarks gives the browser its new marks.
func (c cookies) keepMarks(marks string) { c.set(c.browserName(), marks, markAge) }

// flash has the next page show a message. A message is for people and has no secret in it.
func (c cookies) flash(message string) {
	if len(message) > maxFlash {
		message = message[:maxFlash]
	}
	c.set(flashCookie, base64.RawURLEncoding.EncodeToString([]byte(message)), flashAge)
}

// takeFlash returns the message that this page is to show, and removes it, so that it is
// shown once.
func (c cookies) takeFlash() string {
	sent, err := c.r.Cookie(flashCookie)
	if err != nil {
		return ""
	}

	c.set(flashCookie, "", dropped)
	message, err := base64.RawURLEncoding.DecodeString(sent.Value)
	if err != nil || len(message) > maxFlash || !utf8.Valid(message) {
		return ""
	}

	return string(message)
}

// theme returns the reader's choice of colours, "" when there is none.
func (c cookies) theme() string {
	sent, err := c.r.Cookie(themeCookie)
	if err != nil || sent.Value != "light" && sent.Value != "dark" {
		return ""
	}
	return sent.Value
}
