// Package consoletest finds an example of every console page that shows one particular object, such as a decision or a
// policy. The tenant must have at least one object of every kind. Tests that visit all pages use it, with and without a
// browser.
package consoletest

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"

	"verdict/internal/agentdesk"
	"verdict/internal/batchdesk"
	"verdict/internal/decisioning"
	"verdict/internal/document"
	"verdict/internal/exposure"
	"verdict/internal/exposuredesk"
	"verdict/internal/frauddesk"
	"verdict/internal/listdesk"
	"verdict/internal/offer"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/tabledesk"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/webhookdesk"
	"verdict/internal/wire"
)

// Examples finds pages of a tenant in one environment.
type Examples struct {
	service *usecase.Set
	who     tenant.Principal
	at      string // path prefix of the environment
}

// NewExamples returns the examples of the tenant and environment of who.
func NewExamples(service *usecase.Set, who tenant.Principal) *Examples {
	return &Examples{service, who, "/console/" + string(who.Environment)}
}

// Page is a page to visit.
type Page struct {
	Path string
	Name string // distinguishes pages of the same pattern; may be empty
	Cut  string // CSS selector of the elements to remove from very long pages
}

// list requests one page of up to 100 rows.
var list = operation.List{Limit: 100}

// Pages returns, by route pattern, the pages that show one particular object. It fails the test if the
// tenant lacks an object.
func (x *Examples) Pages(t *testing.T) map[string][]Page {
	t.Helper()
	all := map[string][]Page{
		"/console/{env}/keys/{id}":         {{Path: x.at + "/keys/" + x.key(t)}},
		"/console/{env}/webhooks/{id}":     {{Path: x.at + "/webhooks/" + x.webhook(t)}},
		"/console/{env}/runs/{id}":         x.runs(t),
		"/console/{env}/scorecards/{id}":   {{Path: x.at + "/scorecards/" + x.scorecard(t)}},
		"/console/{env}/fraud/alerts/{id}": x.alerts(t),
		"/console/{env}/lists/{name}":      x.lists(t),
		"/console/{env}/tables/{name}":     x.tables(t),
		"/console/{env}": {
			{Path: x.at},
			{Path: x.at + "?range=24h", Name: "24 hours"},
			{Path: x.at + "?range=90d", Name: "90 days"},
		},
		"/console/{env}/reference/{anchor}": {
			{Path: x.at + "/reference/decisions", Name: "group"},
			{Path: x.at + "/reference/evaluateReport", Name: "operation"},
			{Path: x.at + "/reference/errors", Name: "errors"},
			{Path: x.at + "/reference/schemas", Name: "schemas"},
			{Path: x.at + "/reference/schema-Decision", Name: "schema"},
		},
		"/console/{env}/search": {
			{Path: x.at + "/search"},
			{Path: x.at + "/search?q=KO_", Name: "rules"},
			{Path: x.at + "/search?q=dec_0", Name: "decisions"},
		},
	}
	for _, status := range []string{"APPROVED", "REFERRED", "DECLINED"} {
		id, features := x.decision(t, status)
		at := x.at + "/decisions/" + id
		all["/console/{env}/decisions/{id}"] = append(all["/console/{env}/decisions/{id}"],
			Page{Path: at, Name: status})
		if features && all["/console/{env}/decisions/{id}/features"] == nil {
			all["/console/{env}/decisions/{id}/features"] = []Page{{Path: at + "/features"}}
		}
	}
	if all["/console/{env}/decisions/{id}/features"] == nil {
		t.Error("no decision has features")
	}
	maps.Copy(all, x.documents(t))
	maps.Copy(all, x.backtests(t))
	maps.Copy(all, x.batches(t))
	maps.Copy(all, x.policies(t))
	return all
}

