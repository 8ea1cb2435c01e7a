package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"verdict/internal/decisioning"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
)

// TestOverviewOfARange checks the figures of a range of time, and their comparison with the range before.
func TestOverviewOfARange(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.MigratedSQLite(t), store.Options{})
	h := houseOver(t, db)
	b := h.signUp()
	b.get("/console/sandbox").want(http.StatusOK).has("No decisions in the last 7 days").hasNot("chart-spark")

	who := b.who(tenant.Sandbox)
	stats := []store.DecisionStat{}
	add := func(daysAgo int, kind, name string, count, total int64) {
		stats = append(stats, store.DecisionStat{
			TenantID: who.TenantID, Environment: string(who.Environment), Span: store.StatDay, Kind: kind,
			At: tenant.BusinessDay(h.clock.now().AddDate(0, 0, -daysAgo)), Name: name, Count: count, Total: total,
		})
	}
	for _, day := range []struct {
		ago                int
		approved, declined int64
	}{{0, 5, 5}, {2, 60, 40}, {9, 40, 40}} {
		add(day.ago, "status", "APPROVED", day.approved, 0)
		add(day.ago, "status", "DECLINED", day.declined, 0)
	}
	add(2, "offer", "limit", 60, 60*250_000_00)
	add(2, "offer", "rate", 60, 60*1650)
	add(2, "reason", "BUR_SCORE<b>", 40, 0)
	add(9, "reason", "BUR_SCORE<b>", 12, 0)
	add(2, "latency", "0020ms", 96, 96_000)
	add(2, "latency", "0500ms", 4, 96_000)
	add(2, "error", "validation_failed", 5, 0)
	if err := db.System().AddDecisionStats(t.Context(), stats); err != nil {
		t.Fatal(err)
	}

	week := b.get("/console/sandbox").want(http.StatusOK).has(
		`<h3>Decisions</h3><p class="big">110</p><p class="hint">▲ 25 %, from 80 to 100</p>`,
		`<h3>Approval rate</h3><p class="big">59.09 %</p><p class="hint">▲ 10.0 points, from 50 % to 60 %</p>`,
		`<h3>Average limit</h3><p class="big">₹2.50 L</p><p class="hint">nothing to compare with</p>`,
		`<h3>Average rate</h3><p class="big">16.5 %</p>`,
		`<h3>95 % answered within</h3><p class="big">20 ms</p>`,
		`<h3>Requests with an error</h3><p class="big">5 %</p>`,
		"BUR_SCORE&lt;b&gt;", "40, before 12", "validation_failed", `?range=7d" aria-current="true"`,
		"Approved", "t-teal", "t-red", "leaves out today",
	)
	if strings.Count(week.body, "chart-spark") != 6 {
		t.Errorf("%d small charts are shown", strings.Count(week.body, "chart-spark"))
	}
	b.get("/console/sandbox?range=30d").want(http.StatusOK).has(`<h3>Decisions</h3><p class="big">190</p>`)
	b.get("/console/sandbox?range=nonsense").want(http.StatusOK).has(`?range=7d" aria-current="true"`)
	b.get("/console/sandbox?range=24h").want(http.StatusOK).has("No decisions in the last 24 hours")
	b.get("/console/live").want(http.StatusOK).has("No decisions in the last 7 days")
}

