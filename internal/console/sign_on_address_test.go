package console_test

import (
	"fmt"
	"net/http"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/tenant"
)

// TestSignOnStaysInItsTenant checks that a provider cannot give access to an account by sending the account's e-mail
// address. The account may be in the connection's tenant or in another tenant.
func TestSignOnStaysInItsTenant(t *testing.T) {
	t.Parallel()
	h := newSignOnHouse(t)
	other := h.signUp()
	theirs := other.who(tenant.Live)
	h.provider.SignedIn("sub-0", h.admin.email, "Admins")
	b := h.newBrowser()
	b.signOn("acme", "").want(http.StatusConflict).has("has an account already, which is not linked")
	if b.token() != "" {
		t.Error("the browser has a session")
	}
	h.provider.SignedIn("sub-1", other.email, "Admins")
	b.signOn("acme", "").to("/console")
	if got := b.who(tenant.Live); got.TenantID != h.tenantID || got.UserID == theirs.UserID {
		t.Errorf("signed in as %+v", got)
	}

	// In another tenant, the same identity of the same provider is a different person.
	h.provider.SignedIn("sub-9", "ravi@example.in", "Risk")
	here, there := h.newBrowser(), h.newBrowser()
	here.signOn("acme", "").to("/console")
	h.provider.Register(h.url + "/console/sso/other/callback")
	there.signOn("other", "").to("/console")
	if a, b := here.who(tenant.Live), there.who(tenant.Live); a.TenantID == b.TenantID || a.UserID == b.UserID {
		t.Errorf("signed in as %+v and %+v", a, b)
	}
}

// TestSignupCannotBlockSignOn checks what happens if somebody signs up with the e-mail address of another person, which
// nobody verifies. The other person can still sign in through the company's provider, and the first account gets no
// access to the company.
func TestSignupCannotBlockSignOn(t *testing.T) {
	t.Parallel()
	h := newSignOnHouse(t)
	squatter := h.newBrowser()
	squatter.email, squatter.password = "ravi@example.in", "correct horse battery"
	squatter.post("/console/signup", "org_name", "Nobody", "email", squatter.email, "password", squatter.password).
		want(http.StatusOK)
	theirs := squatter.who(tenant.Live)

	h.provider.SignedIn("sub-1", "ravi@example.in", "Risk")
	b := h.newBrowser()
	b.signOn("acme", "").to("/console")
	ravi := b.who(tenant.Live)
	if ravi.TenantID != h.tenantID || ravi.UserID == theirs.UserID {
		t.Fatalf("signed in as %+v", ravi)
	}
	b.get("/console/account").want(http.StatusOK).has(">ravi@example.in<").hasNot("ravi@example.in ten_")
	h.admin.get("/console/users").want(http.StatusOK).has("ravi@example.in").hasNot("ravi@example.in ten_")
	again := h.newBrowser()
	again.signOn("acme", "").to("/console")
	if got := again.who(tenant.Live); got.UserID != ravi.UserID {
		t.Errorf("signed in as %s, want %s", got.UserID, ravi.UserID)
	}

	// The other account keeps its password and its tenant, and does not see the person.
	if got := h.again(squatter).who(tenant.Live); got.UserID != theirs.UserID || got.TenantID != theirs.TenantID {
		t.Errorf("the password signs in as %+v", got)
	}
	squatter.get("/console/users").want(http.StatusOK).hasNot(ravi.UserID)

	// Within the company, only one person can have an address. The person who signs in through the provider cannot
	// get a password, because the first account already signs in with the address.
	h.provider.SignedIn("sub-2", "ravi@example.in", "Admins")
	h.newBrowser().signOn("acme", "").want(http.StatusConflict)
	h.admin.post("/console/users/invite", "email", "ravi@example.in", "role", "risk").want(http.StatusConflict)
	err := h.service.Operator.ResetPassword(t.Context(), h.tenantID, "ravi@example.in",
		tenant.NewSecret("battery staple horse"))
	if fault.CodeOf(err) != fault.CodeEmailTaken {
		t.Errorf("a password for somebody whose address is in use elsewhere: %v", err)
	}
}

// TestSignOnAsksFirst checks that a link from another site neither begins a sign-in nor replaces a session. A sign-in
// replaces a session only if the page that started the sign-in showed who is signed in.
func TestSignOnAsksFirst(t *testing.T) {
	t.Parallel()
	h := newSignOnHouse(t)
	h.provider.SignedIn("sub-1", "ravi@example.in", "Risk")
	was := h.admin.token()
	asked := h.admin.get("/console/sso/acme?next=/console/live/audit").want(http.StatusOK).
		has("signed in as <strong>"+h.admin.email, "Asha Finance", `value="/console/live/audit"`, "Stay signed in as")
	if cookies := asked.header.Values("Set-Cookie"); len(cookies) > 0 {
		t.Errorf("the link sets %q", cookies)
	}
	foreign := h.admin.form("/console/sso/acme")
	foreign.Header.Set("Origin", "https://evil.example")
	h.admin.do(foreign).want(http.StatusForbidden)
	h.newBrowser().get("/console/sso/acme").want(http.StatusOK).has("sign in with a password").hasNot("signed in as")
	if begun := h.provider.Calls("/authorize"); begun != 0 {
		t.Errorf("%d sign-ins were begun", begun)
	}

	// A person signs in with a password in another tab, before the provider answers.
	b := h.newBrowser()
	path := b.toCallback("acme", "")
	b.post("/console/signin", "email", h.admin.email, "password", h.admin.password).want(http.StatusSeeOther)
	kept := b.token()
	b.get(path).want(http.StatusConflict).has("start again", "signed in as <strong>"+h.admin.email)
	if b.token() != kept || b.who(tenant.Live).UserID != h.admin.who(tenant.Live).UserID {
		t.Error("the session was replaced")
	}

	// The person agrees: the new session replaces the old one, which ends.
	if h.admin.token() != was {
		t.Fatal("the session was replaced")
	}
	h.admin.signOn("acme", "").to("/console")
	if got := h.admin.who(tenant.Live); got.Scopes != tenant.RoleRisk.Scopes() {
		t.Errorf("signed in as %+v", got)
	}
	old := h.newBrowser()
	old.setToken(was)
	old.get("/console/account").to("/console/signin?next=%2Fconsole%2Faccount")
	if got := fmt.Sprint(b.get("/console/account").status); got != "200" {
		t.Errorf("a session of another browser answers %s", got)
	}
}
