package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"verdict/internal/application"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/tenant"
)

// hostile is a text that would run as script or template code if it were not
// escaped.
const hostile = `"><script>alert(1)</script>{{.}}`

// apply decides the request body and returns the id of the stored decision.
func (b *browser) apply(env tenant.Environment, body string) string {
	b.Helper()
	decided, err := b.service.Decisions.Decide(b.Context(), b.who(env),
		application.DecisionRequest(parse(b.T, body)), nil)
	if err != nil {
		b.Fatal(err)
	}
	return decided.ID
}

// referred returns a request that the default policy refers, because of many
// enquiries.
func referred(applicant string) string {
	return fmt.Sprintf(`{"applicant":{"id":%q,"monthly_income":85000,"foir":0.32,"requested_amount":600000},
		"bureau_report":{"score":742,"enquiries_6m":8,"active_tradelines":4,"max_dpd_12m":0}}`, applicant)
}

// declined returns a request that the default policy declines, because of late
// payments.
func declined(applicant string) string {
	return fmt.Sprintf(`{"applicant":{"id":%q,"monthly_income":85000,"foir":0.32,"requested_amount":600000},
		"bureau_report":{"score":742,"enquiries_6m":2,"active_tradelines":4,"max_dpd_12m":120}}`, applicant)
}

// evaluated sends an evaluate request that has a report, features and a fraud block. It returns the id of the
// stored decision.
func (b *browser) evaluated(ref string) string {
	b.Helper()
	return b.evaluatedWith(ref, 790)
}

// evaluatedWith is like evaluated, but the report has the given bureau score.
func (b *browser) evaluatedWith(ref string, score int) string {
	b.Helper()
	request := application.EvaluateRequest(parse(b.T, fmt.Sprintf(`{"bureau":"cibil","features":true,
		"report":{"cibil":{"scoreData":{"score":%d},"reportDate":"2026-11-10",
			"accounts":[{"accountType":"personal_loan","openDate":"2026-08-20","status":"active",
				"sanctionedAmount":200000,"currentBalance":120000,
				"amountOverdue":0,"emi":6900,"paymentHistory":[{"month":"2026-10","dpd":0},
					{"month":"2026-09","dpd":12}]}],
			"enquiries":[{"date":"2026-11-01","product":"personal_loan","amount":100000},
				{"date":"2026-09-03","product":"credit_card","amount":0}]}},
		"device":{"is_rooted":true,"sim_age_days":3},
		"fraud":{"applicant_ref":%q,"beneficiary_account":"000111222333"}}`, score, ref)))
	decided, err := b.service.Decisions.Evaluate(b.Context(), b.who(tenant.Sandbox), request, nil)
	if err != nil {
		b.Fatal(err)
	}
	return decided.ID
}

func TestDecisionTellsItsStory(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	b.get("/console/sandbox/decisions/"+b.decide(tenant.Sandbox, "A-1")).want(http.StatusOK).has(
		"₹5,00,000 over 48 months at 16 %", "₹6,00,000 was asked for", // the outcome
		"₹14,170", "₹10,000", "₹1,800", "₹4,88,200", "17.33 %", // the costs
		"<svg", "Final score", "bureau_score = 742", // the waterfall
		"ADJ_RECENT_ENQUIRIES",
		"enquiries_6m &gt;= 2 and bureau_own_active_tradelines &gt;= 4", // a rule with its condition
		"AMT_BAND_CAP", "The amount offered is the most available", "PB_B maximum ₹5,00,000", // both texts of a reason
		"Verified", "version 1", "monthly_income", "₹85,000",
		"could not be evaluated", "decision_hash&#34;: &#34;sha256:",
	)
	b.get("/console/sandbox/decisions/"+b.apply(tenant.Sandbox, declined("A-2"))).want(http.StatusOK).has(
		"Declined", "Recent repayments were late", "Fail", "max_dpd_12m", "120 days",
	)
	b.get("/console/sandbox/decisions/"+b.apply(tenant.Sandbox, referred("A-3"))).want(http.StatusOK).has(
		"Referred", "indicative", "In the queue", "Wait until enquiries in 6 months falls from 8 to",
	)
}