// TestQuietRules checks that the overview names a rule that has stopped hitting. It must not name a rule that still
// hits, or a rule that has hit too rarely to tell.
func TestQuietRules(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.MigratedSQLite(t), store.Options{})
	h := houseOver(t, db)
	b := h.signUp()
	b.decide(tenant.Sandbox, "A-1")
	h.service.Decisions.Statistics.Flush(t.Context())
	who := b.who(tenant.Sandbox)
	id := b.between("/console/sandbox", `Deciding now</h2><ul><li><a href="/console/sandbox/policies/`, `"`)
	var stats []store.RuleStat
	add := func(rule string, daysAgo int, hit int64) {
		stats = append(stats, store.RuleStat{
			TenantID: who.TenantID, Environment: string(who.Environment), RuleSetID: id, RuleID: rule,
			Day: tenant.BusinessDay(h.clock.now().AddDate(0, 0, -daysAgo)), Evaluated: 1000, Hit: hit,
		})
	}
	for rule, hits := range map[string][2]int64{"KO_QUIET": {40, 0}, "KO_LOUD": {40, 30}, "KO_RARE": {1, 0}} {
		add(rule, 9, hits[0])
		add(rule, 1, hits[1])
	}
	if err := db.System().AddRuleStats(t.Context(), stats); err != nil {
		t.Fatal(err)
	}
	b.get("/console/sandbox").want(http.StatusOK).
		has("KO_QUIET", "about 40 hits expected in 1,000 decisions, after 40 in the days before").
		hasNot("KO_LOUD", "KO_RARE")
}

// TestFirstSteps follows the first steps of a new tenant: a stored sample, a key with a command for this address, and
// the editor.
func TestFirstSteps(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	b.get("/console/sandbox").want(http.StatusOK).
		has("First steps", `href="/console/sandbox/decisions/new"`, `href="/console/sandbox/keys/new"`,
			"curl &#39;"+h.url+"/v1/decisions&#39;", "$VERDICT_KEY", "/edit\"",
			"/backtests/new?from=synthetic&amp;champion=pol_").
		hasNot(`<li class="done">`)
	b.get("/console/live").want(http.StatusOK).has("First steps")

	b.get("/console/sandbox/decisions").want(http.StatusOK).
		has("No decision yet", `href="/console/sandbox/decisions/new"`)
	b.get("/console/sandbox/decisions/new").want(http.StatusOK).has("Decide and store", `value="742"`)
	stored := b.post("/console/sandbox/decisions/new", "applicant_ref", "SAMPLE-7", "score", "742", "monthly_income",
		"85000", "foir", "0.32", "requested_amount", "600000", "age", "34", "employment_type", "SALARIED",
		"enquiries_6m", "2", "active_tradelines", "4", "max_dpd_12m", "0").location()
	b.get("/console/sandbox"+stored).want(http.StatusOK).has("SAMPLE-7", "The sample was decided and stored.")

	pasted := b.post("/console/sandbox/decisions/new", "request", `{"bureau":"cibil","report":{"cibil":{
		"scoreData":{"score":742},"demographics":{"age":34,"employmentType":"salaried"},
		"incomeAssessment":{"monthlyIncome":85000,"foir":32},"requestedAmount":300000}}}`).location()
	id := strings.TrimPrefix(pasted, "/decisions/")
	found, err := h.service.Decisions.Summaries(t.Context(), b.who(tenant.Sandbox), []string{id})
	if err != nil || found[id].Endpoint != decisioning.EndpointEvaluate {
		t.Errorf("a pasted report is decided as %+v, %v", found[id], err)
	}
	b.post("/console/sandbox/decisions/new", "request", `{"applicant":`).want(http.StatusBadRequest).
		has("Decide and store", `id="e-request"`)
	b.post("/console/sandbox/decisions/new", "score", "many").want(http.StatusUnprocessableEntity).has(`id="e-score"`)

	b.get("/console/sandbox").want(http.StatusOK).has(`<li class="done">`,
		"/policies/"+b.active(tenant.Sandbox)+"/edit")
	mine := b.draft(tenant.Sandbox, stricter)
	steps := b.get("/console/sandbox").want(http.StatusOK).has("/policies/"+mine+"/edit", "champion="+mine)
	if n := strings.Count(steps.body, `<li class="done">`); n != 2 {
		t.Errorf("%d steps are done", n)
	}
	b.get("/console/live/decisions/new").want(http.StatusOK).has("Samples are decided in the sandbox").
		hasNot(`action="/console/live/decisions/new"`)
	b.post("/console/live/decisions/new", "score", "742").want(http.StatusForbidden)
	page, err := h.service.Decisions.Statistics.In(t.Context(), b.who(tenant.Live), decisioning.Ranges()[0])
	if err != nil || decisioningSum(page) != 0 {
		t.Errorf("live has %d decisions, %v", decisioningSum(page), err)
	}

	viewer := b.colleague(tenant.RoleViewer)
	viewer.get("/console/sandbox").want(http.StatusOK).has("First steps").hasNot("/decisions/new", "/keys/new")
}

