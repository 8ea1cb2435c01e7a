package console_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"verdict/internal/demo/demotest"
)

// keptDraft has a guarantee that the default policy keeps. youngerDraft has rules that no longer keep it.
const (
	keptDraft = `{"name":"kept","guarantees":[{"id":"G_MINORS","text":"Nobody under 21 gets an offer",
		"when":{"op":"lt","field":"age","value":21},"never":{"op":"ne","field":"status","value":"DECLINED"}}]}`
	youngerDraft = `{"name":"younger","patch":{"knockouts":{"set":[{"id":"KO_AGE_RANGE","stage":1,
		"reason_code":"AGE_NOT_ELIGIBLE","condition_ast":{"op":"or","args":[{"op":"lt","field":"age","value":19},
		{"op":"gt","field":"age","value":60}]}}]}}}`
)

// guarantees activates a version with a guarantee and saves a version that violates it. The pages must show why the
// second one cannot be activated and for whom it would change something, and the service must refuse to activate it.
func (s *stage) guarantees(t *testing.T) {
	w := &walker{stage: s, Tab: s.browser.Tab(t, s.url)}
	w.Theme("light")
	w.Width(1280)
	w.Go("/console/signup")
	w.Fill("[name=org_name]", "Palar Loans", "[name=email]", "chair@palar.example", "[name=password]",
		demotest.Password)
	w.Press("Sign up")
	w.Sees("vk_sandbox_")
	w.key = w.shown("vk_sandbox_")

	kept := w.created(keptDraft)
	w.Go(kept.page)
	w.Click("details:has(#at-guarantees) > summary")
	w.Sees("It holds for every applicant")
	w.Press("Activate version")
	w.Sees("Deciding now")
	younger := w.created(youngerDraft)
	w.Go(younger.page)
	w.Sees("This version cannot be activated: it violates its guarantee G_MINORS")
	w.Ask(`document.querySelector("#activate .bad a").click()`, nil) // unfolds the section
	w.Sees("It does not hold: the applicant")
	var forms int
	if w.Ask(`document.querySelectorAll("form[action$='/activate']").length`, &forms); forms > 0 {
		t.Error("a version that violates its guarantee has a form that activates it")
	}
	w.Inspect(s.brief(), "policies-id-guarantee-violated")

	w.Width(1280)
	w.Go(younger.page + "/change?on=decisions")
	w.Sees("This version cannot be activated: it violates a guarantee")
	w.Sees("Who is treated differently")
	w.Inspect(s.brief(), "policies-id-change-violated")
	refusal := w.wants(http.StatusConflict, "POST", younger.api+"/activate", w.key, `{}`)
	if !strings.Contains(refusal, "guarantee_violated") {
		t.Errorf("a version that violates its guarantee is refused with %s", refusal)
	}
	w.Go(kept.page)
	w.Sees("Deciding now")
	w.Quiet()
}

// version has the addresses of a version of a policy in the console and in the API.
type version struct{ page, api string }

// created saves a draft with the API.
func (w *walker) created(document string) version {
	w.Helper()
	var set struct{ ID string }
	answer := w.wants(http.StatusCreated, "POST", "/v1/rule-sets", w.key, document)
	if err := json.Unmarshal([]byte(answer), &set); err != nil {
		w.Fatal(err)
	}
	return version{"/console/sandbox/policies/" + set.ID, "/v1/rule-sets/" + set.ID}
}