// TestDecisionSaysWhatDecided checks that the page has each deciding rule with its value and its limit, the amount that
// was asked for, the nearest change, and the history of the applicant.
func TestDecisionSaysWhatDecided(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	first := b.apply(tenant.Sandbox, declined("A-2"))
	b.clock.advance(time.Hour)
	second := b.apply(tenant.Sandbox, referred("A-2"))
	other := b.apply(tenant.Sandbox, referred("A-20"))
	page := b.get("/console/sandbox/decisions/" + first).want(http.StatusOK)
	page.has(`<a href="#rule-KO_MAX_DPD_12M"><code>KO_MAX_DPD_12M</code></a>`,
		`<strong class="value">120 days</strong>`,
		`<span class="limit">needs less than 60 days</span>`, `<dt>Asked for</dt><dd>₹6,00,000</dd>`,
		"History of the applicant", "/console/sandbox/decisions/"+second, `/decisions/`+first+`" aria-current="true"`).
		hasNot(other, "+05:30</span>")
	if strings.Index(page.body, second) > strings.Index(page.body, "/decisions/"+first+`" aria`) {
		t.Error("the newest decision is not first")
	}
	b.get("/console/sandbox/decisions/"+second).want(http.StatusOK).has(
		"What would change the outcome", "Wait until enquiries in 6 months falls from 8 to", "FOIR after",
		"All times: India")
}

// TestDecisionsByPrefix checks the search by the beginning of a reference and of an id, the columns of the outcome, and
// both orders.
func TestDecisionsByPrefix(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	for i := range 60 {
		b.decide(tenant.Sandbox, fmt.Sprintf("KC-%d", 100+i))
	}
	last := b.apply(tenant.Sandbox, declined("KD-1"))
	at := "/console/sandbox/decisions?"
	shown := b.get(at+"q=KC-1").want(http.StatusOK).has("begin with <strong>KC-1</strong>", ">KC-159<", "Next page").
		hasNot("KD-1<", ">KC-100<")
	b.get(link(shown, "Next page")).want(http.StatusOK).has(">KC-100<", "First page").hasNot(">KC-159<", "Next page")
	b.get(at + "q=KC-1&status=DECLINED").want(http.StatusOK).has("Nothing found")
	b.get(at + "q=KC-15&status=APPROVED&from=2026-11-15").want(http.StatusOK).has(">KC-150<").hasNot(">KC-149<")
	b.get(at + "q=KC-1&to=2020-01-01").want(http.StatusOK).has("Nothing found")
	b.get(at+"q=KC-100").want(http.StatusOK).has(">KC-100<", "Show all references that begin with this text").
		hasNot(">KC-101<")
	b.get(at+"q=KC-10*").want(http.StatusOK).has(">KC-100<", ">KC-109<").hasNot(">KC-110<")
	b.get(at + "q=kc-1").want(http.StatusOK).has("Nothing found")
	b.get(at + "q=" + last[:len(last)-1]).want(http.StatusOK).has(">KD-1<").hasNot(">KC-1")
	b.get(at + "q=" + strings.ToLower(last[:len(last)-1])).want(http.StatusOK).has(">KD-1<")
	b.get(at + "q=dec_").want(http.StatusOK).has("Nothing found")
	b.get(at+"status=DECLINED").want(http.StatusOK).has(">KD-1<", "<code>BUR_DPD</code>", "₹6,00,000", "rank-")
	b.get(at+"sort=oldest").want(http.StatusOK).has(">KC-100<", `aria-sort="ascending"`).hasNot(">KD-1<")
	b.get(at + "q=KC-1*&cursor=" + strings.Repeat("A", 40)).want(http.StatusBadRequest)
}

// TestDecisionsAsCSV checks that the file has the filtered decisions in the order of the list, and that no cell is a
// formula.
func TestDecisionsAsCSV(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	b.decide(tenant.Sandbox, "=HYPERLINK(1)")
	b.clock.advance(time.Second)
	id := b.apply(tenant.Sandbox, declined("A-2"))
	file := b.get("/console/sandbox/decisions.csv?sort=oldest").want(http.StatusOK)
	if kind := file.header.Get("Content-Type"); kind != "text/csv; charset=utf-8" {
		t.Errorf("the file is %s", kind)
	}
	lines := strings.Split(strings.TrimSpace(file.body), "\n")
	if len(lines) != 3 ||
		!strings.Contains(lines[1], ",'=HYPERLINK(1),APPROVED,B,712,600000,500000,16,AMT_BAND_CAP,") ||
		!strings.Contains(lines[2], ",A-2,DECLINED,") ||
		!strings.HasSuffix(lines[2], ",600000,,,BUR_DPD,default,1,"+id) {
		t.Errorf("got\n%s", file.body)
	}
	b.get("/console/sandbox/decisions.csv?q=A-*").want(http.StatusOK).has(id).hasNot("HYPERLINK")
	b.get("/console/sandbox/decisions.csv?from=never").want(http.StatusNotFound)
}

