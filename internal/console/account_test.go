package console_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestPasswordChangeEndsOtherSessions(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	elsewhere := h.newBrowser()
	elsewhere.post("/console/signin", "email", b.email, "password", b.password).want(http.StatusSeeOther)

	b.post("/console/account/password", "current_password", "wrong one", "password", "a brand new password").
		want(http.StatusUnprocessableEntity).has(`id="e-current_password"`).hasNot("wrong one", "a brand new password")
	before := b.token()
	b.post("/console/account/password", "current_password", b.password, "password", "a brand new password").
		to("/console/account")
	if b.token() == before {
		t.Error("the token stayed the same")
	}
	b.get("/console/account").want(http.StatusOK).has("The password was changed")
	elsewhere.get("/console/account").want(http.StatusSeeOther)
	elsewhere.post("/console/signin", "email", b.email, "password", b.password).want(http.StatusUnauthorized)
	elsewhere.post("/console/signin", "email", b.email, "password", "a brand new password").want(http.StatusSeeOther)
}

func TestSessionsAreRevokedOneByOne(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	phone, laptop := h.newBrowser(), h.newBrowser()
	for _, other := range []*browser{phone, laptop} {
		other.post("/console/signin", "email", b.email, "password", b.password).want(http.StatusSeeOther)
	}
	id := b.between("/console/account", "/console/account/sessions/ses_", "/revoke")
	stranger := h.signUp()
	stranger.post("/console/account/sessions/ses_" + id + "/revoke").want(http.StatusNotFound)
	b.post("/console/account/sessions/ses_" + id + "/revoke").to("/console/account")
	out := 0
	for _, other := range []*browser{phone, laptop} {
		if other.get("/console/account").status == http.StatusSeeOther {
			out++
		}
	}
	if out != 1 {
		t.Errorf("%d sessions ended, want 1", out)
	}
	b.post("/console/account/sessions/others").to("/console/account")
	phone.get("/console/account").want(http.StatusSeeOther)
	laptop.get("/console/account").want(http.StatusSeeOther)
	if shown := b.get("/console/account").want(http.StatusOK); strings.Count(shown.body, "this session") != 1 {
		t.Error("the session in use is not marked once")
	}
}
