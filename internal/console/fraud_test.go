package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"verdict/internal/application"
	"verdict/internal/tenant"
)

const hostileRef = `<script>alert("x")</script>`

// ring makes three applicants share a bank account and an IP address, and returns the
// path of the alert about the account.
func (b *browser) ring(env tenant.Environment) string {
	b.Helper()
	return b.raised(env, "beneficiary_account_reuse")
}

// raised does the same as ring and returns the path of the alert of type kind.
func (b *browser) raised(env tenant.Environment, kind string) string {
	b.Helper()
	for _, ref := range []string{"A-1", "A-2", hostileRef} {
		b.applies(env, ref, `"beneficiary_account":"00112233445566","ip":"49.36.1.9"`)
	}
	b.get("/console/"+string(env)+"/fraud").
		want(http.StatusOK).has("Shared bank account", "••••5566", "Connected group of people")
	return b.alertOf(env, kind)
}

// applies evaluates an application with the given members of the fraud block.
func (b *browser) applies(env tenant.Environment, ref, members string) {
	b.Helper()
	body := parse(b.T, fmt.Sprintf(`{"bureau":"cibil",
		"report":{"cibil":{"scoreData":{"score":742},"demographics":{"age":34,"employmentType":"salaried"},
		"incomeAssessment":{"monthlyIncome":85000,"foir":32},"requestedAmount":300000}},
		"fraud":{"applicant_ref":%q,%s}}`, ref, members))
	_, err := b.service.Decisions.Evaluate(b.Context(), b.who(env), application.EvaluateRequest(body), nil)
	if err != nil {
		b.Fatal(err)
	}
}

// alertOf returns the path of the newest alert of type kind.
func (b *browser) alertOf(env tenant.Environment, kind string) string {
	b.Helper()
	shown := b.get("/console/" + string(env) + "/fraud?type=" + kind).want(http.StatusOK)
	_, rest, found := strings.Cut(shown.body, `/fraud/alerts/`)
	if !found {
		b.Fatal("no alert is listed")
	}
	id, _, _ := strings.Cut(rest, `"`)
	return "/console/" + string(env) + "/fraud/alerts/" + id
}

func TestAlert(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	at := b.ring(tenant.Sandbox)
	b.get(at).want(http.StatusOK).
		has("3 different applicants named the same bank account", "chart-ring", "Internet address", "&lt;script&gt;",
			"/acknowledge", "/close").
		hasNot("<script>alert")
	b.get("/console/sandbox/fraud?status=closed").want(http.StatusOK).has("No alert found")

	h.signUp().get(at).want(http.StatusNotFound)
	b.get(strings.Replace(at, "sandbox", "live", 1)).want(http.StatusNotFound)
	viewer := b.colleague(tenant.RoleViewer)
	viewer.get(at).want(http.StatusOK).hasNot("/acknowledge", "/close")
	viewer.post(at+"/acknowledge", "note", "x").want(http.StatusForbidden)

	path := strings.TrimPrefix(at, "/console/sandbox")
	b.post(at+"/acknowledge", "note", `calling <b>them</b>`).to("/console/sandbox" + path)
	b.get(at).want(http.StatusOK).has("Acknowledged", "calling &lt;b&gt;them&lt;/b&gt;", b.email).hasNot("/acknowledge")
	b.post(at+"/close", "resolution", "guesswork").want(http.StatusUnprocessableEntity).has(`id="e-resolution"`)
	b.post(at+"/close", "resolution", "confirmed_fraud", "note", "one mule").to("/console/sandbox" + path)
	b.get(at).want(http.StatusOK).has("confirmed fraud", "one mule").hasNot("/close")
	b.post(at + "/acknowledge").want(http.StatusConflict)

	shown := b.get("/console/sandbox/fraud/blocked").want(http.StatusOK).has("••••5566", "Bank account")
	_, rest, _ := strings.Cut(shown.body, `name="key" value="`)
	key, _, _ := strings.Cut(rest, `"`)
	viewer.post("/console/sandbox/fraud/blocked/remove", "kind", "beneficiary_account", "key", key).
		want(http.StatusForbidden)
	b.post("/console/sandbox/fraud/blocked/remove", "kind", "beneficiary_account", "key", key).
		to("/console/sandbox/fraud/blocked")
	b.get("/console/sandbox/fraud/blocked").want(http.StatusOK).has("Nothing is blocked")
}

