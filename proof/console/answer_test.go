package console_test

import (
	"fmt"
	"testing"

	"verdict/internal/console/consoletest"
	"verdict/internal/tenant"
	"verdict/proof/browser"
)

// brief returns a lens that checks only one look of a page. It is for pages that consist of the same elements as
// other pages, which are checked in every look. If screenshots are stored, the lens checks all looks.
func (s *stage) brief() browser.Lens {
	lens := s.lens
	lens.Brief = !lens.Tall
	return lens
}

// answers checks the pages that are shown after a form was submitted, with
// results or with errors.
func (s *stage) answers(t *testing.T) {
	tab := s.signedIn(t)
	things := consoletest.NewExamples(s.service, s.caller(tenant.Live)).Pages(t)
	draft := things["/console/{env}/policies/{id}"][0].Path
	tab.Go(draft + "/try")
	tab.Press("Decide the sample")
	tab.Sees("Rules that hit")
	tab.Inspect(s.brief(), "policies-id-try-decided")
	tab.Go(draft + "/impact")
	tab.Tick("[name=on][value=synthetic]")
	tab.Fill("[name=rows]", "300")
	tab.Press("Measure the impact")
	tab.Sees("Which change caused the swaps")
	tab.Inspect(s.brief(), "policies-id-impact-measured")
	tab.Expect(422)
	for _, f := range []struct{ name, path, field, typed, button string }{
		{"policies-id-try", draft + "/try", "[name=foir]", "much", "Decide the sample"},
		{"keys-new", "/console/live/keys/new", "[name=expires_at]", "2020-01-01", "Create key"},
		{"users", "/console/users", "[name=email]", "nobody", "Create invitation link"},
		{"account", "/console/account", "[name=password]", "short", "Change password"},
		{"backtests-new", "/console/live/backtests/new?from=synthetic", "[name=n]", "-3", "Run the backtest"},
		{"fraud-pincodes", "/console/live/fraud/pincodes", "[name=pincode]", "12", "Save entry"},
		{
			"fraud-thresholds", "/console/sandbox/fraud/thresholds", "[name='fraud.ip_cluster.points']", "-4",
			"Save thresholds",
		},
		{"lender", "/console/sandbox/lender", "[name=blended_rate]", "much", "Save the profile"},
		{"privacy-retention", "/console/sandbox/privacy/retention", "[name=combined_period]", "a year", "Save periods"},
		{"decisions-id", things["/console/{env}/decisions/{id}"][1].Path, "[name=reason_code]", "not a code",
			"Add review"},
	} {
		tab.Width(1280) // the previous check used the width of a phone
		tab.Go(f.path)
		// The browser would not submit these forms, but a program would.
		tab.Ask(
			`document.querySelectorAll("form").forEach(f => { f.noValidate = true });
			document.querySelectorAll("main details").forEach(d => { d.open = true })`, nil)
		tab.Fill(f.field, f.typed)
		tab.Press(f.button)
		var beside int
		if tab.Ask(`document.querySelectorAll("main .fault").length`, &beside); beside == 0 {
			t.Errorf("%s: nothing is said beside a field", f.name)
		}
		tab.Inspect(s.brief(), f.name+"-refused")
	}
}

// reference takes screenshots of the parts of the API reference that the other tests do not visit, if screenshots are
// stored. It does not run axe-core, because the parts consist of a few kinds of elements.
func (s *stage) reference(t *testing.T) {
	if !s.lens.Tall {
		return
	}
	tab := s.signedIn(t)
	for _, look := range []browser.Look{{Theme: "light", Width: 1280}, {Theme: "dark", Width: 380}} {
		tab.Theme(look.Theme)
		tab.Width(look.Width)
		for _, part := range []string{"fraud", "createDecision", "runBacktest", "tables"} {
			tab.Go("/console/live/reference/" + part)
			tab.Shoot(s.lens, fmt.Sprintf("reference-%s-%s", part, look))
		}
	}
	tab.Quiet()
}

// emptiness checks the pages of a new tenant without data.
func (w *walker) emptiness() {
	w.Helper()
	for _, path := range []string{
		"", "/decisions", "/referrals", "/fraud", "/fraud/blocked", "/fraud/pincodes", "/runs", "/scorecards",
		"/policies", "/backtests", "/usage", "/audit",
	} {
		w.Go("/console/live" + path)
		w.Inspect(w.brief(), "empty-"+fileOf(consoletest.Page{}, path))
	}
}