func decisioningSum(s decisioning.Statistics) int64 {
	sum := decisioning.Sum(s.Slots)
	return sum.Decisions()
}

// TestPincodeFile uploads a table of pincodes.
func TestPincodeFile(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	const at = "/console/sandbox/fraud/pincodes"
	b.get(at).want(http.StatusOK).has(`action="`+at+`/file"`, `enctype="multipart/form-data"`)
	b.upload(at+"/file", "pincode,class,reason\n110001,HIGH,a ring\n560,12,\n").want(http.StatusSeeOther)
	b.get(at).want(http.StatusOK).has("110001", "a ring", "560", "2 entries were saved.")
	b.upload(at+"/file", "pincode\n110001,HIGH\n110002,NOWHERE\n").want(http.StatusUnprocessableEntity).
		has("line 3:", `id="e-file"`)
	b.upload(at+"/file", "no pincode\n").want(http.StatusUnprocessableEntity).has("has no line with a pincode")
	b.upload(at+"/file", "560001,LOW,"+strings.Repeat("x", 3<<20)).want(http.StatusUnprocessableEntity).
		has("is larger than 2 MiB")
	b.upload(at+"/file", "560001,LOW,only\n", "replace", "1").want(http.StatusSeeOther)
	b.get(at).want(http.StatusOK).has("<code>560001</code>").hasNot("<code>110001</code>")
}

// TestAlertIsABench checks the page of an alert: the ring comes first, its nodes are links, and one table lists the
// applicants with their decisions.
func TestAlertIsABench(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	shown := b.get(b.ring(tenant.Sandbox)).want(http.StatusOK)
	ring, act, people := strings.Index(shown.body, "chart-ring"), strings.Index(shown.body, "/acknowledge"),
		strings.Index(shown.body, "<h2>Applicants and decisions</h2>")
	if ring < 0 || ring > act || act > people {
		t.Errorf("the ring is at %d, the actions at %d, the people at %d", ring, act, people)
	}
	drawing, _, _ := strings.Cut(shown.body[ring:], "</svg>")
	for _, want := range []string{`<a class="node-link" href="/console/sandbox/decisions/dec_`, `href="#entity-0"`} {
		if !strings.Contains(drawing, want) {
			t.Errorf("the ring does not have %s", want)
		}
	}
	shown.has(`id="entity-0"`, `href="/console/sandbox/decisions?q=A-1"`, "Decided")
	if n := strings.Count(shown.body, `data-label="Decided"`); n != 3 {
		t.Errorf("%d decisions are listed", n)
	}
}

// TestBacktestThis checks that the page of a draft links to the backtest form with this draft preselected.
func TestBacktestThis(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	id := b.draft(tenant.Sandbox, stricter)
	shown := b.get("/console/sandbox/policies/" + id).want(http.StatusOK).has("Backtest this")
	_, rest, _ := strings.Cut(shown.body, `href="/console/sandbox/backtests/new?`)
	query, _, _ := strings.Cut(rest, `"`)
	form := b.get("/console/sandbox/backtests/new?" + strings.ReplaceAll(query, "&amp;", "&")).want(http.StatusOK)
	form.has(fmt.Sprintf(`<option value="%s" selected>`, id), "Stored decisions", "?from=synthetic&amp;champion=pol_")
}
