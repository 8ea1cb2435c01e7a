package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"verdict/internal/tenant"
)

func TestReferralsAreWorkedThrough(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	b.get("/console/sandbox/referrals").want(http.StatusOK).has("No referrals are waiting")
	first, second := b.apply(tenant.Sandbox, referred("A-first")), b.apply(tenant.Sandbox, referred("A-second"))
	b.decide(tenant.Sandbox, "A-approved")
	shown := b.get("/console/sandbox/referrals").want(http.StatusOK).
		has("A-first", "A-second", "BUR_ENQ", "Add review and open the next", `name="next" value="`+second+`"`).
		hasNot("A-approved")
	if strings.Index(shown.body, "A-first") > strings.Index(shown.body, "A-second") {
		t.Error("the oldest does not come first")
	}
	act := "/console/sandbox/referrals/" + first + "/review"
	b.post(act, "reason_code", "lower case", "note", "typed before", "next", second).
		want(http.StatusUnprocessableEntity).
		has("typed before", "must be capitals", "A-first").hasNot("The review was added")
	b.post(act, "outcome", "more_information", "note", "Salary slips, please", "next", second).
		to("/console/sandbox/referrals?at=" + second)
	b.get("/console/sandbox/referrals?at="+second).
		want(http.StatusOK).has("stays in the queue", "asked ", `href="/console/sandbox/decisions/`+second)
	b.get("/console/sandbox/referrals?at="+first).want(http.StatusOK).has("Salary slips, please", b.email)

	b.post(act, "outcome", "overturned", "reason_code", "INCOME_VERIFIED", "note", "Seen", "next", "//evil.example").
		to("/console/sandbox/referrals")
	b.get("/console/sandbox/referrals").want(http.StatusOK).has("This referral is closed", "A-second").hasNot("A-first")
	b.get("/console/sandbox/decisions/"+first).
		want(http.StatusOK).has("overturned", "INCOME_VERIFIED", "Seen").hasNot("In the queue")
	b.post("/console/sandbox/decisions/"+second+"/review", "outcome", "upheld").
		to("/console/sandbox/decisions/" + second)
	b.get("/console/sandbox/referrals").want(http.StatusOK).has("No referrals are waiting")
}

func TestReferralsArePaged(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	for i := range 27 {
		b.apply(tenant.Sandbox, referred(fmt.Sprintf("A-%02d", i)))
	}
	shown := b.get("/console/sandbox/referrals").want(http.StatusOK).has("A-00", "A-24").hasNot("A-25")
	next := link(shown, "Next page")
	on := b.get(next).want(http.StatusOK).has("A-25", "A-26", "First page").hasNot("A-24", "Next page")
	path := link(on, `<span class="who">A-26`)
	if !strings.Contains(path, "cursor=") || !strings.HasSuffix(path, "#open") {
		t.Errorf("opening one leads to %q", path)
	}
}

func TestReviewsNeedTheRole(t *testing.T) {
	t.Parallel()
	admin := newHouse(t).signUp()
	id := admin.apply(tenant.Sandbox, referred("A-1"))
	viewer, risk := admin.colleague(tenant.RoleViewer), admin.colleague(tenant.RoleRisk)
	for _, path := range []string{"/console/sandbox/decisions/" + id, "/console/sandbox/referrals"} {
		viewer.get(path).want(http.StatusOK).has("BUR_ENQ").hasNot("Add review")
		risk.get(path).want(http.StatusOK).has("Add review")
	}
	for _, act := range []string{
		"/console/sandbox/decisions/" + id + "/review",
		"/console/sandbox/referrals/" + id + "/review",
	} {
		viewer.post(act, "outcome", "upheld").want(http.StatusForbidden)
		foreign := risk.form(act, "outcome", "upheld")
		foreign.Header.Set("Origin", "https://evil.example")
		risk.do(foreign).want(http.StatusForbidden)
	}
	risk.post("/console/sandbox/decisions/"+id+"/review", "outcome", "upheld").to("/console/sandbox/decisions/" + id)
	viewer.get("/console/sandbox/decisions/"+id).want(http.StatusOK).has("upheld", risk.email)
}
