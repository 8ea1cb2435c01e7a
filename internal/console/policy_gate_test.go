package console_test

import (
	"net/http"
	"strings"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
)

// TestPolicyErrorsAreAcknowledged checks that an error of the analysis is shown
// above the button, and must be acknowledged or fixed before the policy is
// activated in live.
func TestPolicyErrorsAreAcknowledged(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	d := b.edit(b.active(tenant.Sandbox), "?open=pricing_bands/1")
	d.form.Set("row.interest_rate", "26.5") // a better grade with a higher rate
	id := d.saved()
	sandbox := "/console/sandbox/policies/" + id
	shown := b.get(sandbox).want(http.StatusOK).
		has("In live each error would have to be acknowledged", "better_score_worse_price").hasNot(`name="acknowledge"`)
	if strings.Index(shown.body, ">Error<") > strings.Index(shown.body, ">Note<") {
		t.Error("a note stands before the error")
	}
	b.send(sandbox+"/activate", fieldsOf(shown.body, "/activate")).to(sandbox)

	live := b.post(sandbox + "/promote").want(http.StatusSeeOther).header.Get("Location")
	shown = b.get(live).want(http.StatusOK).has("of the analysis</h3>",
		`type="checkbox" name="acknowledge" value="better_score_worse_price@/pricing_bands/`)
	form := fieldsOf(shown.body, "/activate")
	form.Set("confirm", "LIVE")
	form.Set("note", "typed before")
	refused := b.send(live+"/activate", form)
	if refused.status != http.StatusUnprocessableEntity && refused.status != http.StatusConflict {
		t.Fatalf("an error goes live like a note: %d", refused.status)
	}
	refused.has("Fix or acknowledge each of them", "typed before")
	b.get(live).want(http.StatusOK).has("Activate version")
	for _, part := range strings.Split(shown.body, `name="acknowledge" value="`)[1:] {
		key, _, _ := strings.Cut(part, `"`)
		form.Add("acknowledge", key)
	}
	b.send(live+"/activate", form).to(live)
	b.get(live).want(http.StatusOK).has("Deciding now")
}

// TestPolicyThatWasNotAnalysed stores a version that this release cannot
// analyse, as if another release of the service had stored it. The test checks
// that the page says that the version was not analysed.
func TestPolicyThatWasNotAnalysed(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.SQLite(t)
	b := houseOver(t, storetest.Open(t, databaseURL, store.Options{})).signUp()
	id := b.draft(tenant.Sandbox, stricter)
	_, err := storetest.Raw(t, databaseURL).ExecContext(t.Context(), "UPDATE rule_sets SET document = $1 WHERE id = $2",
		[]byte(`{"name":"Old","policy_key":"default","from":"another time"}`), id)
	if err != nil {
		t.Fatal(err)
	}
	b.get("/console/sandbox/policies/"+id).
		want(http.StatusOK).has("was not analysed").hasNot("nothing to object to", "found nothing")
	b.get("/console/sandbox/policies/"+id+"/edit").
		want(http.StatusOK).has("not analysed").hasNot("nothing to object to", "no findings")
	for _, on := range []string{"nothing", "decisions"} {
		b.get("/console/sandbox/policies/"+id+"/change?on="+on).
			want(http.StatusConflict).has(id, "no longer valid").hasNot("Nothing changes for anybody", "Internal")
	}
}