// TestRingAlert checks that the alert of a connected group does not show its IP
// addresses, and that the ticked entities are blocked.
func TestRingAlert(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	at := b.raised(tenant.Sandbox, "ring")
	shown := b.get(at).want(http.StatusOK).
		has("3 people are linked by accounts", "chart-ring", "Block these values if you confirm fraud", "shared by 3").
		hasNot("Internet address", "<script>alert")
	_, rest, _ := strings.Cut(shown.body, `name="block" value="`)
	chosen, rest, _ := strings.Cut(rest, `"`)
	if !strings.HasPrefix(chosen, "beneficiary_account hmac:") || !strings.HasPrefix(rest, " checked") {
		t.Errorf("the account %q is not ticked: %.20s", chosen, rest)
	}
	b.post(at+"/close", "resolution", "confirmed_fraud", "choose", "1", "block", "ip hmac:x").
		want(http.StatusUnprocessableEntity).has(`id="e-block"`)
	b.post(at+"/close", "resolution", "confirmed_fraud", "choose", "1", "block", chosen).to(at)
	b.get("/console/sandbox/fraud/blocked").want(http.StatusOK).has("••••5566")
}

// TestCrowdAlert checks an alert about an agent. The page says who would be
// declined and does not preselect the agent. Closing the alert without ticking the
// agent blocks nothing.
func TestCrowdAlert(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	for i := range 21 {
		b.applies(tenant.Sandbox, fmt.Sprint("A-", i), `"agent_id":"AG-7"`)
	}
	at := b.alertOf(tenant.Sandbox, "agent_geo_anomaly")
	shown := b.get(at).want(http.StatusOK).
		has("21 applicants or different pincodes came through one agent within 1 day; the limit is 20",
			"everybody who applies through this agent", "Blocked until the end of").
		hasNot("stands at", "24 hours")
	_, rest, _ := strings.Cut(shown.body, `name="block" value="agent `)
	key, rest, _ := strings.Cut(rest, `"`)
	if key == "" || strings.HasPrefix(rest, " checked") {
		t.Errorf("the agent %q is ticked: %.20s", key, rest)
	}
	b.post(at+"/close", "resolution", "confirmed_fraud", "choose", "1", "block", "agent "+key,
		"expires_at", "2001-01-01").want(http.StatusUnprocessableEntity).has(`id="e-block"`)
	b.post(at+"/close", "resolution", "confirmed_fraud", "choose", "1").to(at)
	b.get("/console/sandbox/fraud/blocked").want(http.StatusOK).has("Nothing is blocked")
}

// TestBlockByHand checks that entries can be added to the block list, and that in
// live the user has to confirm.
func TestBlockByHand(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	const at = "/console/sandbox/fraud/blocked"
	b.get(at).want(http.StatusOK).has("Block something", "Nothing is blocked")
	b.post(at, "kind", "mobile", "value", "123").want(http.StatusUnprocessableEntity).has(`id="e-value"`, "ten digits")
	b.post(at, "kind", "device", "value", "x", "expires_at", "2001-01-01").
		want(http.StatusUnprocessableEntity).has(`id="e-expires_at"`)
	b.post(at, "kind", "mobile", "value", "+91 98200 12345", "reason", "<b>known</b>", "expires_at", "2099-12-31").
		to(at)
	b.get(at).want(http.StatusOK).has("••••2345", "Mobile number", "&lt;b&gt;known&lt;/b&gt;",
		"the end of 31 Dec 2099", b.email).hasNot("98200")
	viewer := b.colleague(tenant.RoleViewer)
	viewer.get(at).want(http.StatusOK).hasNot("Block something")
	viewer.post(at, "kind", "device", "value", "x").want(http.StatusForbidden)
	const live = "/console/live/fraud/blocked"
	b.post(live, "kind", "device", "value", "x").want(http.StatusUnprocessableEntity).has(`id="e-confirm"`)
	b.post(live, "kind", "device", "value", "x", "confirm", "LIVE").to(live)
}

