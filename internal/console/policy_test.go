package console_test

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// active returns the id of the active version, or of the newest version if none
// is active.
func (b *browser) active(env tenant.Environment) string {
	b.Helper()
	page, err := b.service.Policies.RuleSets(b.Context(), b.who(env), policydesk.RuleSetFilter{},
		operation.List{Limit: 50})
	if err != nil || len(page.Data) == 0 {
		b.Fatalf("rule sets: %v %v", page, err)
	}
	for _, set := range page.Data {
		if set.Status == "active" {
			return set.ID
		}
	}
	return page.Data[0].ID
}

// draft stores a version based on the active version, with the given members
// changed, and returns its id.
func (b *browser) draft(env tenant.Environment, members string) string {
	b.Helper()
	draft := engine.NewDraft(parse(b.T, `{"name":"Draft",`+members+`}`))
	set, err := b.service.Policies.CreateRuleSet(b.Context(), b.who(env), draft, nil)
	if err != nil {
		b.Fatal(err)
	}
	return set.ID
}

// stricter has the members of a draft that declines applicants with an income below 90,000.
const stricter = `"knockouts":[{"id":"KO_MIN_INCOME","reason_code":"INC_LOW",
	"condition_ast":{"op":"lt","field":"monthly_income","value":90000}}]`

func TestPolicyReads(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	b.decide(tenant.Sandbox, "A-1")
	id := b.active(tenant.Sandbox)
	b.get("/console/sandbox/policies").
		want(http.StatusOK).has("Deciding for", "/console/sandbox/policies/"+id, "version 1", "Unsecured personal loan")
	b.get("/console/live/policies").want(http.StatusOK).has("No policy is active in live", "LIVE")
	b.get("/console/sandbox/policies/"+id).want(http.StatusOK).has(
		"Deciding now", "KO_FOIR_LOW_INCOME", html.EscapeString("monthly_income < ₹25,000 and foir_effective >= 40 %"),
		"FOIR_HIGH", "650 ≤ bureau_score &lt; 675", "−20", "PB_A_PLUS", "750–900", "12.5 %", "₹20,000 – ₹10,00,000",
		"Verified income before disbursal", "bureau_score|bureau_is_ntc", "Audit trail", "rule set · activated",
		"&#34;op&#34;: &#34;lt&#34;", "highest of declared, bureau")
	b.get("/console/sandbox/policies/pol_01J00000000000000000000000").want(http.StatusNotFound)
}

func TestPolicyFindingsStandBesideTheirLine(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	id := b.draft(tenant.Sandbox, `"knockouts":[{"id":"KO_ALWAYS","reason_code":"BUR_SCORE",
		"condition_ast":{"op":"gte","field":"bureau_score","value":300}}]`)
	shown := b.get("/console/sandbox/policies/" + id).want(http.StatusOK)
	shown.has("What the analysis says", `href="#at-knockouts-0"`)
	_, line, _ := strings.Cut(shown.body, `<li id="at-knockouts-0">`)
	if line, _, _ = strings.Cut(line, "</section>"); !strings.Contains(line, "always_fires") {
		t.Errorf("the finding does not stand beside its line:\n%s", line)
	}
}

func TestPolicyHostileTexts(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	id := b.draft(tenant.Sandbox, `"knockouts":[{"id":"KO_X","reason_code":"BUR_SCORE",
		"message":"<script>alert(1)</script>","applicant_message":"\"'><img src=x>",
		"condition_ast":{"op":"eq","field":"bureau","value":"</code><script>alert(2)</script>"}}]`)
	for _, path := range []string{
		"/console/sandbox/policies/" + id,
		"/console/sandbox/policies/" + id + "/edit?open=knockouts/0",
		"/console/sandbox/policies/compare?a=" + b.active(tenant.Sandbox) + "&b=" + id,
	} {
		b.get(path).want(http.StatusOK).hasNot("<script>alert", "<img src=x").has("&lt;script&gt;alert(1)")
	}
}

func TestPolicyOfAnotherTenant(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b, stranger := h.signUp(), h.signUp()
	mine, theirs := b.active(tenant.Sandbox), stranger.active(tenant.Sandbox)
	for _, path := range []string{"", "/edit", "/try", "/impact"} {
		b.get("/console/sandbox/policies/" + theirs + path).want(http.StatusNotFound)
		b.get("/console/live/policies/" + mine + path).
			want(http.StatusNotFound) // a version of the sandbox is not found in live
	}
	b.get("/console/sandbox/policies/compare?a=" + mine + "&b=" + theirs).want(http.StatusNotFound)
	for _, act := range []string{"/activate", "/promote", "/edit", "/try", "/impact"} {
		b.post("/console/sandbox/policies/"+theirs+act, "on", "synthetic").want(http.StatusNotFound)
	}
}

