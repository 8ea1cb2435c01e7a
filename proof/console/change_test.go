package console_test

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"verdict/internal/console/consoletest"
	"verdict/internal/tenant"
)

// changes opens the page about what changes if a draft is activated, reduces the list to the kinds of applicants
// that are worse off, and tries an applicant. All of it must work with and without scripts, and with the keyboard.
func (s *stage) changes(t *testing.T) {
	tab := s.signedIn(t)
	things := consoletest.NewExamples(s.service, s.caller(tenant.Sandbox)).Pages(t)
	draft := things["/console/{env}/policies/{id}"][0].Path
	for _, scripts := range []bool{true, false} {
		tab.Scripts(scripts)
		tab.Width(1280)
		tab.Go(draft)
		tab.Press("What changes if I activate")
		tab.Sees("Who is treated differently")
		tab.Sees("applications of the last 30 days")

		rows := func() (n int) {
			tab.Ask(`[...document.querySelectorAll("tr.kind")].filter(e => e.checkVisibility()).length`, &n)
			return n
		}
		all := rows()
		var worse int
		tab.Ask(`document.querySelectorAll("tr.kind.worse").length`, &worse)
		if worse == 0 || worse == all {
			t.Fatalf("%d of %d kinds are worse off, so reducing the list would show nothing", worse, all)
		}
		tab.Ask(`document.querySelector(".sift [value=all]").focus()`, nil)
		tab.Type(kb.ArrowRight) // chooses the next option, Worse
		if got := rows(); got != worse {
			t.Errorf("scripts %v: %d rows are shown, and %d kinds are worse off", scripts, got, worse)
		}
		tab.Click(".sift [value=all]")

		name := "policies-id-change-compared"
		if scripts {
			tab.Inspect(s.lens, name)
			tab.Width(1280)
			tab.Media("print")
			var shown []string
			tab.Ask(`[...document.querySelectorAll(".bar, .side, .sift, .tabs, main form")]
				.filter(e => e.checkVisibility()).map(e => e.className || e.tagName)`, &shown)
			if len(shown) > 0 {
				t.Errorf("on paper there are %q", shown)
			}
			tab.Ask(`[...document.querySelectorAll(".where li")]
				.filter(e => e.getBoundingClientRect().height == 0).map(e => e.textContent)`, &shown)
			if len(shown) > 0 {
				t.Errorf("%d lines are not on paper: %.200q", len(shown), shown)
			}
			tab.Shoot(s.lens, name+"-printed")
			tab.Theme("light")
		}
		tab.Press("Try this applicant")
		tab.Sees("Rules that hit")
		tab.Sees("differs")
		tab.Back()
		tab.Sees("Who is treated differently")
	}
	tab.Scripts(true)
	tab.Quiet()

	// The form counts a synthetic book instead, and refuses what it cannot count.
	tab.Tick("[name=on][value=synthetic]")
	tab.Follow(".recount button")
	tab.Sees("applications of a synthetic book")
	tab.Expect(422)
	tab.Go(draft + "/change?on=decisions&days=0")
	tab.Sees("must be a whole number from 1 to 366")
	tab.Inspect(s.brief(), "policies-id-change-refused")
}