func TestThresholds(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	const at = "/console/sandbox/fraud/thresholds"
	b.get(at).want(http.StatusOK).
		has("Nobody has changed them yet", `name="fraud.ip_cluster.distinct_applicants"`, "Default: 5.",
			"within 24 hours · from 5 applicants · 15 points").
		hasNot("<details open>", "not the default")

	set := func(pairs ...string) []string { return append([]string{"version", "0"}, pairs...) }
	b.post(at, set("fraud.ip_cluster.distinct_applicants", "-4", "location.allowed_ip_countries", "IN, Mars")...).
		want(http.StatusUnprocessableEntity).
		has(`id="e-fraud.ip_cluster.distinct_applicants"`, `value="-4"`, `id="e-location.allowed_ip_countries"`,
			"<details open><summary><h2>Cluster behind one address")
	b.post(at, set(
		"fraud.ip_cluster.distinct_applicants", "7", "fraud.ip_cluster.enabled", "false",
		"location.allowed_ip_countries", "IN, NP", "fraud.beneficiary_reuse.allowlist_accounts", "00112233445566",
		"fraud.alert_min_severity", "high")...).to(at)
	b.get(at).want(http.StatusOK).
		has("Version 1", `value="7"`, "Now: 7.", "IN, NP", "••••5566", "Default: on. Now: false.", b.email,
								"2 not the default").
		hasNot("00112233445566", "from 7 applicants") // a check that is off has no summary

	// Posting the masked account leaves the stored account unchanged, and a form with
	// an old version changes nothing.
	b.post(at, "version", "1", "fraud.beneficiary_reuse.allowlist_accounts", "••••5566").to(at)
	b.post(at, "version", "1", "fraud.ip_cluster.distinct_applicants", "9").
		want(http.StatusPreconditionFailed).has("not the expected one", `value="9"`)
	b.get(at).want(http.StatusOK).has("Version 2", "••••5566")

	viewer := b.colleague(tenant.RoleViewer)
	viewer.get(at).want(http.StatusOK).has("disabled", "can view the thresholds")
	viewer.post(at, "version", "2").want(http.StatusForbidden)
	const live = "/console/live/fraud/thresholds"
	b.post(live, "version", "0", "fraud.ip_cluster.points", "1").
		want(http.StatusUnprocessableEntity).has(`id="e-confirm"`)
	b.post(live, "version", "0", "fraud.ip_cluster.points", "1", "confirm", "LIVE").to(live)
}

// TestUnstorableTexts checks that the pages for thresholds and pincodes stay readable
// after a field was stored that contained a NUL character or invalid UTF-8.
func TestUnstorableTexts(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	const thresholds, pincodes = "/console/sandbox/fraud/thresholds", "/console/sandbox/fraud/pincodes"
	b.post(thresholds, "version", "0", "fraud.device_reuse.allowlist", "abcd1234\x00, efgh5678\xff").to(thresholds)
	b.get(thresholds).want(http.StatusOK).has("Version 1")
	b.post(pincodes, "pincode", "560001", "risk", "HIGH", "reason", "x\x00y\xff").to(pincodes)
	b.get(pincodes).want(http.StatusOK).has("x\uFFFDy\uFFFD")
}

func TestPincodes(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	const at = "/console/sandbox/fraud/pincodes"
	b.get(at).want(http.StatusOK).has("No entry found", "chart-tilemap")
	b.post(at, "pincode", "400001", "risk", "HIGH", "reason", hostileRef, "expires_at", "2099-01-31").to(at)
	b.get(at).want(http.StatusOK).has("400001", "&lt;script&gt;", "Mumbai, Konkan and Goa; High: 1", "1 Feb 2099").
		hasNot("<script>alert")
	b.post(at, "pincode", "4x", "risk", "HIGH", "risk_score", "lots").want(http.StatusUnprocessableEntity).
		has(`id="e-pincode"`, `id="e-risk_score"`, `value="4x"`)
	b.post(at+"/list", "lines", "pincode,risk,reason\n110001, BLOCKED, a ring\n70, 20\n\n560001\tmedium\n").
		want(http.StatusUnprocessableEntity).
		has("line 3: pincode", "560001")
	b.post(at+"/list", "lines",
		"pincode,risk,reason\n110001, BLOCKED, a ring, of three\n700, 20\n\n560001\tmedium\n9011,high\n400001,\n").
		to(at)
	b.get(at).want(http.StatusOK).has("110001", "a ring, of three", "Delhi; Blocked: 1", "Kolkata; Low: 1",
		"Bengaluru; Medium: 1", "Army post; High: 1").
		hasNot("400001<")
	b.get(at + "?prefix=56").want(http.StatusOK).has("560001").hasNot("<code>110001")
	b.get(at + "?class=BLOCKED").want(http.StatusOK).has("110001").hasNot("<code>560001")
	b.post(at+"/remove", "pincode", "110001").to(at)
	b.get(at).want(http.StatusOK).hasNot("<code>110001")
	b.post(at+"/list", "lines", "nothing here").want(http.StatusUnprocessableEntity).has(`id="e-lines"`)
	b.post("/console/live/fraud/pincodes", "pincode", "400001", "risk", "HIGH").
		want(http.StatusUnprocessableEntity).has(`id="e-confirm"`)
	b.colleague(tenant.RoleViewer).post(at+"/remove", "pincode", "700").want(http.StatusForbidden)
}