func TestPolicyRoles(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	id := b.active(tenant.Sandbox)
	viewer := b.colleague(tenant.RoleViewer)
	viewer.get("/console/sandbox/policies/"+id).want(http.StatusOK).hasNot("/edit", "Promote", "/activate")
	viewer.get("/console/sandbox/policies/" + id + "/edit").want(http.StatusForbidden)
	for _, act := range []string{"/activate", "/promote", "/edit", "/try", "/impact"} {
		viewer.post("/console/sandbox/policies/" + id + act).want(http.StatusForbidden)
	}
	risk := b.colleague(tenant.RoleRisk)
	risk.get("/console/sandbox/policies/"+id).want(http.StatusOK).has("/edit", "Promote")
}

func TestPolicyActivateAndRollBack(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	first := b.active(tenant.Sandbox)
	second := b.draft(tenant.Sandbox, stricter)
	form := fieldsOf(b.get("/console/sandbox/policies/"+second).
		want(http.StatusOK).has("Activate version 3").body, "/activate")
	form.Set("note", "tighter on income")
	b.send("/console/sandbox/policies/"+second+"/activate", form).to("/console/sandbox/policies/" + second)
	b.get("/console/sandbox/policies/"+second).has("is now active", "Deciding now", "tighter on income")

	// A form for the first active version is refused, because another version
	// is active now.
	third := b.draft(tenant.Sandbox, `"offer_validity_days":5`)
	form.Set("expected_checksum", "")
	b.send("/console/sandbox/policies/"+third+"/activate", form).
		want(http.StatusPreconditionFailed).has("tighter on income")

	form = fieldsOf(b.get("/console/sandbox/policies/"+first).has("Roll back to version 1").body, "/activate")
	b.send("/console/sandbox/policies/"+first+"/activate", form).to("/console/sandbox/policies/" + first)
	if b.active(tenant.Sandbox) != first {
		t.Error("the first version does not decide again")
	}
}

func TestPolicyPromotedAndArmedInLive(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	other := b.colleague(tenant.RoleRisk)
	sandbox := b.draft(tenant.Sandbox, stricter)
	promoted := b.post("/console/sandbox/policies/" + sandbox + "/promote").want(http.StatusSeeOther)
	path := promoted.header.Get("Location")
	if !strings.HasPrefix(path, "/console/live/policies/pol_") {
		t.Fatalf("promoted to %q", path)
	}
	page := b.get(path).want(http.StatusOK).
		has("is now a draft in live", "Type LIVE to confirm", "monthly_income &lt; ₹90,000")
	form := fieldsOf(page.body, "/activate")
	b.send(path+"/activate", form).want(http.StatusUnprocessableEntity).has("Type LIVE")
	form.Set("confirm", "LIVE")
	b.send(path+"/activate", form).want(http.StatusConflict).has("A second person must activate")
	other.send(path+"/activate", form).to(path)
	b.get(path).has("Deciding now")
	b.post(path + "/promote").want(http.StatusNotFound)
}

// TestPromotedAsItIs checks that promotion copies the document of the sandbox
// to live unchanged, regardless of the active policy in live.
func TestPromotedAsItIs(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	const whole = `"base":"none","policy_key":"own","scorecard":{"base_points":700,"factors":[]},` +
		`"pricing_bands":[{"id":"P","grade":"A",` +
		`"min_score":300,"max_score":900,"interest_rate":16,"tenure_months":36,"min_limit":20000,"max_limit":500000,` +
		`"default_limit":50000,"foir_cap":0.5}]`
	for _, members := range []string{
		stricter, whole, `"semantics":1,` + whole, `"affordability":{"income":{"of":["monthly_income"]}}`,
	} {
		sandbox := b.draft(tenant.Sandbox, members)
		path := b.post("/console/sandbox/policies/" + sandbox + "/promote").
			want(http.StatusSeeOther).header.Get("Location")
		tried, err := b.service.Policies.RuleSet(b.Context(), b.who(tenant.Sandbox), sandbox)
		if err != nil {
			t.Fatal(err)
		}
		live, err := b.service.Policies.RuleSet(b.Context(), b.who(tenant.Live),
			path[strings.LastIndexByte(path, '/')+1:])
		if err != nil {
			t.Fatal(err)
		}
		if tried.Checksum != live.Checksum {
			t.Errorf("%s: %s was tried, and %s would go live", members, tried.Checksum, live.Checksum)
		}
	}
}

func TestPolicyCompared(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	first := b.active(tenant.Sandbox)
	second := b.draft(tenant.Sandbox, stricter+`,"offer_validity_days":5`)
	b.get("/console/sandbox/policies/compare?a="+first+"&b="+second).want(http.StatusOK).has(
		"<del>monthly_income &lt; ₹15,000</del>", "<ins>monthly_income &lt; ₹90,000</ins>", "<del>3 days</del>",
		"<ins>5 days</ins>", "removed", "unchanged").hasNot("make the same decision for every application")
	b.get("/console/sandbox/policies/compare?a="+first+"&b="+first).
		want(http.StatusOK).has("make the same decision for every application").hasNot("<del>", "<ins>")
	b.get("/console/sandbox/policies/compare").want(http.StatusOK).has("Choose two versions")
}

