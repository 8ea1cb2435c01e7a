package console

import (
	"slices"
	"strings"
	"time"

	"verdict/internal/backtest"
	"verdict/internal/chart"
	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/study"
	"verdict/internal/tenant"
)

// impactPages serves the page that measures what activating a version would change. It runs a backtest of the version
// and, if another version is active, compares it with that version.
type impactPages struct {
	runs     *study.Backtests
	versions policyVersions
	now      func() time.Time
}

func (p *impactPages) routes() []page {
	return []page{
		{pattern: "GET /console/{env}/policies/{id}/impact", handle: p.impact, scope: tenant.Read},
		{pattern: "POST /console/{env}/policies/{id}/impact", handle: p.runImpact, scope: tenant.Decide},
	}
}

// The values of the field "on", which names the source of the applications.
const (
	onDecisions = "decisions"
	onBook      = "synthetic"
)

// maxImpactDays and maxImpactRows limit a measurement that a person starts from the page.
const (
	maxImpactDays = 366
	maxImpactRows = 1_000_000
)

// impactView is the data of the page that shows what activating a version would change.
type impactView struct {
	*version
	Run      *study.Backtest  // nil if the address names no run
	Waiting  bool             // whether the run has not finished yet
	Report   *backtest.Report // nil until the run has succeeded
	Compared bool             // whether there is an active version to compare with
	Figures  []impactFigure
	Matrix   chart.Matrix
	Swaps    []swapRow
	Changes  []changeRow
}

// impactFigure is a figure before and after the activation.
type impactFigure struct{ Label, Before, After, Change string }

// swapRow is one of the four groups into which two versions divide applicants.
type swapRow struct {
	Label, Hint string
	Count       int64
	BadRate     string
}

// changeRow is one change between the versions, with the number of applicants it moved.
type changeRow struct {
	Section, ID   string
	Before, After string
	In, Out       int64 // applicants that this change alone swaps in or out
	NeededIn      int64 // applicants who are swapped in only with this change
	NeededOut     int64 // applicants who are swapped out only with this change
}

// impact renders a measurement, and the form that starts a measurement.
func (p *impactPages) impact(v *visit) error {
	found, err := p.versions.find(v)
	if err != nil {
		return err
	}

	view := impactView{version: found}
	if id := v.query("run"); id != "" {
		run, err := p.runs.Get(v.ctx, v.caller(), id)
		if err != nil {
			return err
		}
		if run.ChallengerID != found.Set.ID && run.RuleSetID != found.Set.ID {
			return errNotFound // the run compares other versions
		}

		view.Run, view.Waiting = &run, !run.Over()
		if len(run.Report) > 0 {
			if view.Report, err = run.Figures(); err != nil {
				return err
			}
			view.fill()
		}
	}

	return v.render("policy_impact", "Impact of "+found.Set.Name, view)
}

// runImpact measures the version on recent decisions or on a synthetic book. If another version is active, it measures
// that version too.
func (p *impactPages) runImpact(v *visit) error {
	found, err := p.versions.find(v)
	if err != nil {
		return err
	}

	request, err := impactRequest(v.form, found, p.now())
	if err != nil {
		return v.redraw(err, p.impact)
	}

	run, err := p.runs.Run(v.ctx, v.caller(), request, nil)
	if err != nil {
		return v.redraw(err, p.impact)
	}

	return v.redirect(v.at("/policies/" + found.Set.ID + "/impact?run=" + run.ID))
}

