package console_test

import (
	"html"
	"net/http"
	"strings"
	"testing"
	"time"

	"verdict/internal/tenant"
)

// TestSignOnLink checks that a person can link their existing account, and that nobody else can.
func TestSignOnLink(t *testing.T) {
	t.Parallel()
	h := newSignOnHouse(t)
	h.provider.SignedIn("sub-1", h.admin.email, "Admins")
	h.admin.get("/console/account").has("Link with Acme &amp; Sons")
	h.admin.post("/console/account/sso/acme", "current_password", "wrong").to("/console/account")
	h.admin.post("/console/account/sso/other", "current_password", h.admin.password).want(http.StatusNotFound)
	link := func(b *browser) string {
		t.Helper()
		page := b.post("/console/account/sso/acme", "current_password", b.password).want(http.StatusOK)
		_, rest, _ := strings.Cut(page.body, `href="`+h.provider.URL)
		address, _, _ := strings.Cut(rest, `"`)
		return strings.TrimPrefix(b.follow(h.provider.URL+html.UnescapeString(address)), b.url)
	}
	path := link(h.admin)
	h.newBrowser().get(path).want(http.StatusUnauthorized)
	h.admin.get(path).to("/console/account")
	h.admin.get("/console/account").has("You sign in with Acme &amp; Sons", "Remove link", "Change the password")
	b := h.newBrowser()
	b.signOn("acme", "").to("/console")
	if b.who(tenant.Live).UserID != h.admin.who(tenant.Live).UserID {
		t.Error("another person is signed in")
	}

	// An identity cannot be linked if it has another e-mail address or already belongs to another account.
	ravi := h.admin.colleague(tenant.RoleRisk)
	ravi.get(link(ravi)).want(http.StatusForbidden).has("another e-mail address")
	h.provider.SignedIn("sub-1", ravi.email, "Risk")
	ravi.get(link(ravi)).want(http.StatusConflict)

	// The provider's groups would take the role from the last administrator, so the sign-in is refused.
	h.provider.SignedIn("sub-1", h.admin.email, "Risk")
	h.newBrowser().signOn("acme", "").want(http.StatusConflict).has("last administrator")
	h.admin.post("/console/account/sso/acme/unlink").to("/console/account")
	b.get("/console/account").to("/console/signin?next=%2Fconsole%2Faccount") // the session began with the link
	h.admin.get("/console/account").want(http.StatusOK).has("Link with")
	h.admin.post("/console/account/sso/acme/unlink").want(http.StatusNotFound)
}

// TestSignOnProviderIsDead checks that a provider that fails or never answers blocks nobody else.
func TestSignOnProviderIsDead(t *testing.T) {
	t.Parallel()
	h := newSignOnHouse(t)
	h.provider.SignedIn("sub-1", "ravi@example.in", "Risk")
	h.provider.SetDown(true)
	b := h.newBrowser()
	b.post("/console/sso/acme").want(http.StatusServiceUnavailable).has("Acme &amp; Sons does not answer")
	h.provider.SetDown(false)
	path := b.toCallback("acme", "")
	h.provider.SetDown(true)
	b.get(path).want(http.StatusServiceUnavailable)
	h.provider.SetDown(false)

	// The provider's description is read again after an hour. While the provider hangs, at most eight people wait for
	// it.
	h.clock.advance(2 * time.Hour)
	h.provider.Hang()
	begun := h.provider.Calls("/.well-known/openid-configuration")
	var waiting []<-chan *answer
	for range 8 {
		waiting = append(waiting, h.newBrowser().aside(b.form("/console/sso/acme")))
	}
	h.eventually(func() bool { return h.provider.Calls("/.well-known/openid-configuration") == begun+8 })
	b.post("/console/sso/acme").want(http.StatusServiceUnavailable)
	h.again(h.admin).get("/console/sandbox").want(http.StatusOK)
	h.admin.decide(tenant.Sandbox, "A-1")
	h.provider.Answer()
	for _, w := range waiting {
		(<-w).want(http.StatusOK)
	}
}

// TestSignOnIsThrottled checks that failures from one network are limited, and successes are not.
func TestSignOnIsThrottled(t *testing.T) {
	t.Parallel()
	h := newSignOnHouse(t)
	h.provider.SignedIn("sub-1", "ravi@example.in", "Risk")
	for range 40 {
		h.newBrowser().signOn("acme", "").to("/console")
	}
	b := h.newBrowser()
	for range 40 {
		if a := b.get("/console/sso/acme/callback?code=x&state=y"); a.status == http.StatusTooManyRequests {
			if a.header.Get("Retry-After") == "" {
				t.Error("nobody is told when to come back")
			}
			return
		}
	}
	t.Error("forty failures were not throttled")
}

// TestEditSurvivesSignOn checks that a person whose session ended during an edit can sign in through the provider in
// another tab and continue the edit, and that nobody else can.
func TestEditSurvivesSignOn(t *testing.T) {
	t.Parallel()
	h := newSignOnHouse(t)
	h.provider.SignedIn("sub-1", "ravi@example.in", "Admins")
	b := h.newBrowser()
	b.signOn("acme", "").to("/console")
	d := b.edit(b.active(tenant.Sandbox), "?open=knockouts/3")
	d.form.Set("row.message", "Typed before the session ended")
	d.form.Set("act", "check:")
	h.clock.advance(13 * time.Hour)
	asked := b.send(d.path, d.form).want(http.StatusUnauthorized).has("Continue your edit", `target="_blank"`)
	kept := fieldsOf(asked.body, "/console/signin")
	kept.Set("continue", "yes")
	b.send("/console/signin", kept).want(http.StatusUnauthorized).has("Nobody is signed in", kept.Get("kept"))
	h.again(h.admin).send("/console/signin", kept).to("/console") // the edit of another person is discarded
	b.signOn("acme", "").to("/console")
	at := b.send("/console/signin", kept).want(http.StatusSeeOther).header.Get("Location")
	b.get(withoutFragment(at)).want(http.StatusOK).has("Typed before the session ended")
}
