package console_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"verdict/internal/engine"
	"verdict/internal/operation"
	"verdict/internal/tenant"
)

// laxer has the members of a draft with a minimum age of 19.
const laxer = `"patch":{"knockouts":{"set":[{"id":"KO_AGE_RANGE","reason_code":"AGE_RANGE",
	"condition_ast":{"op":"lt","field":"age","value":19}}]}}`

// TestWhatChanges opens the page that shows what changes if a draft is activated. The page has a sentence, a row
// for each kind of applicant, and the number of applications of each kind in the last 30 days.
func TestWhatChanges(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	for _, age := range []string{"20", "20", "34"} {
		b.apply(tenant.Sandbox,
			`{"applicant":{"age":`+age+`,"monthly_income":85000,"foir":0.3,"requested_amount":300000},
			"bureau_report":{"score":780,"enquiries_6m":1,"active_tradelines":4,"max_dpd_12m":0}}`)
	}
	id := b.draft(tenant.Sandbox, laxer)
	path := "/console/sandbox/policies/" + id + "/change"
	b.get("/console/sandbox/policies/"+id).want(http.StatusOK).has("What changes if I activate", path+"?on=decisions")
	b.get(path).want(http.StatusOK).has("Compare").hasNot("Who is treated differently")

	page := b.get(path+"?on=decisions").want(http.StatusOK).has("Who is treated differently",
		"2 of 3 applications of the last 30 days are treated differently: 0 worse, 2 better, 0 mixed.",
		"KO_AGE_RANGE", "Try this applicant", "Better").hasNot("class=\"card waiting\"", "not complete")
	// Both versions decide the example applicant of a kind. The two decisions must differ.
	request := regexp.MustCompile(`name="request" value="([^"]+)"`).FindStringSubmatch(page.body)
	if request == nil {
		t.Fatal("no kind has an applicant to try")
	}
	b.post("/console/sandbox/policies/"+id+"/try", "request", html.UnescapeString(request[1])).want(http.StatusOK).
		has("differs", "Active, version")

	b.get(path + "?on=synthetic").want(http.StatusOK).has("of a synthetic book")
	b.get(path + "?on=nothing").want(http.StatusOK).has("Who is treated differently").hasNot("of the last 30 days are")
	b.get(path + "?on=decisions&days=400").want(http.StatusUnprocessableEntity).has("whole number from 1 to 366")
	b.get(path + "?on=everything").want(http.StatusUnprocessableEntity).has("Choose what to count")
	b.colleague(tenant.RoleViewer).get(path + "?on=decisions").want(http.StatusOK).has("Who is treated differently").
		hasNot("Try this applicant")
	h.signUp().get(path + "?on=decisions").want(http.StatusNotFound)

	same, err := h.service.Policies.CreateRuleSet(t.Context(), b.who(tenant.Sandbox),
		engine.NewDraft(parseBody(t, `{"name":"only another name"}`)), nil)
	if err != nil {
		t.Fatal(err)
	}
	b.get("/console/sandbox/policies/" + same.ID + "/change?on=decisions").want(http.StatusOK).
		has("Nothing changes for anybody")
	b.get("/console/sandbox/policies/" + b.active(tenant.Sandbox) + "/change?on=decisions").want(http.StatusOK).
		has("already active")
	b.upload("/console/sandbox/lists/file", "value\nRETIRED\n", "name", "occupations", "type", "text").
		want(http.StatusSeeOther)
	missing := b.draft(tenant.Sandbox, `"patch":{"knockouts":{"set":[{"id":"KO_LISTED","reason_code":"OTHER",
		"condition_ast":{"op":"in_list","field":"employment_type","list":"occupations"}}]}}`)
	if err := h.service.Lists.Delete(
		t.Context(), b.who(tenant.Sandbox), "occupations", operation.AnyVersion,
	); err != nil {
		t.Fatal(err)
	}
	b.get("/console/sandbox/policies/" + missing + "/change?on=decisions").want(http.StatusOK).
		has("a list or a table that this version reads is missing")
}

// TestSlowComparison checks that the page of a slow comparison sends its beginning and the progress before the
// result. The page must also say if the comparison is not complete.
func TestSlowComparison(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	id := b.draft(tenant.Sandbox, laxer)
	compared := func(each time.Duration) *answer {
		h.clock.pass(each)
		defer h.clock.pass(0)
		return b.get("/console/sandbox/policies/" + id + "/change?on=decisions").want(http.StatusOK)
	}
	compared(time.Second).has("The comparison is not complete.", "takes longer than the budget allows",
		"Applications were not counted, because the time ran out")
	page := compared(20*time.Millisecond).has(`<progress aria-label="Progress"`,
		"Comparing the versions for all applicants: field", "Who is treated differently", "Compare again")
	waiting, ready := strings.Index(page.body, `class="card waiting"`), strings.Index(page.body, `class="ready"`)
	if steps := strings.Count(page.body, `<p class="step">`); waiting < 0 || ready < waiting || steps == 0 {
		t.Errorf("the progress is at %d with %d steps, the result at %d", waiting, steps, ready)
	}
	if strings.Count(page.body, "</html>") != 1 || strings.Contains(page.body, `<i id=`) {
		t.Errorf("the parts do not add up to one page:\n%s", page.body)
	}
}
