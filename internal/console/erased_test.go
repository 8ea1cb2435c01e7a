package console_test

import (
	"net/http"
	"strings"
	"testing"

	"verdict/internal/agent"
	"verdict/internal/privacydesk"
	"verdict/internal/recovery"
	"verdict/internal/tenant"
)

// TestErasedPages opens every page on which an applicant appears after the applicant was erased: the lists, the
// decisions, their features, and the runs. No page may fail or show the reference.
func TestErasedPages(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	const gone = "A-erased-applicant"
	paths := []string{
		"/console/sandbox",
		"/console/sandbox/decisions",
		"/console/sandbox/referrals",
		"/console/sandbox/runs",
	}
	var decisions, runs []string
	for _, id := range []string{
		b.apply(tenant.Sandbox, referred(gone)), b.apply(tenant.Sandbox, declined(gone)),
		b.evaluatedWith(gone, 442), // an open offer would defer the erasure
	} {
		decisions = append(decisions, "/console/sandbox/decisions/"+id)
	}
	agents := agent.New(h.service.Decisions, h.service.Agents, agent.Options{})
	request := agent.NewRequest(parse(t, referred(gone)))
	underwritten, err := agents.Underwrite(t.Context(), b.who(tenant.Sandbox), request, nil)
	if err != nil {
		t.Fatal(err)
	}
	collected, err := agents.Collect(t.Context(), b.who(tenant.Sandbox), recovery.NewRequest(parse(t,
		`{"loan":{"id":"L-1","principal_outstanding":182000,"overdue_amount":17930,"dpd":47},
		"borrower":{"ref":"`+gone+`"}}`)), nil)
	if err != nil {
		t.Fatal(err)
	}
	runs = append(runs, "/console/sandbox/runs/"+underwritten.RunID, "/console/sandbox/runs/"+collected.ID)
	other := b.apply(tenant.Sandbox, referred("A-other-applicant"))
	for _, path := range append(append(paths[1:2:2], decisions...), runs...) {
		b.get(path).want(http.StatusOK).has(gone)
	}

	receipt, err := h.service.Privacy.Erase(t.Context(), b.who(tenant.Sandbox),
		privacydesk.NewErasure{ApplicantRef: gone, Reason: "applicant_request"}, nil)
	if err != nil || len(receipt.ReplacedBy) != 1 {
		t.Fatalf("the receipt is %+v, %v", receipt, err)
	}
	for _, path := range paths {
		b.get(path).want(http.StatusOK).hasNot(gone)
	}
	for _, path := range decisions {
		b.get(path).want(http.StatusOK).has("erased").hasNot(gone)
	}
	for _, path := range runs {
		if page := b.get(path); page.status != http.StatusOK && page.status != http.StatusGone {
			t.Errorf("%s answers %d", path, page.status)
		} else {
			page.hasNot(gone)
		}
	}
	history := "/console/sandbox/decisions?applicant_ref=" + strings.ReplaceAll(receipt.ReplacedBy[0], ":", "%3A")
	b.get(history).want(http.StatusOK).hasNot(gone)
	b.get("/console/sandbox/decisions/" + other).want(http.StatusOK).has("A-other-applicant")
}