// impactRequest returns the backtest that measures the impact.
func impactRequest(f *form, found *version, now time.Time) (study.BacktestRequest, error) {
	var faults fault.List
	r := study.BacktestRequest{Policies: study.Policies{RuleSetID: found.Set.ID, PolicyKey: found.Set.PolicyKey}}
	if found.Active != nil && !found.Decides() {
		r.RuleSetID, r.ChallengerID = found.Active.ID, found.Set.ID
	}

	switch f.Value("on") {
	case onDecisions:
		days := wholeNumber(&faults, "/days", f.Value("days"), 30, 1, maxImpactDays)
		from := tenant.BusinessDay(now.AddDate(0, 0, 1-days))
		begins, err := time.ParseInLocation(time.DateOnly, from, civil.India)
		if err != nil {
			return r, err
		}

		r.Replay = &study.Replay{From: begins.UTC(), PolicyKey: found.Set.PolicyKey}
	case onBook:
		book := study.DefaultBook()
		book.Rows = int64(wholeNumber(&faults, "/rows", f.Value("rows"), 5000, 100, maxImpactRows))
		book.Seed = uint64(wholeNumber(&faults, "/seed", f.Value("seed"), 42, 0, 1<<31-1))
		r.Book = &book
	default:
		faults.Add("/on", fault.CodeRequired, "choose what to measure on")
	}
	return r, faults.Err()
}

// fill computes the charts and tables of the report.
func (i *impactView) fill() {
	other := i.Report.Challenger
	i.Compared = other != nil
	if !i.Compared {
		i.Figures = impactFigures(&i.Report.Side, nil)
		return
	}

	i.Figures = impactFigures(&i.Report.Side, &other.Side)
	i.Matrix = swapMatrix(other.Matrix)
	s := &other.SwapSet
	i.Swaps = []swapRow{
		{
			Label:   "Swapped in",
			Hint:    "approved only by this version",
			Count:   s.ChallengerOnly,
			BadRate: shareText(s.SwapIn.Rate),
		},
		{
			Label:   "Swapped out",
			Hint:    "approved only by the active version",
			Count:   s.ChampionOnly,
			BadRate: shareText(s.SwapOut.Rate),
		},
		{"Both approve", "", s.BothApprove, shareText(s.Both.Rate)},
		{"Neither approves", "", s.BothDecline, ""},
	}
	i.Changes = changeRows(other)
}

// swapMatrix returns the chart that shows how many applicants move from each status to each
// other status.
func swapMatrix(m backtest.Matrix) chart.Matrix {
	names := []string{"Approved", "Referred", "Declined"} // in the order of the matrix
	return chart.Matrix{
		Head: chart.Head{
			ID: "swap", Title: "Who moves where",
			Description: "Rows show the status with the active version, columns the status with this version. " +
				"Teal means more lenient, orange means stricter.",
		},
		RowTitle:    "Active",
		ColumnTitle: "This version",
		Rows:        names,
		Columns:     names,
		Cells:       chart.TransitionCells(m),
	}
}

// changeRows returns the changes between the versions, each with the number of applicants it
// moved.
func changeRows(challenger *backtest.Challenger) []changeRow {
	rows := make([]changeRow, len(challenger.Changes))
	for i, ch := range challenger.Changes {
		in, out := challenger.SwapIn.ByChange[i], challenger.SwapOut.ByChange[i]
		rows[i] = changeRow{
			Section:   words(ch.Section),
			ID:        ch.ID,
			Before:    changeWords(ch.Section, ch.Before),
			After:     changeWords(ch.Section, ch.After),
			In:        in.Alone,
			Out:       out.Alone,
			NeededIn:  in.Needed,
			NeededOut: out.Needed,
		}
	}

	// List the changes that moved somebody first; otherwise keep the order of the policy.
	slices.SortStableFunc(rows, func(a, b changeRow) int {
		switch {
		case a.Moved() == b.Moved():
			return 0
		case a.Moved():
			return -1
		}
		return 1
	})
	return rows
}

// changeWords writes one side of a change with the units of its amounts and shares. A factor's text begins with the
// name of its field, followed by the bins.
func changeWords(section, text string) string {
	switch section {
	case "limit_step":
		step, err := rupees(text)
		if err == nil && text != "" {
			return step
		}
	case sectionFactors:
		parts := strings.Split(text, "; ")
		name, _, _ := strings.Cut(parts[0], " ")
		for i := 1; i < len(parts); i++ {
			values, points, _ := strings.Cut(parts[i], ": ")
			parts[i] = amountsOf(name, values) + ": " + points
		}
		text = strings.Join(parts, "; ")
	}
	return lenderText(text)
}

// Moved reports whether the change moved anybody.
func (r changeRow) Moved() bool { return r.In+r.Out+r.NeededIn+r.NeededOut > 0 }
