package console

import (
	"fmt"
	"html/template"
	"io"
	"net/http"
	"time"

	"verdict/internal/backtest"
	"verdict/internal/fault"
	"verdict/internal/study"
	"verdict/internal/tenant"
)

// backtestPages serves the backtests: the list, a new run (on a file, a synthetic book or
// stored decisions), one run with its report and its rows, and the comparison of two runs.
type backtestPages struct {
	runs     *study.Backtests
	versions policyVersions
	people   directory
	now      func() time.Time
}

func (p *backtestPages) routes() []page {
	return []page{
		{pattern: "GET /console/{env}/backtests", handle: p.backtests, scope: tenant.Read},
		{pattern: "GET /console/{env}/backtests/new", handle: p.backtestForm, scope: tenant.Decide},
		{pattern: "GET /console/{env}/backtests/template.csv", handle: p.backtestTemplate, scope: tenant.Decide},
		{pattern: "POST /console/{env}/backtests/file", handle: p.uploadBacktest, scope: tenant.Decide, upload: true},
		{pattern: "POST /console/{env}/backtests/synthetic", handle: p.runSynthetic, scope: tenant.Decide},
		{pattern: "POST /console/{env}/backtests/decisions", handle: p.runReplay, scope: tenant.Decide},
		{pattern: "GET /console/{env}/backtests/compare", handle: p.compareBacktests, scope: tenant.Read},
		{pattern: "GET /console/{env}/backtests/{id}", handle: p.backtest, scope: tenant.Read},
		{pattern: "POST /console/{env}/backtests/{id}/cancel", handle: p.cancelBacktest, scope: tenant.Decide},
		{pattern: "GET /console/{env}/backtests/{id}/report.html", handle: p.backtestReport, scope: tenant.Read},
		{
			pattern: "GET /console/{env}/backtests/{id}/rows.csv",
			handle:  p.backtestRows,
			scope:   tenant.Read,
			export:  true,
		},
	}
}

// backtestSources holds the names of the sources of rows.
var backtestSources = map[string]string{
	"rows":      "Rows in a request",
	"csv":       "A CSV file",
	"synthetic": "A synthetic book",
	"decisions": "Stored decisions",
}

// backtestRow is a run with the texts that the pages show.
type backtestRow struct {
	study.Backtest
	From                 string
	Champion, Challenger policyName
	By                   string
}

// Done returns the number of processed rows, for a progress bar, or -1 while the total is
// unknown.
func (b backtestRow) Done() int64 {
	if b.Rows == 0 {
		return -1
	}
	return b.RowsDone
}

// Took returns how long the run took, or "" while it has not finished.
func (b backtestRow) Took() string { return took(b.StartedMicros, b.FinishedMicros) }

// took returns the time from the start to the end of a run as a text, or "" if the run has not ended yet.
func took(startedMicros, finishedMicros int64) string {
	if startedMicros == 0 || finishedMicros <= startedMicros {
		return ""
	}

	lasted := time.Duration(finishedMicros-startedMicros) * time.Microsecond
	if lasted < time.Second {
		return fmt.Sprintf("%d ms", lasted.Milliseconds())
	}

	return lasted.Round(100 * time.Millisecond).String()
}

// backtestRowsOf adds the names of policies and people to runs.
func (p *backtestPages) backtestRowsOf(v *visit, runs ...study.Backtest) ([]backtestRow, error) {
	policies, _, err := p.versions.names(v)
	if err != nil {
		return nil, err
	}

	people, err := p.people.names(v)
	if err != nil {
		return nil, err
	}

	named := func(id string) policyName {
		if name, known := policies[id]; known {
			return name
		}
		return policyName{ID: id, Name: short(id)}
	}
	rows := make([]backtestRow, len(runs))
	for i, r := range runs {
		rows[i] = backtestRow{
			Backtest: r,
			From:     backtestSources[r.Source],
			Champion: named(r.RuleSetID),
			By:       people[r.CreatedBy],
		}
		if r.ChallengerID != "" {
			rows[i].Challenger = named(r.ChallengerID)
		}
	}

	return rows, nil
}

func (p *backtestPages) backtests(v *visit) error {
	list, filters := v.listing(), v.filters()
	page, err := p.runs.List(v.ctx, v.caller(), filters.Value("status"), list)
	if err != nil {
		return err
	}

	rows, err := p.backtestRowsOf(v, page.Data...)
	if err != nil {
		return err
	}

	return v.render("backtests", "Backtests", struct {
		Filters *form
		States  []option
		Rows    []backtestRow
		Pager   pager
	}{
		Filters: filters,
		States:  stateOptions(study.BacktestStates()),
		Rows:    rows,
		Pager:   v.pager(page.NextCursor),
	})
}

// stateOptions returns the choices of a filter by state, with "Any" first.
func stateOptions(states []string) []option {
	list := []option{{Value: "", Label: "Any"}}
	for _, s := range states {
		list = append(list, option{Value: s, Label: sentenceCase(words(s))})
	}
	return list
}

func sentenceCase(text string) string {
	if text != "" && text[0] >= 'a' && text[0] <= 'z' {
		return string(text[0]-'a'+'A') + text[1:]
	}
	return text
}

// backtest renders one run: its progress and, once it has succeeded, its report.
func (p *backtestPages) backtest(v *visit) error {
	run, err := p.runs.Get(v.ctx, v.caller(), v.id("id"))
	if err != nil {
		return err
	}

	rows, err := p.backtestRowsOf(v, run)
	if err != nil {
		return err
	}

	data := struct {
		Run     backtestRow
		Over    bool
		Body    template.HTML
		Expired bool             // the rows were deleted, so the charts cannot be rendered
		Report  *backtest.Report // nil until the run has succeeded
	}{Run: rows[0], Over: run.Over()}
	if len(run.Report) > 0 {
		if data.Report, err = run.Figures(); err != nil {
			return err
		}
		data.Body, err = p.runs.Body(v.ctx, v.caller(), run.ID)
		if data.Expired = fault.CodeOf(err) == fault.CodeBacktestExpired; err != nil && !data.Expired {
			return err
		}
	}

	return v.render("backtest", "Backtest", data)
}

func (p *backtestPages) cancelBacktest(v *visit) error {
	if _, err := p.runs.Cancel(v.ctx, v.caller(), v.id("id"), nil); err != nil {
		return v.redraw(err, p.backtest)
	}
	return v.done("The backtest was cancelled. It is not billed.", "/backtests/"+v.id("id"))
}

// backtestReport sends the report as an HTML file to download. The file has its own
// Content-Security-Policy. If the console showed it inline, the console's policy would block
// its styles.
func (p *backtestPages) backtestReport(v *visit) error {
	report, err := p.runs.Page(v.ctx, v.caller(), v.id("id"))
	if err != nil {
		return err
	}

	attach(v.w.Header(), "text/html; charset=utf-8", v.id("id")+".html")
	v.send(http.StatusOK, report)
	return nil
}

// backtestRows sends the decisions of all rows, or only of the swapped rows. The rows are
// decided again. Sending the whole file has no time limit, but each chunk has a deadline.
func (p *backtestPages) backtestRows(v *visit) error {
	swapped := v.query("swapped") == "1"
	name := v.id("id") + "-rows.csv"
	if swapped {
		name = v.id("id") + "-swapped.csv"
	}

	return v.export(name, func(out io.Writer, pause func()) error {
		return p.runs.Rows(v.resources.Slot.Extend(v.r.Context()), v.caller(), v.id("id"), swapped, out, pause)
	})
}
