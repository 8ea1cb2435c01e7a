package console_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"verdict/internal/tenant"
)

func TestAuditTrailHasPagesAndFilters(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b, stranger := h.signUp(), h.signUp()
	for i := range 60 {
		b.decide(tenant.Sandbox, fmt.Sprintf("A-%d", i))
	}
	first := b.get("/console/sandbox/audit").
		want(http.StatusOK).has("Next page", b.email, `<a href="/console/sandbox/decisions/dec_`)
	_, rest, _ := strings.Cut(first.body, `href="/console/sandbox/audit?cursor=`)
	cursor, _, _ := strings.Cut(rest, `"`)
	b.get("/console/sandbox/audit?cursor=" + cursor).want(http.StatusOK).has("First page").hasNot("Next page")
	stranger.get("/console/sandbox/audit?cursor=" + cursor).want(http.StatusBadRequest)
	b.get("/console/sandbox/audit?action=tenant.created").want(http.StatusOK).has("tenant.created").hasNot("Next page")
	b.get("/console/sandbox/audit?from=2020-01-01&to=2020-01-02").
		want(http.StatusOK).has("Nothing found", "audit.csv?from=2020-01-01")
	b.get("/console/sandbox/audit?from=tomorrow").want(http.StatusOK).has(`id="e-from"`)

	file := b.get("/console/sandbox/audit.csv").want(http.StatusOK)
	rows, err := csv.NewReader(strings.NewReader(file.body)).ReadAll()
	if err != nil || len(rows) < 61 {
		t.Errorf("the export has %d rows, %v", len(rows), err)
	}
	if got := file.header.Get("Content-Type"); got != "text/csv; charset=utf-8" {
		t.Errorf("Content-Type %q", got)
	}
}

func TestUsageCountsWhatWasDecided(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	for i := range 3 {
		b.decide(tenant.Sandbox, fmt.Sprintf("A-%d", i))
	}
	b.get("/console/sandbox/usage").want(http.StatusOK).has("POST /v1/decisions", "<svg", `<p class="big">3</p>`)
	b.get("/console/live/usage").want(http.StatusOK).has("Nothing has been used this month.")
	b.get("/console/sandbox/usage").has("November 2026").hasNot("October 2026", "Units a month")
	b.get("/console/sandbox/usage?month=2026-10").want(http.StatusNotFound)
	b.get("/console/sandbox").want(http.StatusOK).has(`<h2>Decisions today</h2><p class="big">3</p>`, "A-2",
		"The newest decisions are being counted")
	b.get("/console/live").want(http.StatusOK).has("Nothing is decided in live yet.").hasNot("A-2")
}

// TestUsageByMonth checks that the usage page shows the previous months beside the current month, and that it can show
// one month alone.
func TestUsageByMonth(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	for i := range 4 {
		b.decide(tenant.Sandbox, fmt.Sprintf("A-%d", i))
	}
	h.clock.advance(61 * 24 * time.Hour) // from November to January, so that December has no usage
	b.post("/console/signin", "email", b.email, "password", b.password).want(http.StatusSeeOther)
	b.decide(tenant.Sandbox, "A-9")
	const at = "/console/sandbox/usage"
	b.get(at).want(http.StatusOK).has(`<p class="big">1</p>`, "January 2027</a> <span class=\"hint\">so far</span>",
		at+"?month=2026-12", "−100 %", at+"?month=2026-11", "Units a month").hasNot("2026-10")
	b.get(at+"?month=2026-11").want(http.StatusOK).has(`<p class="big">4</p>`, "November 2026, which is over",
		"POST /v1/decisions").hasNot("<h2>Quota</h2>")
	b.get(at + "?month=2026-12").want(http.StatusOK).has("Nothing was used this month.")
	b.get(at + "?month=2026-10").want(http.StatusNotFound)
	b.get("/console/live/usage").want(http.StatusOK).hasNot("2026-11")
}
