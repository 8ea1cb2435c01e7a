package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"verdict/internal/tenant"
)

func TestStrangerIsSentToTheDoorAndBack(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	owner := h.signUp()
	b := h.newBrowser()
	b.get("/console").to("/console/signin")
	b.get("/console/live/audit?actor=x").to("/console/signin?next=" + url.QueryEscape("/console/live/audit?actor=x"))
	b.post("/console/live/keys", "name", "x").to("/console/signin")

	b.get("/console/signin?next=/console/live/audit").want(http.StatusOK).has(`name="next" value="/console/live/audit"`)
	b.post("/console/signin", "email", owner.email, "password", owner.password, "next", "/console/live/audit?actor=x").
		to("/console/live/audit?actor=x")
	b.get("/console/live/audit").want(http.StatusOK)
	b.get("/console/signin").to("/console")
}

func TestReturnPathStaysInTheHouse(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	owner := h.signUp()
	for _, next := range []string{
		"https://evil.example/console/", "//evil.example/console/", "/\\evil.example", "/console/../../evil",
		"/console//evil.example", "/other", "javascript:alert(1)", "/console/\n/evil", "",
	} {
		b := h.newBrowser()
		b.post("/console/signin", "email", owner.email, "password", owner.password, "next", next).to("/console")
	}
}

// TestWrongCredentialsSayTheSame checks that the pages for an unknown e-mail
// address and for a wrong password are identical.
func TestWrongCredentialsSayTheSame(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	owner := h.signUp()
	shown := func(email string) string {
		a := h.newBrowser().post("/console/signin", "email", email, "password", "not this one").
			want(http.StatusUnauthorized)
		a.hasNot("not this one")
		return strings.ReplaceAll(a.body, email, "")
	}
	if known, unknown := shown(owner.email), shown("nobody@example.in"); known != unknown {
		t.Errorf("known:\n%s\nunknown:\n%s", known, unknown)
	}
}

func TestSignInIsThrottled(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	owner := h.signUp()
	b := h.newBrowser()
	for range 50 {
		a := b.post("/console/signin", "email", owner.email, "password", "wrong password")
		if a.status == http.StatusTooManyRequests {
			if a.header.Get("Retry-After") == "" {
				t.Error("nobody is told when to come back")
			}
			b.post("/console/signin", "email", owner.email, "password", owner.password).want(http.StatusTooManyRequests)
			// The owner signs in from the same address, in a known browser.
			owner.post("/console/signout").to("/console/signin")
			owner.post("/console/signin", "email", owner.email, "password", owner.password).want(http.StatusSeeOther)
			h.clock.advance(time.Hour)
			b.post("/console/signin", "email", owner.email, "password", owner.password).want(http.StatusSeeOther)
			return
		}
		a.want(http.StatusUnauthorized)
	}
	t.Error("fifty wrong passwords were not throttled")
}

func TestSignOutEndsTheSession(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	token := b.token()
	b.post("/console/signout").to("/console/signin")
	if b.token() != "" {
		t.Error("the browser still has its session")
	}
	b.get("/console/signin").want(http.StatusOK).has("You are signed out.")
	b.get("/console/signin").hasNot("You are signed out.")
	b.setToken(token)
	b.get("/console/account").to("/console/signin?next=" + url.QueryEscape("/console/account"))
}

func TestSessionsExpire(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	h.clock.advance(11 * time.Hour)
	b.get("/console/account").want(http.StatusOK)
	h.clock.advance(8 * 24 * time.Hour)
	b.get("/console/account").want(http.StatusSeeOther)
}

func TestSignInBeginsANewSession(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	before := b.token()
	b.post("/console/signin", "email", b.email, "password", b.password).want(http.StatusSeeOther)
	if b.token() == before {
		t.Error("the token stayed the same")
	}
	b.get("/console/account").want(http.StatusOK)
	b.setToken(before)
	b.get("/console/account").want(http.StatusSeeOther)
}

func TestCookieOfTheSession(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	owner := h.signUp()
	a := h.newBrowser().post("/console/signin", "email", owner.email, "password", owner.password)
	for _, want := range []string{"verdict=", "HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=691200"} {
		if got := a.header.Get("Set-Cookie"); !strings.Contains(got, want) {
			t.Errorf("the cookie %q lacks %s", strings.SplitN(got, "=", 2)[0], want)
		}
	}
}

func TestSignUpTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.newBrowser()
	b.post("/console/signup", "org_name", `<script>alert(1)</script>`, "email", "no address", "password", "short").
		want(http.StatusUnprocessableEntity).
		has(`value="no address"`, `aria-invalid="true"`, `id="e-email"`, `id="e-password"`,
			`href="#f-email"`, "&lt;script&gt;").
		hasNot("<script>alert", `value="short"`)
	b.post("/console/signup", "org_name", "Other Finance", "email", h.signUp().email,
		"password", "correct horse battery").want(http.StatusConflict)
}

func TestInvitation(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	admin := h.signUp()
	shown := admin.post("/console/users/invite", "email", "ravi@example.in", "role", "risk").want(http.StatusOK)
	_, rest, _ := strings.Cut(shown.body, "/console/invite/")
	token, _, _ := strings.Cut(rest, "<")
	admin.get("/console/users").want(http.StatusOK).has("ravi@example.in").hasNot(token)

	b := h.newBrowser()
	b.get("/console/invite/"+token).want(http.StatusOK).has("Join Asha Finance", "ravi@example.in")
	b.post("/console/invite/"+token, "password", "short").want(http.StatusUnprocessableEntity).has(`id="e-password"`)
	b.post("/console/invite/"+token, "password", "another long password").to("/console")
	if got, want := b.who(tenant.Live).Scopes, tenant.RoleRisk.Scopes(); got != want {
		t.Errorf("scopes %s, want %s", got, want)
	}
	h.newBrowser().get("/console/invite/" + token).want(http.StatusNotFound)
	h.newBrowser().get("/console/invite/nonsense").want(http.StatusNotFound)
	admin.post("/console/users/invite", "email", "ravi@example.in", "role", "risk").want(http.StatusConflict)
}

func TestThemeIsKept(t *testing.T) {
	t.Parallel()
	b := newHouse(t).newBrowser()
	b.post("/console/theme", "theme", "dark", "next", "/console/signin").to("/console/signin")
	b.get("/console/signin").has(`data-theme="dark"`)
	b.post("/console/theme", "theme", "system", "next", "//evil.example").to("/console")
	b.get("/console/signin").hasNot("data-theme")
}

// TestSignUpIsClosed checks that the page says that signup is closed, that a
// posted form is refused, and that the form asks for a code in the invitation
// mode.
func TestSignUpIsClosed(t *testing.T) {
	t.Parallel()
	fields := []string{"email", "late@example.in", "org_name", "Late", "password", "correct horse"}
	closed := newHouseWith(t, tenant.SignupClosed, tenant.PasswordRules{}).newBrowser()
	closed.get("/console/signup").
		want(http.StatusOK).has("Signup is closed").hasNot("<form method=\"post\" action=\"/console/signup\"")
	closed.post("/console/signup", fields...).want(http.StatusForbidden)
	invited := newHouseWith(t, tenant.SignupInvite, tenant.PasswordRules{})
	b := invited.newBrowser()
	b.get("/console/signup").want(http.StatusOK).has("Invite code")
	b.post("/console/signup", fields...).want(http.StatusUnprocessableEntity).has("needs an invite_code")
	b.post("/console/signup", append(fields, "invite_code", "nonsense")...).
		want(http.StatusUnprocessableEntity).has("unknown, used or expired")
	code, _, err := invited.service.Operator.InviteToSignup(t.Context(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	b.post("/console/signup", append(fields, "invite_code", code.Reveal())...).want(http.StatusOK).has("vk_sandbox_")
}

// TestFormsNameTheMinimumPasswordLength checks that the three forms for a new password name the
// configured minimum.
func TestFormsNameTheMinimumPasswordLength(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		configured int
		hint       string
	}{
		{0, "At least 8 characters."},
		{14, "At least 14 characters."},
	} {
		h := newHouseWith(t, tenant.SignupOpen, tenant.PasswordRules{MinCharacters: c.configured})
		h.newBrowser().get("/console/signup").want(http.StatusOK).has(c.hint)
		admin := h.signUp()
		admin.get("/console/account").want(http.StatusOK).has(c.hint)
		shown := admin.post("/console/users/invite", "email", "ravi@example.in", "role", "risk").want(http.StatusOK)
		_, rest, _ := strings.Cut(shown.body, "/console/invite/")
		token, _, _ := strings.Cut(rest, "<")
		h.newBrowser().get("/console/invite/"+token).want(http.StatusOK).has("Join Asha Finance", c.hint)
	}
}
