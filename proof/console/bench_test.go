package console_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"verdict/internal/frauddesk"
	"verdict/internal/operation"
	"verdict/internal/tenant"
	"verdict/proof/browser"
)

// bench looks at the overview of several ranges of time and at an alert, as an analyst does every morning.
func (s *stage) bench(t *testing.T) {
	tab := s.signedIn(t)
	s.ranges(tab)
	s.alertBench(tab, s.ringAlert(t))
	tab.Quiet()
}

// ranges checks the overview at both widths. The worker's task chooseRange changes its range.
func (s *stage) ranges(tab *browser.Tab) {
	tab.Helper()
	tab.Theme("light")
	tab.Size(1280, 900)
	tab.Go("/console/live?range=30d")
	tab.FirstScreen(".ranges [aria-current]", ".measure:nth-child(1) .big", ".measure:nth-child(3) svg.chart-spark")
	for _, width := range []int64{1280, 380} {
		tab.Size(width, 900)
		tab.Go("/console/live?range=30d")
		var small []string
		// The letters of a chart must stay readable where several charts are beside each other.
		tab.Ask(`[...document.querySelectorAll(".measure svg text")]
			.filter(e => e.getBoundingClientRect().height < 9)
			.map(e => e.textContent)`, &small)
		if len(small) > 0 {
			tab.Errorf("at %d these letters of charts are too small: %v", width, small)
		}
	}
	tab.Inspect(s.brief(), "overview-30-days")
	tab.Scripts(false)
	tab.Go("/console/live?range=24h")
	tab.Sees("24 hours")
	tab.Scripts(true)
}

// ringAlert returns the page of an open alert about a ring.
func (s *stage) ringAlert(t *testing.T) string {
	t.Helper()
	page, err := s.service.Fraud.Alerts(t.Context(), s.caller(tenant.Live),
		frauddesk.AlertFilter{Type: "ring"}, operation.List{Limit: operation.MaxLimit})
	if err != nil || len(page.Data) == 0 {
		t.Fatalf("there is no ring: %v", err)
	}
	return "/console/live/fraud/alerts/" + page.Data[0].ID
}

// alertBench checks that the ring and the possible actions are on the first screen, that a node leads to a
// decision, and that the page stays short.
func (s *stage) alertBench(tab *browser.Tab, path string) {
	tab.Helper()
	tab.Theme("light")
	tab.Size(1280, 900)
	tab.Go(path)
	tab.FirstScreen(".bench .ring h2", ".bench .aside h2")
	var at struct{ Ring, Aside, Height, Page float64 }
	tab.Ask(`({Ring: document.querySelector("svg.chart-ring").getBoundingClientRect().right,
		Aside: document.querySelector(".bench .aside").getBoundingClientRect().left,
		Height: document.querySelector("svg.chart-ring").getBoundingClientRect().top,
		Page: document.documentElement.scrollHeight})`, &at)
	if at.Ring > at.Aside || at.Height > 400 || at.Page > 2600 {
		tab.Errorf("the ring is not beside the actions, or the page is too long: %+v", at)
	}
	tab.Inspect(s.brief(), "alert-ring")
	tab.Size(1280, 900)
	tab.Go(path)
	var href string
	tab.Ask(`(a => { a.focus(); return a.getAttribute("href") })`+
		`(document.querySelector("a.node-link[href*='/decisions/']"))`, &href)
	tab.Enter()
	tab.Sees("History of the applicant")
	if tab.At() != href {
		tab.Errorf("a node leads to %s, not %s", tab.At(), href)
	}
	tab.Go(path)
	tab.Click(".shares a")
	var shown bool
	if tab.Ask(`Boolean(document.querySelector(":target")?.checkVisibility())`, &shown); !shown {
		tab.Error("what an applicant shares does not lead to its row")
	}
}

// firstSteps follows the list for newcomers with the mouse: it decides a sample, which is stored.
func (w *walker) firstSteps() {
	w.Helper()
	w.Theme("light")
	w.Size(1280, 900)
	w.Go("/console/sandbox")
	w.FirstScreen("#first-steps h2", "#first-steps li:nth-child(5) .button")
	w.Inspect(w.brief(), "overview-new")
	w.Size(1280, 900)
	w.Go("/console/sandbox")
	w.Follow("#first-steps li:first-child .button")
	w.Inspect(w.lens, "decisions-sample")
	w.Press("Decide and store")
	w.Sees("The sample was decided and stored.")
	if !strings.Contains(w.At(), "/decisions/dec_") {
		w.Errorf("a stored sample ends at %s", w.At())
	}
	w.Go("/console/sandbox")
	var done int
	if w.Ask(`document.querySelectorAll("#first-steps .done").length`, &done); done != 1 {
		w.Errorf("%d steps are done", done)
	}
	w.Quiet()
}

// mapColumns chooses a file whose columns have other names, and maps them beside its first rows.
func (w *walker) mapColumns() {
	w.Helper()
	file := filepath.Join(w.TempDir(), "other.csv")
	rows := "loan_id,cibil,monthly_income,outcome\n\"L,1\",742,85000,good\nL-2,641,30000,bad\n"
	if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
		w.Fatal(err)
	}
	w.Size(1280, 900)
	w.Go("/console/sandbox/backtests/new?from=file")
	w.Upload("[name=file]", file)
	w.Sees("First 2 rows")
	w.Sees("L,1")
	w.Choose("[data-column=cibil]", "score")
	var got struct{ Map, Outcome, ID string }
	w.Ask(`({Map: document.querySelector("#f-map").value, Outcome: document.querySelector("#f-outcome_column").value,
		ID: document.querySelector("#f-id_column").value})`, &got)
	if got.Map != "cibil=score" || got.Outcome != "outcome" || got.ID != "loan_id" {
		w.Errorf("the columns are mapped as %+v", got)
	}
	w.Inspect(w.brief(), "backtests-mapping")
	w.Quiet()
}
