package console_test

import (
	"net/http"
	"testing"

	"verdict/internal/agent"
	"verdict/internal/recovery"
	"verdict/internal/tenant"
)

func TestRun(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	b.get("/console/sandbox/runs").want(http.StatusOK).has("No run found")
	body := parse(t, `{"applicant":{"id":"<img src=x onerror=alert(1)>","monthly_income":85000,"foir":0.2,
		"requested_amount":900000},
		"bureau_report":{"score":742,"enquiries_6m":8,"written_off_36m":0,"suit_or_wilful":false,"overdue_amount":0},
		"purpose":"a <script>alert(1)</script> & [link](javascript:x) *star*"}`)
	run, err := agent.New(h.service.Decisions, h.service.Agents, agent.Options{}).
		Underwrite(t.Context(), b.who(tenant.Sandbox), agent.NewRequest(body), nil)
	if err != nil {
		t.Fatal(err)
	}
	at := "/console/sandbox/runs/" + run.RunID
	b.get("/console/sandbox/runs").want(http.StatusOK).has(at, "underwriting", "&lt;img src=x").hasNot("<img")
	b.get("/console/sandbox/runs?agent=collections").want(http.StatusOK).has("No run found")
	b.get(at).want(http.StatusOK).
		has(
			"Same result", "Memo", "Steps", "What would change the recommendation",
			"&lt;script&gt;alert(1)&lt;/script&gt; &amp; [link](javascript:x) *star*", "request = purpose",
			// What is needed first is open. The rest is folded, and printed.
			"<h3>Decision</h3>", "data-print-open><summary>Bureau profile", "data-print-open><summary>Steps").
		hasNot("<img", "<script>alert", `href="javascript`)
	h.signUp().get(at).want(http.StatusNotFound)
	b.colleague(tenant.RoleViewer).get(at).want(http.StatusOK)
}

func TestRunOfCollections(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	body := parse(t, `{"loan":{"id":"L-1","principal_outstanding":182000,"emi":8965,"overdue_amount":17930,
		"interest_rate":16,"dpd":47},
		"borrower":{"ref":"<i>A-1</i>"},"as_of":"2026-11-15T20:30:00+05:30"}`)
	run, err := agent.New(h.service.Decisions, h.service.Agents, agent.Options{}).
		Collect(t.Context(), b.who(tenant.Sandbox), recovery.NewRequest(body), nil)
	if err != nil {
		t.Fatal(err)
	}
	at := "/console/sandbox/runs/" + run.ID
	b.get("/console/sandbox/runs?agent=collections").want(http.StatusOK).has(at)
	b.get(at).want(http.StatusOK).has("Next best action", "SMA-1", "Plan", "Same result", "&lt;i&gt;A-1").
		hasNot("<i>A-1")
}