// TestSearchFindsEverything checks the search box and what it finds.
func TestSearchFindsEverything(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b, stranger := h.signUp(), h.signUp()
	id := b.apply(tenant.Sandbox, declined("A-2"))
	for _, ref := range []string{"B-1", "B-2", "B-3"} {
		b.evaluated(ref)
	}
	at := "/console/sandbox/search?q="
	b.get("/console/sandbox").want(http.StatusOK).has(`action="/console/sandbox/search"`, `id="search"`)
	b.get("/console/sandbox/search").want(http.StatusOK).has("Type the beginning")
	b.get(at + id).to("/console/sandbox/decisions/" + id)
	b.get(at+"A-").want(http.StatusOK).has("Decisions and applicants", ">A-2<", `value="A-"`).hasNot(">B-1<")
	b.get(at + id[:len(id)-2]).want(http.StatusOK).has(">A-2<")
	b.get(at+"ko_max_dpd").want(http.StatusOK).has("Rules", "KO_MAX_DPD_12M", "bureau_own_max_dpd_12m &gt;= 60")
	b.get(at + "default").want(http.StatusOK).has("<h2>Policies</h2>")
	b.get(at+"beneficiary").want(http.StatusOK).has("<h2>Alerts</h2>", "beneficiary account reuse")
	b.get(at+"B-3").want(http.StatusOK).has("<h2>Alerts</h2>", ">B-3<")
	b.get(at + url.QueryEscape(hostile)).want(http.StatusOK).has("Nothing found").hasNot("<script>alert")
	b.get(at + strings.Repeat("ä", 5000)).want(http.StatusOK).has("Nothing found")
	stranger.get(at + "A-2").want(http.StatusOK).has("Nothing found")
	b.get("/console/live/search?q=A-2").want(http.StatusOK).has("Nothing found")
}

// TestExpiredOffersSaySo checks that the decision's page and the review queue
// mark an offer as expired when it is no longer valid.
func TestExpiredOffersSaySo(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	offered, refused := b.apply(tenant.Sandbox, referred("A-1")), b.apply(tenant.Sandbox, declined("A-2"))
	pages := []string{"/console/sandbox/decisions/" + offered, "/console/sandbox/referrals"}
	for _, page := range pages {
		b.get(page).want(http.StatusOK).has("Valid until").hasNot("xpired")
	}
	story, err := b.service.Decisions.Story(t.Context(), b.who(tenant.Sandbox), offered)
	if err != nil {
		t.Fatal(err)
	}
	until, err := time.Parse(time.RFC3339, story.Answer.ValidUntil)
	if err != nil {
		t.Fatal(err)
	}
	b.clock.advance(until.Sub(b.clock.now()) + 2*time.Second)
	b.post("/console/signin", "email", b.email, "password", b.password).want(http.StatusSeeOther)
	day := until.In(time.FixedZone("IST", 19_800)).Format("2 Jan 2006")
	for _, page := range pages {
		b.get(page).want(http.StatusOK).has("Offer expired on "+day, "Was valid until").hasNot(">Valid until")
	}
	b.get("/console/sandbox/decisions/" + refused).want(http.StatusOK).hasNot("xpired on")
}

// TestValidityAfterAReview checks that the page of a referral that was approved late shows the validity that the key
// facts statement states, and links to the statement; and that a declined offer has no validity.
func TestValidityAfterAReview(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	b.post("/console/sandbox/lender", pairs(map[string]string{
		"version": "0", "name": "Asha Finance", "address": "Pune", "cooling_off_days": "3", "transferable": "no",
		"grievance_name": "Officer", "grievance_phone": "020 5550", "grievance_email": "a@example.in",
	})...).want(http.StatusSeeOther)
	page := "/console/sandbox/decisions/" + b.apply(tenant.Sandbox, referred("A-1"))
	b.clock.advance(15 * 24 * time.Hour) // Monday, 30 November
	b.post("/console/signin", "email", b.email, "password", b.password).want(http.StatusSeeOther)
	b.get(page).want(http.StatusOK).has("Offer expired on 18 Nov 2026")
	b.post(page+"/review", "outcome", "overturned").want(http.StatusSeeOther)
	b.get(page).want(http.StatusOK).has("Valid until", "3 Dec 2026", page+"/kfs?lang=en").hasNot("xpired")
	b.get(page + "/kfs").want(http.StatusOK).has("3 December 2026")
	b.clock.advance(time.Second)
	b.post(page+"/review", "outcome", "upheld").want(http.StatusSeeOther)
	b.get(page).want(http.StatusOK).hasNot("Valid until", "xpired", page+"/kfs")
}

