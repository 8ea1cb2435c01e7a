package console_test

import (
	"net/http"
	"regexp"
	"testing"

	"verdict/internal/tenant"
)

// TestPrivacyPages places a hold, asks for an erasure that waits, withdraws it, releases the hold, erases, and sets
// retention periods, without scripts.
func TestPrivacyPages(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	b.get("/console/sandbox/privacy").want(http.StatusOK).
		has("Nobody was erased yet", "No legal hold is in force", `<span class="none">none</span>`)
	id := b.decide(tenant.Sandbox, "A-1")
	b.post("/console/sandbox/privacy/hold", "applicant_ref", "A-0", "reason", "audit").
		want(http.StatusUnprocessableEntity).has(`id="e-applicant_ref"`, "Nothing is held")
	b.post("/console/sandbox/privacy/hold", "applicant_ref", "A-1", "reason", "audit", "until", "2020-01-01").
		want(http.StatusUnprocessableEntity).has(`id="e-until"`, `value="2020-01-01"`)
	b.post("/console/sandbox/privacy/hold", "applicant_ref", "A-1", "reason", "audit").to("/console/sandbox/privacy")
	page := b.get("/console/sandbox/privacy").has("The legal hold is in force.", "A-1", "no end")
	release := regexp.MustCompile(`/console/sandbox/privacy/holds/lhd_[0-9A-Z]{26}/release`).FindString(page.body)
	b.post("/console/sandbox/privacy/hold", "applicant_ref", "A-1", "reason", "audit").
		want(http.StatusConflict).has("has a legal hold with this reason already")

	b.post("/console/sandbox/privacy/erase", "applicant_ref", "A-1", "reason", "other").to("/console/sandbox/privacy")
	page = b.get("/console/sandbox/privacy").has("The erasure is deferred", "Deferred", "legal hold")
	b.get("/console/sandbox/decisions/"+id).want(http.StatusOK).has("Legal hold", "Erasure requested on", "It waits")
	withdraw := regexp.MustCompile(`/console/sandbox/privacy/erasures/era_[0-9A-Z]{26}/withdraw`).FindString(page.body)
	b.post(withdraw).to("/console/sandbox/privacy")
	b.get("/console/sandbox/privacy").has("Withdrawn")
	b.post(withdraw).want(http.StatusConflict).has("Only a deferred erasure can be withdrawn")
	b.post(release).to("/console/sandbox/privacy")
	b.get("/console/sandbox/privacy").has("The legal hold was released.", "No legal hold is in force")
	b.get("/console/sandbox/decisions/"+id).hasNot("Legal hold", "Erasure requested on")

	b.post("/console/sandbox/privacy/retention", "version", "0", "combined_period", "PT1H", "combined_basis",
		"consent").
		want(http.StatusUnprocessableEntity).has(`id="e-combined_period"`, `value="PT1H"`)
	b.post("/console/sandbox/privacy/retention", "version", "0", "combined_period", "p5y", "combined_basis", "consent").
		to("/console/sandbox/privacy")
	b.get("/console/sandbox/privacy").has("<code>P5Y</code>", "consent")
	b.get("/console/sandbox/privacy/retention").has(`value="P5Y"`)
	b.post("/console/sandbox/privacy/retention", "version", "0").want(http.StatusPreconditionFailed).
		has("were changed in the meantime")
}

// TestPrivacyPagesNeedTheScope checks that people without the scope see nothing of these pages, and that live asks
// for a confirmation.
func TestPrivacyPagesNeedTheScope(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	for _, path := range []string{"/console/live/privacy/erase", "/console/live/privacy/retention"} {
		b.post(path, "applicant_ref", "A-1", "reason", "other").want(http.StatusUnprocessableEntity).
			has(`id="e-confirm"`)
	}
	colleague := b.colleague(tenant.RoleRisk)
	colleague.get("/console/live/privacy").want(http.StatusForbidden)
	colleague.get("/console/live").want(http.StatusOK).hasNot("/privacy")
}
