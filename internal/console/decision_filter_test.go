package console_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"verdict/internal/decisioning"
	"verdict/internal/tenant"
)

// TestSavedFilters saves the filters of the list of decisions. It checks that only the same person sees them, in the
// same environment, and that the text of the search field is not saved.
func TestSavedFilters(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	colleague, stranger := b.colleague(tenant.RoleViewer), h.signUp()
	const at = "/console/sandbox/decisions"
	b.get(at).want(http.StatusOK).hasNot("Saved filters", "Save these filters")
	b.get(at + "?q=A-1").want(http.StatusOK).hasNot("Save these filters")
	b.get(at+"?q=A-1&status=DECLINED&within=7&cursor=").want(http.StatusOK).
		has("Save these filters", `action="/console/sandbox/decisions/filters?status=DECLINED&amp;within=7"`)

	b.post(at+"/filters?status=DECLINED&within=7&q=A-1", "name", " Declined "+hostile).want(http.StatusSeeOther)
	for _, other := range []string{at, "/console/live/decisions"} {
		colleague.get(other).want(http.StatusOK).hasNot("Saved filters")
		stranger.get(other).want(http.StatusOK).hasNot("Saved filters")
	}
	b.get("/console/live/decisions").want(http.StatusOK).hasNot("Saved filters")
	b.get(at).want(http.StatusOK).has(`<a href="/console/sandbox/decisions?status=DECLINED&amp;within=7">Declined`).
		hasNot("A-1", hostile)
	b.get(at + "?within=7&status=DECLINED").want(http.StatusOK).has(`within=7" aria-current="true"`)

	b.post(at+"/filters?grade=B", "name", "").want(http.StatusUnprocessableEntity).
		has("Give the filter a name", `<details class="act" open>`, `value="B"`)
	for i := range decisioning.MaxSavedFilters - 1 {
		b.post(at+"/filters?grade=B", "name", fmt.Sprint(i)).want(http.StatusSeeOther)
	}
	b.post(at+"/filters?grade=B", "name", "one more").want(http.StatusConflict).has("delete one first")
	b.post(at+"/filters?grade=C", "name", "3").want(http.StatusSeeOther)
	b.post(at+"/filters/delete", "name", "4").want(http.StatusSeeOther)
	b.get(at).want(http.StatusOK).has(`grade=C">3</a>`).hasNot(`>4</a>`)
}

// TestDecisionsOfTheLatestDays checks the filter for the latest days, both in the list and in its CSV file.
func TestDecisionsOfTheLatestDays(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	b.decide(tenant.Sandbox, "OLD-1")
	h.clock.advance(3 * 24 * time.Hour)
	b.post("/console/signin", "email", b.email, "password", b.password).want(http.StatusSeeOther)
	b.decide(tenant.Sandbox, "NEW-1")
	const at = "/console/sandbox/decisions"
	b.get(at+"?within=7").want(http.StatusOK).has("OLD-1", "NEW-1")
	b.get(at+"?within=1").want(http.StatusOK).has("NEW-1", "decisions.csv?within=1").hasNot("OLD-1")
	b.get(at + ".csv?within=1").want(http.StatusOK).has("NEW-1").hasNot("OLD-1")
	b.get(at+"?within=5000").want(http.StatusOK).has("OLD-1", "NEW-1")
}