func TestDecisionOfAnEvaluation(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	b.evaluated("A-1")
	b.evaluated("A-2")
	id := b.evaluated("A-3")
	b.get("/console/sandbox/decisions/"+id).want(http.StatusOK).has(
		"beneficiary account reuse", "••••2333", "Fraud score", "device_is_rooted", "All features",
		"Features that stand out").hasNot("000111222333")
	at := "/console/sandbox/decisions/" + id + "/features"
	shown := b.get(at).want(http.StatusOK).has("3,492 features", "Next page")
	if next := link(shown, "Next page"); next == "" {
		t.Error("there is no way on")
	} else {
		b.get(next).want(http.StatusOK).has("First page")
	}
	b.get(at + "?q=enquiry+90d+count&product=all").
		want(http.StatusOK).has("enquiry__all__90d__count").hasNot("salary__all")
	b.get(at+"?only=used&only=populated").want(http.StatusOK).has("Nothing found", `value="used" checked`)
	b.get(at + "?only=populated").want(http.StatusOK).has("account_closed__").hasNot(">none<")
	b.get(at+"?name=enquiry__all__90d__count").want(http.StatusOK).has("Meaning", "Formula", "2026-11-01", "2026-09-03")
	b.get(at + "?window=x").want(http.StatusOK).has("must be a whole number")
	b.get(at + "?cursor=x").want(http.StatusBadRequest)
	b.get("/console/sandbox/decisions/" + b.decide(tenant.Sandbox, "A-4") + "/features").want(http.StatusNotFound)
}

// link returns the target of the link with this text, or "".
func link(a *answer, text string) string {
	before, _, found := strings.Cut(a.body, ">"+text)
	if !found {
		return ""
	}
	at := strings.LastIndex(before, `href="`)
	path, _, _ := strings.Cut(before[at+len(`href="`):], `"`)
	return strings.ReplaceAll(path, "&amp;", "&")
}

