package console_test

import (
	"regexp"
	"testing"

	"verdict/internal/console/consoletest"
	"verdict/internal/tenant"
	"verdict/proof/browser"
)

// absenceSaid matches what the condition builder says about a field.
var absenceSaid = regexp.MustCompile(` · (never absent|absent in [0-9a-z ]+ %|absent in all) (in|of) the latest `)

// tools uses the contents of the reference, the months of the usage page, saved filters and the suggestions of the
// condition builder.
func (s *stage) tools(t *testing.T) {
	tab := s.signedIn(t)
	tab.Size(1280, 900)
	s.contents(tab)
	s.savedFilters(tab)
	s.absence(t, tab)
	tab.Quiet()
}

// contents follows an entry of the reference's contents with the keyboard, and checks that the entry is marked and in
// view on the page of that part. It also opens an address from the time when the reference was one page.
func (s *stage) contents(tab *browser.Tab) {
	tab.Helper()
	tab.Go("/console/sandbox/reference")
	tab.FirstScreen(".contents a", ".reference h1")
	const last = `[...document.querySelectorAll(".contents ul ul a")].at(-1)`
	var href string
	tab.Ask(`(a => { a.focus(); return a.getAttribute("href") })(`+last+`)`, &href)
	tab.Enter()
	tab.Arrives("/console/sandbox/" + href)
	tab.FirstScreen(".contents [aria-current=page]", ".reference h1")
	var seen bool
	tab.Ask(`(() => {
		const is = document.querySelector(".contents [aria-current=page]").getBoundingClientRect();
		const box = document.querySelector(".contents").getBoundingClientRect();
		return is.top >= box.top && is.bottom <= box.bottom })()`, &seen)
	if !seen {
		tab.Errorf("the entry of %s is not in view", href)
	}
	tab.Go("/console/sandbox/reference#createDecision")
	tab.Arrives("/console/sandbox/reference/createDecision")
}

// savedFilters saves the filters of the list of decisions, applies them and deletes them. The worker's task find does
// the same with the keyboard alone.
func (s *stage) savedFilters(tab *browser.Tab) {
	tab.Helper()
	tab.Go("/console/sandbox/decisions?status=DECLINED&within=30")
	tab.Click(".saved summary")
	tab.Fill("[name=name]", "Declined lately")
	tab.Press("Save filter")
	tab.Sees("The filter was saved")
	tab.Go("/console/sandbox/decisions")
	tab.Follow(".saved li a")
	if at := tab.At(); at != "/console/sandbox/decisions?status=DECLINED&within=30" {
		tab.Errorf("the saved filter leads to %s", at)
	}
	tab.Inspect(s.brief(), "decisions-saved")
	tab.Size(1280, 900)
	tab.Follow("[aria-label='Delete the filter Declined lately']")
	tab.Sees("The filter was deleted")
}

// absence checks that the condition builder says how often a field was absent, in the suggestions and below the field.
func (s *stage) absence(t *testing.T, tab *browser.Tab) {
	tab.Helper()
	version := consoletest.NewExamples(s.service, s.caller(tenant.Sandbox)).
		Pages(t)["/console/{env}/policies/{id}"][0].Path
	tab.Go(version + "/edit?step=0#at-knockouts")
	tab.Follow("button[value='open:knockouts/0']")
	var said struct{ Below, Suggested string }
	tab.Ask(`new Promise(done => { document.querySelector(".builder [data-at$='/field']").focus();
		setTimeout(() => done({Below: document.querySelector(".builder .means").textContent,
			Suggested: document.querySelector("#fields option[value=bureau_score]").label}), 1500) })`, &said)
	for _, text := range []string{said.Below, said.Suggested} {
		if !absenceSaid.MatchString(text) {
			tab.Errorf("the builder does not say how often a field was absent: %q", text)
		}
	}
	tab.Inspect(s.brief(), "policy-edit-absence")
}
