package console_test

import (
	"testing"

	"verdict/internal/console/consoletest"
	"verdict/internal/decisioning"
	"verdict/internal/operation"
	"verdict/internal/tenant"
	"verdict/proof/browser"
)

// desk does the daily work of a risk analyst: understand a decision within ten seconds, go through lists with the
// keyboard, search from any page, print. It then does the essential parts without scripts.
func (s *stage) desk(t *testing.T) {
	tab := s.signedIn(t)
	tab.Theme("light")
	path := s.turnable(t)
	s.tenSeconds(tab, path)
	s.onPaper(tab, path)
	s.keyboard(tab)
	s.searching(tab)
	s.withoutScripts(tab, path)
	tab.Quiet()
}

// turnable returns the page of a decline that a rule with a limit decided, and for which the page can show a
// change that would give another outcome.
func (s *stage) turnable(t *testing.T) string {
	t.Helper()
	who := s.caller(tenant.Live)
	page, err := s.service.Decisions.DecisionRows(t.Context(), who, decisioning.DecisionFilter{Status: "DECLINED"},
		operation.List{Limit: operation.MaxLimit})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range page.Data {
		story, err := s.service.Decisions.Story(t.Context(), who, row.ID)
		if err != nil {
			t.Fatal(err)
		}
		if len(story.Causes) > 0 && story.Causes[0].RuleID != "" && story.Causes[0].Limit.Given &&
			len(story.Improvements) > 0 && row.AskedPaise > 0 {
			return "/console/live/decisions/" + row.ID
		}
	}
	t.Fatal("no decision of the demonstration was declined by a rule with a limit and could be turned")
	return ""
}

// tenSeconds checks that the first screen shows what decided and what would change the outcome.
func (s *stage) tenSeconds(tab *browser.Tab, path string) {
	tab.Helper()
	tab.Size(1280, 900)
	tab.Go(path)
	tab.FirstScreen(".outcome", ".headline", ".strip .asked", ".causes > li:first-child .rule",
		".causes > li:first-child .value", ".causes > li:first-child .limit", ".turns > li:first-child .change",
		".turns > li:first-child .then", ".history [aria-current]")
	var open []string
	tab.Ask(`[...document.querySelectorAll("#proof[open], #facts[open], #json[open]")].map(e => e.id)`, &open)
	if len(open) > 0 {
		tab.Errorf("%s are not folded", open)
	}
	tab.Click(".causes > li:first-child .rule a")
	var shown bool
	if tab.Ask(`document.querySelector(location.hash)?.checkVisibility() ?? false`, &shown); !shown {
		tab.Error("the link to a rule does not open the rules")
	}
	tab.Size(1920, 1000)
	tab.Go(path)
	var apart []float64
	tab.Ask(`[".because", ".nearest", ".beside"].map(c => document.querySelector("main " + c).getBoundingClientRect())
		.flatMap(r => [r.left, r.right])`, &apart)
	if len(apart) != 6 || apart[1] > apart[2] || apart[3] > apart[4] || apart[5] < 1800 {
		tab.Errorf("1920 pixels are not used: the parts are at %v", apart)
	}
}

// onPaper checks that a page in the dark theme prints in light colours, and shows the folded sections that belong
// on paper.
func (s *stage) onPaper(tab *browser.Tab, path string) {
	tab.Helper()
	tab.Size(1280, 900)
	tab.Go(path)
	tab.Ask(`document.documentElement.dataset.theme = "dark"; window.dispatchEvent(new Event("beforeprint"))`, nil)
	tab.Media("print")
	var paper struct {
		Back, Bar           string
		Proof, JSON, Search bool
	}
	tab.Ask(`({Back: getComputedStyle(document.body).backgroundColor,
		Bar: getComputedStyle(document.querySelector(".verdict")).backgroundColor,
		Proof: document.querySelector("#proof .hash").checkVisibility(),
		JSON: document.querySelector("#json").checkVisibility(),
		Search: document.querySelector("#search").checkVisibility()})`, &paper)
	if paper.Back != "rgb(255, 255, 255)" || paper.Bar != "rgb(255, 255, 255)" || !paper.Proof || paper.JSON ||
		paper.Search {
		tab.Errorf("printed: %+v", paper)
	}
	tab.Ask(`window.dispatchEvent(new Event("afterprint"))`, nil)
	var open bool
	if tab.Ask(`document.querySelector("#proof").open`, &open); open {
		tab.Error("the proof stays open after printing")
	}
	tab.Media("screen")
	tab.Theme("light")
}

// keyboard uses the keys j and k to go through every list, and opens a decision with Enter.
func (s *stage) keyboard(tab *browser.Tab) {
	tab.Helper()
	consoletest.NewExamples(s.service, s.caller(tenant.Live)).Pages(tab.T) // creates batches, tables and webhooks
	const row = `(e => [...document.querySelectorAll("main .table tbody tr")].filter(r => (r.tabIndex < 0 &&
		r.hasAttribute("tabindex") ? r : r.querySelector("a[href]"))?.checkVisibility())
		.findIndex(r => r.contains(e)))(document.activeElement)`
	at := func() (index int) {
		tab.Ask(row, &index)
		return index
	}
	for _, path := range []string{
		"/console/live/policies", "/console/live/fraud", "/console/live/runs", "/console/live/backtests",
		"/console/live/keys", "/console/live/scorecards", "/console/live/lists", "/console/live",
		"/console/live/batches", "/console/live/tables", "/console/live/webhooks", "/console/live/audit",
		"/console/users", "/console/live/search?q=KO_", "/console/live/decisions",
	} {
		tab.Go(path)
		tab.Type("j")
		if got := at(); got != 0 {
			tab.Errorf("%s: j leads to row %d", path, got)
		}
	}
	tab.Type("j")
	tab.Type("j")
	tab.Type("k")
	if got := at(); got != 1 {
		tab.Errorf("j, j, j and k lead to row %d", got)
	}
	var href string
	tab.Ask(`document.activeElement.getAttribute("href")`, &href)
	tab.Enter()
	tab.Sees("History of the applicant")
	if tab.At() != href {
		tab.Errorf("Enter opens %s, not %s", tab.At(), href)
	}
}

// searching searches from a page with the keyboard alone.
func (s *stage) searching(tab *browser.Tab) {
	tab.Helper()
	ref := tab.Text("main h1")
	tab.Go("/console/live/usage")
	tab.Type("/")
	tab.BeginsAt("search")
	tab.Fill("#search", ref)
	tab.Enter()
	tab.Sees("Decisions and applicants")
	tab.Sees(ref)
	tab.Inspect(s.brief(), "search-found")
	tab.Size(380, 900)
	tab.Click("header .top summary")
	tab.Fill("#search-menu", "KO_")
	tab.Enter()
	tab.Sees("Holds when")
	tab.Inspect(s.brief(), "search-rules")
	tab.Size(1280, 900)
}

// withoutScripts reads a decision and searches without scripts.
func (s *stage) withoutScripts(tab *browser.Tab, path string) {
	tab.Helper()
	tab.Scripts(false)
	tab.Go(path)
	tab.FirstScreen(".causes > li:first-child .limit", ".turns > li:first-child .change")
	tab.Click("#proof > summary")
	if tab.Text("#proof .hash") == "" {
		tab.Error("the proof does not open without scripts")
	}
	tab.Fill("#search", "KO_")
	tab.Enter()
	tab.Sees("Holds when")
	tab.Scripts(true)
}