func TestPolicyTried(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	id := b.draft(tenant.Sandbox, stricter)
	path := "/console/sandbox/policies/" + id + "/try"
	form := fieldsOf(b.get(path).want(http.StatusOK).body, "/try")
	b.send(path, form).want(http.StatusOK).
		has("Active, version 1", "This, version 3", "Approved", "Declined", "KO_MIN_INCOME", "differs", "₹5,00,000")
	form.Set("foir", "much")
	b.send(path, form).want(http.StatusUnprocessableEntity).has(`value="much"`, `id="e-foir"`)
	form.Set("request", `{"applicant":{"foir":0.2,"monthly_income":200000},"bureau_report":{"score":800}}`)
	b.send(path, form).want(http.StatusOK).has("Outcome", "744")
	form.Set("request", `{"applicant":{"foir":"x"},"bureau_report":{"score":800}}`)
	b.send(path, form).want(http.StatusUnprocessableEntity).has("/applicant/foir")
	form.Set("request", `{"applicant":`)
	refused := b.send(path, form)
	if refused.status != http.StatusBadRequest || !strings.Contains(refused.body, `id="e-request"`) {
		t.Errorf("%d\n%s", refused.status, refused.body)
	}
	b.get("/console/live/policies/" + b.active(tenant.Live) + "/try").want(http.StatusOK)
}

func TestPolicyImpact(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b, stranger := h.signUp(), h.signUp()
	b.decide(tenant.Sandbox, "A-1")
	id := b.draft(tenant.Sandbox, stricter)
	path := "/console/sandbox/policies/" + id + "/impact"
	form := fieldsOf(b.get(path).want(http.StatusOK).body, "/impact")
	form.Set("on", "synthetic")
	form.Set("rows", "500")
	measured := b.send(path, form).want(http.StatusSeeOther).header.Get("Location")
	b.get(measured).want(http.StatusOK).has("Approval rate", "Swap set", "Swapped out", "Who moves where",
		"KO_MIN_INCOME", "500 applications", "points", "/console/sandbox/backtests/bt_")
	form.Set("on", "decisions")
	replayed := b.send(path, form).want(http.StatusSeeOther).header.Get("Location")
	b.get(replayed).want(http.StatusOK).has("past decisions", "1 applications")
	form.Set("days", "0")
	form.Set("on", "")
	b.send(path, form).want(http.StatusUnprocessableEntity).has("Choose what to measure on")

	_, run, _ := strings.Cut(measured, "?run=")
	b.get("/console/sandbox/policies/" + b.active(tenant.Sandbox) + "/impact?run=" + run).want(http.StatusOK)
	other := b.draft(tenant.Sandbox, `"offer_validity_days":7`)
	b.get("/console/sandbox/policies/" + other + "/impact?run=" + run).want(http.StatusNotFound)
	stranger.get("/console/sandbox/policies/" + stranger.active(tenant.Sandbox) + "/impact?run=" + run).
		want(http.StatusNotFound)
}

// send posts a form with the values read from a page.
func (b *browser) send(path string, form url.Values) *answer {
	b.Helper()
	var pairs []string
	for name, list := range form {
		for _, value := range list {
			pairs = append(pairs, name, value)
		}
	}
	return b.post(path, pairs...)
}

// stored returns the document of a version.
func (b *browser) stored(env tenant.Environment, id string) wire.Value {
	b.Helper()
	set, err := b.service.Policies.RuleSet(b.Context(), b.who(env), id)
	if err != nil {
		b.Fatal(err)
	}
	return parse(b.T, string(set.Document))
}

// TestDraftIsDeleted checks that a draft can be deleted from its page, and that
// the active version cannot.
func TestDraftIsDeleted(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	admin := h.signUp()
	set, err := h.service.Policies.CreateRuleSet(t.Context(), admin.who(tenant.Sandbox),
		engine.NewDraft(parseBody(t, `{"name":"try me"}`)), nil)
	if err != nil {
		t.Fatal(err)
	}
	path := "/console/sandbox/policies/" + set.ID
	admin.colleague(tenant.RoleViewer).post(path + "/delete").want(http.StatusForbidden)
	admin.get(path).want(http.StatusOK).has("Delete this draft", path+"/delete")
	admin.post(path + "/delete").to("/console/sandbox/policies")
	admin.get(path).want(http.StatusNotFound)
	active := "/console/sandbox/policies/pol_" +
		admin.between("/console/sandbox/policies", "/console/sandbox/policies/pol_", "\"")
	if page := admin.get(active).want(http.StatusOK); strings.Contains(page.body, "Deciding now") {
		page.hasNot("Delete this draft")
		admin.post(active + "/delete").want(http.StatusConflict).has("Only a draft can be deleted")
	}
}

func parseBody(t *testing.T, text string) wire.Value {
	t.Helper()
	v, err := wire.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
