package console

import (
	"encoding/base64"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"verdict/internal/account"
	"verdict/internal/tenant"
)

// The names of the cookies. Over TLS, the names of the session, browser and sign-on cookies have
// the prefix "__Host-". A browser accepts such cookies only from this host.
const (
	sessionCookie       = "verdict"
	secureSessionCookie = "__Host-verdict"
	browserCookie       = "verdict-browser"
	secureBrowserCookie = "__Host-verdict-browser"
	flowCookie          = "verdict-sign-on"
	secureFlowCookie    = "__Host-verdict-sign-on"
	flashCookie         = "verdict-flash"
	themeCookie         = "verdict-theme"
)

const (
	flowAge   = 10 * 60            // seconds
	flashAge  = 60                 // seconds; a redirect takes less time
	themeAge  = 365 * 24 * 60 * 60 // seconds
	markAge   = 365 * 24 * 60 * 60 // seconds
	maxFlash  = 1_500              // bytes of a message; browsers accept cookies of 4 KiB
	deleteAge = -1                 // the Max-Age that deletes a cookie
)

// cookies reads the cookies of one request and sets the cookies of its answer.
type cookies struct {
	w      http.ResponseWriter
	r      *http.Request
	secure bool // whether the request came over TLS
}

// set sets a cookie that scripts cannot read and that browsers do not send with forms posted from
// other sites.
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

// token returns the session token. It returns false if the browser sent no token or a malformed
// token.
func (c cookies) token() (tenant.Token, bool) {
	sent, err := c.r.Cookie(c.sessionName())
	if err != nil {
		return tenant.Token{}, false
	}
	return tenant.ParseToken(sent.Value)
}

// keepToken sets the session cookie. The cookie outlives the session by a day, so that a form
// that arrives late is recognised as a form of an ended session.
func (c cookies) keepToken(t tenant.Token) {
	c.set(c.sessionName(), t.Reveal(), int((account.SessionLife+24*time.Hour)/time.Second))
}

// dropToken deletes the session cookie.
func (c cookies) dropToken() { c.set(c.sessionName(), "", deleteAge) }

// browserName returns the name of the cookie that holds the marks of a known browser.
func (c cookies) browserName() string {
	if c.secure {
		return secureBrowserCookie
	}
	return browserCookie
}

// marks returns the marks by which accounts recognise the browser, or "" if it has none.
func (c cookies) marks() string {
	sent, err := c.r.Cookie(c.browserName())
	if err != nil {
		return ""
	}
	return sent.Value
}

// keepMarks sets the cookie with the browser's marks.
func (c cookies) keepMarks(marks string) { c.set(c.browserName(), marks, markAge) }

func (c cookies) flowName() string {
	if c.secure {
		return secureFlowCookie
	}
	return flowCookie
}

// keepFlow sets the cookie that binds a sign-in at an identity provider to this browser.
func (c cookies) keepFlow(value string) { c.set(c.flowName(), value, flowAge) }

// takeFlow returns the value of the cookie that keepFlow sets, or "" if there is none, and deletes the cookie.
func (c cookies) takeFlow() string {
	sent, err := c.r.Cookie(c.flowName())
	if err != nil {
		return ""
	}
	c.set(c.flowName(), "", deleteAge)
	return sent.Value
}

// flash makes the next page show a message. The message must not contain a secret, because the
// cookie stores it unencrypted.
func (c cookies) flash(message string) {
	if len(message) > maxFlash {
		message = strings.ToValidUTF8(message[:maxFlash], "") // the cut may be inside a character
	}
	c.set(flashCookie, base64.RawURLEncoding.EncodeToString([]byte(message)), flashAge)
}

// takeFlash returns the message for this page and deletes the cookie, so that the message is
// shown once.
func (c cookies) takeFlash() string {
	sent, err := c.r.Cookie(flashCookie)
	if err != nil {
		return ""
	}

	c.set(flashCookie, "", deleteAge)
	message, err := base64.RawURLEncoding.DecodeString(sent.Value)
	if err != nil || len(message) > maxFlash || !utf8.Valid(message) {
		return ""
	}

	return string(message)
}

// theme returns the colour theme that the reader chose, or "" if the reader chose none.
func (c cookies) theme() string {
	sent, err := c.r.Cookie(themeCookie)
	if err != nil || sent.Value != "light" && sent.Value != "dark" {
		return ""
	}
	return sent.Value
}
