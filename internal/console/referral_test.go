package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

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

// TestReferralsAreShared checks that people can take referrals, see who works on each of them, filter the queue by
// person and age, and release only their own referrals.
func TestReferralsAreShared(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	asha := h.signUp()
	old := asha.apply(tenant.Sandbox, referred("A-old"))
	h.clock.advance(4 * 24 * time.Hour)
	asha.post("/console/signin", "email", asha.email, "password", asha.password).want(http.StatusSeeOther)
	fresh := asha.apply(tenant.Sandbox, referred("A-fresh"))
	ravi := asha.colleague(tenant.RoleRisk)
	queue := "/console/sandbox/referrals"
	asha.get(queue).want(http.StatusOK).has("waiting 4 days", "waiting less than an hour", "A-fresh")
	asha.get(queue + "?age=3").want(http.StatusOK).has("A-old").hasNot("A-fresh")
	asha.get(queue + "?age=30").want(http.StatusOK).has("No referral matches these filters")
	asha.get(queue+"?age=x").want(http.StatusOK).has("must be a whole number", "A-old")

	asha.post(queue+"/several", "act", "take", "decision", old).to(queue)
	asha.get(queue+"?by=me").want(http.StatusOK).has("You now work on 1 of 1 referrals.", "A-old",
		`<span class="by">you</span>`).hasNot("A-fresh")
	ravi.get(queue).want(http.StatusOK).has(`<span class="by">` + asha.email)
	ravi.get(queue + "?by=nobody").want(http.StatusOK).has("A-fresh").hasNot("A-old")
	ravi.send(queue+"/several", url.Values{"act": {"take"}, "decision": {old, fresh}}).to(queue)
	ravi.get(queue+"?by=me").want(http.StatusOK).has("You now work on 1 of 2 referrals.", "A-fresh").hasNot("A-old")
	ravi.post(queue+"/several", "act", "release", "decision", old).to(queue)
	ravi.get(queue).want(http.StatusOK).has("0 of 1 referrals were released.", `<span class="by">`+asha.email)
	asha.post(queue+"/several", "act", "release", "decision", old).to(queue)
	asha.get(queue + "?by=nobody").want(http.StatusOK).has("A-old")

	asha.post(queue+"/several", "act", "take").want(http.StatusUnprocessableEntity).has("select at least one referral")
	asha.post(queue+"/several", "act", "take", "decision", "<b>").want(http.StatusUnprocessableEntity).
		has("must be ids of decisions")
	asha.colleague(tenant.RoleViewer).post(queue+"/several", "act", "take", "decision", old).want(http.StatusForbidden)
	h.signUp().post(queue+"/several", "act", "take", "decision", old).to(queue) // another tenant
	asha.get(queue + "?by=nobody").want(http.StatusOK).has("A-old")
	asha.get("/console/sandbox/audit").want(http.StatusOK).has("referral.taken", "referral.released")

	// Nobody else can release the referrals of a disabled person, so others may take them.
	asha.post("/console/users/" + ravi.who(tenant.Live).UserID + "/disable").to("/console/users")
	asha.post(queue+"/several", "act", "take", "decision", fresh).to(queue)
	asha.get(queue+"?by=me").want(http.StatusOK).has("You now work on 1 of 1 referrals.", "A-fresh")
}

// TestSeveralReferralsAreReviewed checks that one form reviews several referrals, and that live asks for the
// confirmation.
func TestSeveralReferralsAreReviewed(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	first, second := b.apply(tenant.Sandbox, referred("A-1")), b.apply(tenant.Sandbox, referred("A-2"))
	queue := "/console/sandbox/referrals"
	all := url.Values{"act": {"review"}, "decision": {first, second}}
	b.send(queue+"/several", all).want(http.StatusUnprocessableEntity).has("upheld, overturned or more_information")
	all.Set("outcome", "upheld")
	all.Set("reason_code", "POLICY_STANDS")
	b.send(queue+"/several", all).to(queue)
	b.get(queue).want(http.StatusOK).has("The review was added to 2 referrals.", "No referrals are waiting")
	b.get("/console/sandbox/decisions/" + second).want(http.StatusOK).has("POLICY_STANDS")
	b.send(queue+"/several", url.Values{"outcome": {"upheld"}}).want(http.StatusUnprocessableEntity).
		has("select from 1 to 25 referrals")
	b.send("/console/live/referrals/several", url.Values{"outcome": {"upheld"}, "decision": {first}}).
		want(http.StatusUnprocessableEntity).has("LIVE")
}