func TestDecisionsAreFoundAndPaged(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	b.get("/console/sandbox/decisions").want(http.StatusOK).has("No decision yet")
	first := b.decide(tenant.Sandbox, "A-first")
	for i := range 51 {
		b.decide(tenant.Sandbox, fmt.Sprintf("A-%d", i))
	}
	b.apply(tenant.Sandbox, declined("A-declined"))
	shown := b.get("/console/sandbox/decisions").want(http.StatusOK).has("A-declined", "A-50").hasNot("A-first")
	b.get(link(shown, "Next page")).want(http.StatusOK).has("A-first", "First page").hasNot("A-50", "Next page")
	at := "/console/sandbox/decisions?"
	b.get(at + "q=" + first).to("/console/sandbox/decisions/" + first)
	b.get(at+"q=A-7").want(http.StatusOK).has("A-7").hasNot("A-70", "A-8")
	b.get(at+"status=DECLINED").want(http.StatusOK).has("A-declined", `value="DECLINED" selected`).hasNot("A-50")
	b.get(at+"grade=NOPE").want(http.StatusOK).has("Nothing found", `value="NOPE"`)
	b.get(at + "to=2020-01-01").want(http.StatusOK).has("Nothing found")
	b.get(at + "from=yesterday").want(http.StatusOK).has("must be a date")
	b.get(at + "cursor=x").want(http.StatusBadRequest)
	page, err := b.service.Policies.RuleSets(t.Context(), b.who(tenant.Sandbox),
		policydesk.RuleSetFilter{Status: "active"}, operation.List{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	b.get(at+"policy="+page.Data[0].ID+"&status=DECLINED").
		want(http.StatusOK).has("A-declined", page.Data[0].ID+`" selected`).hasNot("A-50")
	b.get(at+"policy=pol_none").want(http.StatusOK).has("Nothing found", `value="pol_none" selected`)
	b.get("/console/live/decisions").want(http.StatusOK).has("No decision yet")
}

func TestDecisionsOfOthersAreNotThere(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	owner, stranger := h.signUp(), h.signUp()
	id := owner.apply(tenant.Sandbox, referred("A-1"))
	for _, path := range []string{
		"/console/sandbox/decisions/" + id, "/console/sandbox/decisions/" + id + "/features",
		"/console/sandbox/decisions/nothing", "/console/sandbox/decisions/" + url.PathEscape(hostile),
	} {
		stranger.get(path).want(http.StatusNotFound).hasNot("A-1", "<script>alert")
	}
	owner.get("/console/live/decisions/" + id).want(http.StatusNotFound)
	for _, path := range []string{
		"/console/sandbox/decisions/" + id + "/review",
		"/console/sandbox/referrals/" + id + "/review",
	} {
		stranger.post(path, "outcome", "upheld").want(http.StatusNotFound)
	}
	stranger.get("/console/sandbox/decisions?q=A-1").want(http.StatusOK).has("Nothing found")
	stranger.get("/console/sandbox/referrals").want(http.StatusOK).has("No referrals are waiting")
	stranger.get("/console/sandbox/referrals?at=" + id).want(http.StatusOK).hasNot("A-1")
	owner.get("/console/sandbox/referrals").want(http.StatusOK).has("A-1")
}

func TestDecisionsEscapeWhatStrangersSend(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	id := b.apply(tenant.Sandbox, referred(strings.ReplaceAll(hostile, `"`, `'`)))
	b.post("/console/sandbox/decisions/"+id+"/review", "outcome", "more_information", "note", hostile).
		to("/console/sandbox/decisions/" + id)
	for _, path := range []string{
		"/console/sandbox/decisions", "/console/sandbox/decisions/" + id, "/console/sandbox/referrals",
		"/console/sandbox/decisions?q=" + url.QueryEscape(hostile) + "&grade=" + url.QueryEscape(hostile) + "&policy=" +
			url.QueryEscape(hostile),
	} {
		b.get(path).want(http.StatusOK).has("&lt;script&gt;alert(1)").hasNot("<script>alert", "ZgotmplZ", " style=")
	}
	b.post("/console/sandbox/decisions/"+id+"/review", "outcome", hostile, "reason_code", hostile, "note", hostile).
		want(http.StatusUnprocessableEntity).has("&lt;script&gt;", "must be capitals").hasNot("<script>alert")
}

// TestDecisionOverAnotherTerm checks that the page names the term that was asked for if the offer has another one, and
// does not say that everything was approved.
func TestDecisionOverAnotherTerm(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	for amount, want := range map[string]string{
		"86000":   "₹86,000 over 31 months was asked for; the term asked for is not available",
		"9600000": "₹96,00,000 over 31 months was asked for; the amount is",
	} {
		id := b.apply(tenant.Sandbox, `{"applicant":{"id":"A-1","monthly_income":85000,"foir":0.32,"requested_amount":`+
			amount+`,"tenure_months":31},"bureau_report":{"score":742,"enquiries_6m":2,"active_tradelines":4,
				"max_dpd_12m":0}}`)
		b.get("/console/sandbox/decisions/"+id).want(http.StatusOK).
			has(want, "The term asked for is not available for this loan", "tenure_not_available").
			hasNot("There are no reasons")
	}
}

// TestDecisionNamesWhatItRead checks that the page has the lists that were read, with their versions, and the fields of
// the warning about absent inputs.
func TestDecisionNamesWhatItRead(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	b.upload("/console/sandbox/lists/file", "value\nRETIRED\n", "name", "occupations", "type", "text").
		want(http.StatusSeeOther)
	id := b.draft(tenant.Sandbox, `"patch":{"knockouts":{"set":[{"id":"KO_LISTED","reason_code":"OTHER",
		"condition_ast":{"op":"in_list","field":"employment_type","list":"occupations"}}]}}`)
	at := "/console/sandbox/policies/" + id
	b.send(at+"/activate", fieldsOf(b.get(at).body, "/activate")).to(at)
	decision := b.apply(tenant.Sandbox, `{"applicant":{"id":"A-1","employment_type":"SALARIED","monthly_income":85000},
		"bureau_report":{"score":742}}`)
	b.get("/console/sandbox/decisions/"+decision).want(http.StatusOK).
		has(`<a href="/console/sandbox/lists/occupations">occupations</a> version 1`,
			"inputs_absent</code><br>Fields: <code>")
}