// documents stores a lender profile and decides an application, so that there is an offer that has not expired, and
// returns the pages of its documents in each language.
func (x *Examples) documents(t *testing.T) map[string][]Page {
	t.Helper()
	const hostile = `<script>alert("lender")</script>`
	profile := offer.Profile{
		Name: "Kaveri Capital Limited", Address: "12 Lake Road\nBengaluru 560001", CoolingOffDays: 3,
		Grievance: offer.Contact{
			Name: "Nodal grievance redressal officer", Phone: "080 5550 1234", Email: "help@kaveri.example",
		},
		Texts: map[string]offer.Texts{"en": {Note: hostile}, "hi": {Name: "कावेरी कैपिटल लिमिटेड"}},
	}
	if _, err := x.service.Offers.ReplaceProfile(t.Context(), x.who, profile, operation.AnyVersion); err != nil {
		t.Fatal(err)
	}
	body, err := wire.Parse([]byte(`{
		"applicant":{"id":"A-KFS","monthly_income":85000,"foir":0.32,"requested_amount":5000000},
		"bureau_report":{"score":790,"enquiries_6m":0,"active_tradelines":4,"max_dpd_12m":0}}`))
	if err != nil {
		t.Fatal(err)
	}
	decided, err := x.service.Decisions.Decide(t.Context(), x.who, document.DecisionRequest(body, false), nil)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]Page{}
	for _, name := range []string{"kfs", "letter"} {
		pattern := "/console/{env}/decisions/{id}/" + name
		for _, tag := range offer.Languages() {
			all[pattern] = append(all[pattern],
				Page{Path: x.at + "/decisions/" + decided.ID + "/" + name + "?lang=" + tag, Name: tag})
		}
	}
	return all
}

// decision returns the id of a decision with the status, and whether the decision has features. It prefers a decision
// with features, then a decision made by the evaluate endpoint, then the newest decision.
func (x *Examples) decision(t *testing.T, status string) (id string, features bool) {
	t.Helper()
	page, err := x.service.Decisions.Decisions(t.Context(), x.who, decisioning.DecisionFilter{Status: status}, list)
	if err != nil || len(page.Data) == 0 {
		t.Fatalf("no decision is %s: %v", status, err)
	}
	for _, d := range page.Data {
		_, err := x.service.Decisions.Features(t.Context(), x.who, d.ID,
			decisioning.FeatureFilter{}, operation.List{Limit: 1})
		if err == nil {
			return d.ID, true
		}
	}
	for _, d := range page.Data {
		if d.Endpoint == decisioning.EndpointEvaluate {
			return d.ID, false
		}
	}
	return page.Data[0].ID, false
}

func (x *Examples) key(t *testing.T) string {
	t.Helper()
	keys, err := x.service.People.APIKeys(t.Context(), x.who)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if k.Environment == x.who.Environment && k.RevokedAt.IsZero() {
			return k.ID
		}
	}
	t.Fatalf("there is no %s key", x.who.Environment)
	return ""
}

