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
	tab := s.signIn(t, s.made.People[0].Email)
	tab.Size(1280, 900)
	s.contents(tab)
	s.savedFilters(tab)
	s.absence(t, tab)
	tab.Quiet()
}

// contents follows an entry of the reference's contents with the keyboard, and checks that the entry is marked and in
// view.
func (s *stage) contents(tab *browser.Tab) {
	tab.Helper()
	tab.Go("/console/sandbox/reference")
	tab.FirstScreen(".contents a", ".reference h1")
	const last = `[...document.querySelectorAll(".contents ul ul a")].at(-1)`
	var href string
	tab.Ask(`(a => { a.focus(); return a.getAttribute("href") })(`+last+`)`, &href)
	tab.Enter()
	var at struct {
		Top, Window float64
		Marked      string
		Seen        bool
	}
	tab.Ask(`new Promise(done => setTimeout(() => {
		const section = document.querySelector(":target").getBoundingClientRect();
		const entry = document.querySelector(".contents [aria-current]");
		const box = document.querySelector(".contents").getBoundingClientRect();
		const is = entry?.getBoundingClientRect();
		done({Top: section.top, Window: innerHeight, Marked: entry?.getAttribute("href") ?? "",
			Seen: Boolean(is) && is.top >= box.top && is.bottom <= box.bottom}) }, 300))`, &at)
	if at.Top < 0 || at.Top > at.Window/2 || at.Marked != href || !at.Seen {
		tab.Errorf("the entry %s leads elsewhere or is not marked: %+v", href, at)
	}
}

// savedFilters saves the filters of the list of decisions with the keyboard, applies them and deletes them.
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
	tab.Inspect(s.lens, "decisions-saved")
	tab.Size(1280, 900)
	tab.Follow("[aria-label='Delete the filter Declined lately']")
	tab.Sees("The filter was deleted")
}

// absence checks that the condition builder says how often a field was absent, in the suggestions and below the field.
func (s *stage) absence(t *testing.T, tab *browser.Tab) {
	tab.Helper()
	version := consoletest.NewExamples(s.service, s.caller(tenant.Sandbox)).Pages(t)["/console/{env}/policies/{id}"][0].Path
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
	tab.Inspect(s.lens, "policy-edit-absence")
}
