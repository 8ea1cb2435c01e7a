package console_test

import (
	"net/http"
	"strings"
	"testing"

	"verdict/internal/tenant"
)

func TestRolesSeeWhatTheyMayUse(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	admin := h.signUp()
	risk, viewer := admin.colleague(tenant.RoleRisk), admin.colleague(tenant.RoleViewer)
	for _, b := range []*browser{risk, viewer} {
		b.get("/console/sandbox").want(http.StatusOK).has("Overview").hasNot("API keys</a>", "Create a key")
		for _, path := range []string{"/console/live/keys", "/console/live/keys/new"} {
			b.get(path).want(http.StatusForbidden).has("Not allowed", "Your role")
		}
		b.post("/console/live/keys", "name", "mine", "scopes", "admin", "confirm", "LIVE").want(http.StatusForbidden)
		b.post("/console/users/invite", "email", "x@example.in", "role", "admin").want(http.StatusForbidden)
		b.get("/console/account").want(http.StatusOK)
		b.get("/console/live/audit").want(http.StatusOK)
	}
	viewer.get("/console/sandbox").hasNot("People</a>")
	viewer.get("/console/users").want(http.StatusForbidden).has("Not allowed", "Your role")
	// A user who may activate sees which users to confirm, but cannot change users.
	risk.get("/console/users").want(http.StatusOK).has(admin.email).
		hasNot("Invite somebody", "Disable access", "/role\"")
	admin.get("/console/sandbox").has("API keys</a>", "People</a>")
}

// TestActivatorIsConfirmed checks that after the first activation in live, a
// new activator must be confirmed by a user who did not invite them.
func TestActivatorIsConfirmed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	admin := h.signUp()
	risk := admin.colleague(tenant.RoleRisk)
	sets := admin.between("/console/live/policies", "/console/live/policies/pol_", "\"")
	admin.post("/console/live/policies/pol_"+sets+"/activate", "confirm", "LIVE").want(http.StatusSeeOther)
	fresh := admin.colleague(tenant.RoleRisk)
	id := fresh.who(tenant.Live).UserID
	path := "/console/users/" + id + "/confirm"
	admin.get("/console/users").has("may activate in live from").hasNot("Confirm as activator")
	admin.post(path).want(http.StatusConflict).has("You gave this person the right to activate")
	fresh.post(path).want(http.StatusConflict).has("cannot confirm yourself")
	h.signUp().post(path).want(http.StatusNotFound)
	risk.get("/console/users").has("Confirm as activator: " + fresh.email)
	risk.post(path).to("/console/users")
	risk.get("/console/users").hasNot("Confirm as activator", "may activate in live from")
	risk.post(path).want(http.StatusConflict).has("is not waiting")
}

func TestRoleIsSetAndSessionEnds(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	admin := h.signUp()
	viewer := admin.colleague(tenant.RoleViewer)
	id := viewer.who(tenant.Live).UserID
	admin.post("/console/users/"+id+"/role", "role", "emperor").want(http.StatusUnprocessableEntity)
	admin.post("/console/users/"+id+"/role", "role", "admin").to("/console/users")
	viewer.get("/console/account").want(http.StatusSeeOther)
	viewer.post("/console/signin", "email", viewer.email, "password", viewer.password).want(http.StatusSeeOther)
	viewer.get("/console/users").want(http.StatusOK)
}

func TestLastAdminStays(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	admin := h.signUp()
	id := admin.who(tenant.Live).UserID
	admin.post("/console/users/"+id+"/role", "role", "viewer").want(http.StatusConflict).has("last administrator")
	admin.post("/console/users/" + id + "/disable").want(http.StatusConflict).has("last administrator")
	admin.get("/console/users").want(http.StatusOK)
}

func TestShutOutAndLetInAgain(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	admin := h.signUp()
	risk := admin.colleague(tenant.RoleRisk)
	id := risk.who(tenant.Live).UserID
	admin.post("/console/users/" + id + "/disable").to("/console/users")
	risk.get("/console/account").want(http.StatusSeeOther)
	risk.post("/console/signin", "email", risk.email, "password", risk.password).want(http.StatusUnauthorized)
	admin.get("/console/users").has("Disabled", "Enable access")
	admin.post("/console/users/" + id + "/enable").to("/console/users")
	risk.post("/console/signin", "email", risk.email, "password", risk.password).want(http.StatusSeeOther)
}

func TestInvitationIsWithdrawn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	admin, stranger := h.signUp(), h.signUp()
	shown := admin.post("/console/users/invite", "email", "ravi@example.in", "role", "viewer").want(http.StatusOK)
	_, rest, _ := strings.Cut(shown.body, "/console/invite/")
	token, _, _ := strings.Cut(rest, "<")
	path := "/console/users/invitations/inv_" +
		admin.between("/console/users", "/console/users/invitations/inv_", "/revoke") + "/revoke"
	stranger.post(path).want(http.StatusNotFound)
	admin.post(path).to("/console/users")
	h.newBrowser().get("/console/invite/" + token).want(http.StatusNotFound)
}

func TestOtherTenantsPeopleAreNotThere(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	admin, stranger := h.signUp(), h.signUp()
	id := admin.who(tenant.Live).UserID
	stranger.get("/console/users").want(http.StatusOK).hasNot(admin.email, id)
	stranger.post("/console/users/"+id+"/role", "role", "viewer").want(http.StatusNotFound)
	stranger.post("/console/users/" + id + "/disable").want(http.StatusNotFound)
	stranger.post("/console/users/" + id + "/enable").want(http.StatusNotFound)
}