// webhook returns the id of a webhook. It creates the webhook, because the sample lender has none: its events would be
// sent to a real receiver.
func (x *Examples) webhook(t *testing.T) string {
	t.Helper()
	issued, err := x.service.Webhooks.Create(t.Context(), x.who, webhookdesk.NewWebhook{
		Settings: webhookdesk.Settings{
			URL:         "https://receiver.example/events?of=<b>verdict</b>",
			Description: `<script>alert("webhook")</script>`,
			State:       webhookdesk.Paused,
		},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.service.Webhooks.Test(t.Context(), x.who, issued.ID, nil); err != nil {
		t.Fatal(err)
	}
	return issued.ID
}

// lists creates a list, and returns its page.
func (x *Examples) lists(t *testing.T) []Page {
	t.Helper()
	upload := listdesk.Upload{Type: "text", Entries: []listdesk.NewEntry{
		{Value: "Kaveri Motors"}, {Value: `<script>alert("dealer")</script>`},
		{Value: "Coromandel Cycles", ExpiresAt: time.Date(2026, 3, 31, 18, 30, 0, 0, time.UTC)},
	}}
	_, err := x.service.Lists.Replace(t.Context(), x.who, "dealers", upload, operation.AnyVersion)
	if err != nil {
		t.Fatal(err)
	}
	return []Page{{Path: x.at + "/lists/dealers"}}
}

// tables creates a table, and returns its page.
func (x *Examples) tables(t *testing.T) []Page {
	t.Helper()
	definition, err := tabledesk.ParseDefinition("ltv_by_income", "employment_type,monthly_income:range",
		"max_ltv:number,segment:text")
	if err != nil {
		t.Fatal(err)
	}
	upload := tabledesk.Upload{Definition: definition, CSV: strings.NewReader(
		"employment_type,monthly_income.gte,monthly_income.lt,max_ltv,segment\nSALARIED,,50000,0.7,B\n" +
			"SALARIED,50000,,0.8,A\nSELF_EMPLOYED,20000,,0.6,<b>C</b>\n")}
	_, err = x.service.Tables.Replace(t.Context(), x.who, "ltv_by_income", upload, operation.AnyVersion)
	if err != nil {
		t.Fatal(err)
	}
	return []Page{{Path: x.at + "/tables/ltv_by_income"}}
}

// Queue is a queue that does not run its chunks. Examples runs the chunks that it needs.
type Queue struct{}

// Enqueue implements operation.ChunkQueue.
func (Queue) Enqueue(context.Context, []operation.Chunk) error { return nil }

// batches creates two batches. One is completed and has rows that were not decided; the other waits.
func (x *Examples) batches(t *testing.T) map[string][]Page {
	t.Helper()
	start := func(rows string) string {
		started, err := x.service.Batches.Start(t.Context(), x.who, batchdesk.Request{
			Endpoint: decisioning.EndpointDecisions, ID: "req_example", MaxLine: 1 << 20,
			Lines: strings.NewReader(rows),
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return started.ID
	}
	row := `{"applicant":{"id":"ROW-%d","monthly_income":85000,"foir":%s},"bureau_report":{"score":%d}}` + "\n"
	rows := "this is not JSON\n" + fmt.Sprintf(row, 1, "42", 742)
	for i := range 40 {
		rows += fmt.Sprintf(row, i+2, "0.3", 600+10*(i%20))
	}
	done, waiting := start(rows), start(rows)
	err := x.service.RunChunk(t.Context(), operation.Chunk{
		TenantID: x.who.TenantID, Environment: string(x.who.Environment), JobID: done, Number: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	at := x.at + "/batches/"
	return map[string][]Page{
		"/console/{env}/batches/{id}":             {{Path: at + done}, {Path: at + waiting, Name: "waiting"}},
		"/console/{env}/batches/{id}/results.csv": {{Path: at + done + "/results.csv"}},
	}
}

// Loans reports loans of an applicant, and returns the page that shows them beside the applicant's decisions.
func (x *Examples) Loans(t *testing.T) Page {
	t.Helper()
	page, err := x.service.Decisions.Decisions(t.Context(), x.who, decisioning.DecisionFilter{Status: "APPROVED"}, list)
	if err != nil || len(page.Data) == 0 {
		t.Fatalf("no decision is approved: %v", err)
	}
	d := page.Data[len(page.Data)-1]
	for _, loan := range []exposuredesk.NewReport{
		{DecisionID: d.ID, HasOutstanding: true, Loan: exposure.Loan{
			Product: "personal_loan", OutstandingPaise: 412_350_50, EMIPaise: 14_170_00, DPD: 12,
		}},
		{HasOutstanding: true, Loan: exposure.Loan{Product: "<i>two wheeler</i>", OutstandingPaise: 9_000_00}},
		{Loan: exposure.Loan{Product: "<i>two wheeler</i>"}, Closed: true},
	} {
		loan.ApplicantRef = d.ApplicantRef
		if _, err := x.service.Exposures.Report(t.Context(), x.who, loan, nil); err != nil {
			t.Fatal(err)
		}
	}
	return Page{Path: x.at + "/decisions?q=" + url.QueryEscape(d.ApplicantRef), Name: "loans"}
}

// runs returns the newest run of each agent.
func (x *Examples) runs(t *testing.T) []Page {
	t.Helper()
	page, err := x.service.Agents.AgentRuns(t.Context(), x.who, agentdesk.RunFilter{}, list)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var looks []Page
	for _, r := range page.Data {
		if !seen[r.Agent] {
			seen[r.Agent] = true
			looks = append(looks, Page{Path: x.at + "/runs/" + r.ID, Name: r.Agent})
		}
	}
	if len(looks) < 2 {
		t.Errorf("agents with runs: %v", seen)
	}
	return looks
}

// scorecard returns the id of the newest scorecard.
func (x *Examples) scorecard(t *testing.T) string {
	t.Helper()
	page, err := x.service.Policies.Scorecards(t.Context(), x.who, "", list)
	if err != nil || len(page.Data) == 0 {
		t.Fatalf("no scorecards: %v", err)
	}
	return page.Data[0].ID
}

// backtests returns the pages about backtests, including a run on a file and a cancelled run.
func (x *Examples) backtests(t *testing.T) map[string][]Page {
	t.Helper()
	page, err := x.service.Backtests.List(t.Context(), x.who, "", list)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var looks []Page
	var files []string
	for _, b := range page.Data {
		if name := b.Source + "-" + b.Status; !seen[name] && (b.Source == "csv" || b.Status == "cancelled") {
			seen[name] = true
			looks = append(looks, Page{Path: x.at + "/backtests/" + b.ID, Name: name})
		}
		if b.Status == "succeeded" {
			files = append(files, x.at+"/backtests/"+b.ID)
		}
	}
	if len(files) < 2 {
		t.Fatalf("%d backtests have succeeded", len(files))
	}
	id := func(at string) string { return at[strings.LastIndex(at, "/")+1:] }
	return map[string][]Page{
		"/console/{env}/backtests/compare": {
			{Path: x.at + "/backtests/compare?a=" + id(files[0]) + "&b=" + id(files[1])},
		},
		"/console/{env}/backtests/new": {
			{Path: x.at + "/backtests/new"}, {Path: x.at + "/backtests/new?from=synthetic", Name: "synthetic"},
			{Path: x.at + "/backtests/new?from=decisions", Name: "decisions"},
		},
		"/console/{env}/backtests/{id}":             looks,
		"/console/{env}/backtests/{id}/report.html": {{Path: files[0] + "/report.html"}},
		"/console/{env}/backtests/{id}/rows.csv":    {{Path: files[0] + "/rows.csv"}},
	}
}

// alerts returns one alert of each state.
func (x *Examples) alerts(t *testing.T) []Page {
	t.Helper()
	var looks []Page
	for _, state := range frauddesk.AlertStates() {
		page, err := x.service.Fraud.Alerts(t.Context(), x.who, frauddesk.AlertFilter{Status: state}, list)
		if err != nil || len(page.Data) == 0 {
			t.Fatalf("no alert is %s: %v", state, err)
		}
		looks = append(looks, Page{Path: x.at + "/fraud/alerts/" + page.Data[0].ID, Name: state})
	}
	return looks
}

// policies returns the pages about versions of a policy. Most are about the draft, which has findings.
func (x *Examples) policies(t *testing.T) map[string][]Page {
	t.Helper()
	page, err := x.service.Policies.RuleSets(t.Context(), x.who, policydesk.RuleSetFilter{PolicyKey: "default"}, list)
	if err != nil {
		t.Fatal(err)
	}
	var draft, active string
	for _, set := range page.Data {
		switch {
		case set.Status == "active":
			active = set.ID
		case set.Status == "draft" && draft == "":
			draft = set.ID
		}
	}
	at := x.at + "/policies/"
	return map[string][]Page{
		"/console/{env}/policies/compare": {{Path: at + "compare?a=" + active + "&b=" + draft}},
		"/console/{env}/policies/{id}": {{Path: at + draft, Name: "draft"},
			{Path: at + active, Name: "active"}},
		"/console/{env}/policies/{id}/edit":        {{Path: at + draft + "/edit?open=knockouts/1"}},
		"/console/{env}/policies/{id}/try":         {{Path: at + draft + "/try"}},
		"/console/{env}/policies/{id}/impact":      {{Path: at + draft + "/impact"}},
		"/console/{env}/policies/{id}/change":      {{Path: at + draft + "/change"}},
		"/console/{env}/policies/{id}/edit/effect": {{Path: at + draft + "/edit/effect"}},
	}
}
