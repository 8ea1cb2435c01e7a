package console_test

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"verdict/internal/tenant"
)

// enrol sets up the second factor of the person in this browser, and returns its secret and recovery codes.
func (b *browser) enrol() (tenant.TOTP, []string) {
	b.Helper()
	b.post("/console/account/second-factor/begin", "current_password", b.password).to("/console/account/second-factor")
	grouped := b.between("/console/account/second-factor", `aria-label="Secret"><code>`, "<")
	secret := tenant.TOTP{Secret: tenant.NewSecret(strings.ReplaceAll(grouped, " ", ""))}
	shown := b.post("/console/account/second-factor/confirm", "code", b.code(secret)).want(http.StatusOK)
	_, rest, _ := strings.Cut(shown.body, `aria-label="Recovery codes"><code>`)
	codes, _, _ := strings.Cut(rest, "<")
	b.clock.advance(time.Minute)
	return secret, strings.Fields(codes)
}

// code returns the code that an app shows now.
func (b *browser) code(secret tenant.TOTP) string {
	b.Helper()
	code, err := secret.Code(secret.Step(b.clock.now()))
	if err != nil {
		b.Fatal(err)
	}
	return code
}

func TestSecondFactor(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	owner := h.signUp()
	owner.get("/console/account").has("Only your password protects your account")
	owner.get("/console/account/second-factor").has("Set up second factor")
	owner.post("/console/account/second-factor/begin", "current_password", "wrong").
		want(http.StatusUnprocessableEntity).has("Is not the current password.").hasNot("value=\"wrong")
	owner.post("/console/account/second-factor/confirm", "code", "123456").want(http.StatusConflict)
	owner.post("/console/account/second-factor/begin", "current_password", owner.password).
		to("/console/account/second-factor")
	page := owner.get("/console/account/second-factor").want(http.StatusOK).has(`<svg class="qr"`)
	owner.post("/console/account/second-factor/confirm", "code", "12").
		want(http.StatusUnprocessableEntity).has(`<svg class="qr"`, "check that the clock")
	if page.header.Get("Cache-Control") != "no-store" {
		t.Error("the secret may be stored in a cache")
	}
	secret, codes := owner.enrol()
	if len(codes) != 10 {
		t.Fatalf("the recovery codes are %q", codes)
	}
	owner.get("/console/account/second-factor").has("10 recovery codes are unused").
		hasNot(codes[0], "<svg class=\"qr\"")
	owner.get("/console/users").has("password and code")

	b := h.newBrowser()
	step := func(next string) string {
		t.Helper()
		shown := b.post("/console/signin", "email", owner.email, "password", owner.password, "next", next).
			want(http.StatusOK).has("Second step", `autocomplete="one-time-code"`).hasNot(owner.password)
		if b.token() != "" {
			t.Fatal("the password alone gives a session")
		}
		_, rest, _ := strings.Cut(shown.body, `name="ticket" value="`)
		ticket, _, _ := strings.Cut(rest, `"`)
		return ticket
	}
	ticket := step("/console/live/audit")
	b.get("/console/account").to("/console/signin?next=%2Fconsole%2Faccount")
	b.post("/console/signin/code", "ticket", ticket, "code", "000000", "next", "/console/live/audit").
		want(http.StatusUnauthorized).has("The code is wrong", ticket, `value="/console/live/audit"`)
	b.post("/console/signin/code", "ticket", ticket, "code", b.code(secret), "next", "https://evil.example/").
		to("/console")
	b.get("/console/account").want(http.StatusOK)
	b.post("/console/signout").to("/console/signin")
	b.post("/console/signin/code", "ticket", step(""), "code", codes[4], "next", "/console/live/audit").
		to("/console/live/audit")
	b.post("/console/signout")
	late := step("")
	h.clock.advance(10 * time.Minute)
	b.post("/console/signin/code", "ticket", late, "code", b.code(secret)).
		want(http.StatusUnauthorized).has("took too long", `name="password"`)

	owner.post("/console/account/second-factor/codes", "code", "1").want(http.StatusUnprocessableEntity)
	owner.post("/console/account/second-factor/codes", "code", owner.code(secret)).want(http.StatusOK).
		has("shown only now")
	h.clock.advance(time.Minute)
	owner.post("/console/account/second-factor/remove", "code", owner.code(secret)).to("/console/account")
	b.post("/console/signin", "email", owner.email, "password", owner.password).to("/console")
}

// TestSecondFactorIsRequired checks that a person without a required second factor can reach only the page that sets
// it up.
func TestSecondFactorIsRequired(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	owner := h.signUp()
	colleague := owner.colleague(tenant.RoleRisk)
	colleague.post("/console/users/second-factor", "everybody", "yes").want(http.StatusForbidden)
	owner.post("/console/users/second-factor", "everybody", "yes").to("/console/account/second-factor")
	owner.enrol()
	owner.post("/console/users/second-factor", "everybody", "yes").to("/console/users")
	owner.get("/console/users").want(http.StatusOK).has("Make it optional")
	for _, route := range h.console.Routes() {
		method, path, _ := strings.Cut(strings.ReplaceAll(route, "{env}", "live"), " ")
		if strings.Contains(path, "{") || strings.HasPrefix(path, "/console/account/second-factor") ||
			strings.HasPrefix(path, "/console/sign") || path == "/console/theme" {
			continue
		}
		a := colleague.get(path)
		if method == http.MethodPost {
			a = colleague.post(path)
		}
		if a.status != http.StatusSeeOther || a.header.Get("Location") != "/console/account/second-factor" {
			t.Errorf("%s: status %d to %q", route, a.status, a.header.Get("Location"))
		}
	}
	colleague.get("/console/account/second-factor").has("Your organisation requires a second factor")
	colleague.enrol()
	colleague.get("/console/live/policies").want(http.StatusOK)

	id := colleague.who(tenant.Live).UserID
	owner.get("/console/users").has("/console/users/" + id + "/second-factor/reset")
	owner.post("/console/users/" + id + "/second-factor/reset").to("/console/users")
	colleague.get("/console/live/policies").to("/console/signin?next=%2Fconsole%2Flive%2Fpolicies")
	self := owner.who(tenant.Live).UserID
	owner.post("/console/users/" + self + "/second-factor/reset").want(http.StatusConflict)
}

// TestQRCode checks that the picture is well-formed and has the finder patterns of a QR code in its corners.
func TestQRCode(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	owner := h.signUp()
	owner.post("/console/account/second-factor/begin", "current_password", owner.password)
	svg := `<svg class="qr"` + owner.between("/console/account/second-factor", `<svg class="qr"`, "</svg>") + "</svg>"
	var picture struct {
		ViewBox string `xml:"viewBox,attr"`
		Label   string `xml:"aria-label,attr"`
		Path    struct {
			D string `xml:"d,attr"`
		} `xml:"path"`
	}
	if err := xml.Unmarshal([]byte(svg), &picture); err != nil {
		t.Fatal(err)
	}
	if picture.Label == "" || !strings.HasPrefix(picture.ViewBox, "0 0 ") {
		t.Errorf("%+v", picture)
	}
	for y, row := range []string{
		"XXXXXXX.", "X.....X.", "X.XXX.X.", "X.XXX.X.", "X.XXX.X.", "X.....X.", "XXXXXXX.", "........",
	} {
		for x, want := range row {
			at := fmt.Sprintf("M%d %dh1v1h-1z", x+4, y+4)
			if got := strings.Contains(picture.Path.D, at); got != (want == 'X') {
				t.Errorf("module %d, %d is black: %v", x, y, got)
			}
		}
	}
}

// TestEditSurvivesSecondStep checks that an edit is kept through both steps of a sign-in.
func TestEditSurvivesSecondStep(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	secret, _ := b.enrol()
	d := b.edit(b.active(tenant.Sandbox), "?open=knockouts/3")
	d.form.Set("row.message", "Typed before the session ended")
	d.form.Set("act", "check:")
	h.clock.advance(13 * time.Hour)
	kept := fieldsOf(b.send(d.path, d.form).want(http.StatusUnauthorized).body, "/console/signin")
	kept.Set("email", b.email)
	kept.Set("password", b.password)
	step := fieldsOf(b.send("/console/signin", kept).want(http.StatusOK).body, "/console/signin/code")
	step.Set("code", b.code(secret))
	at := b.send("/console/signin/code", step).want(http.StatusSeeOther).header.Get("Location")
	b.get(withoutFragment(at)).want(http.StatusOK).has("Typed before the session ended")
}
