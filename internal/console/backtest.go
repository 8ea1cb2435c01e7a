package console

import (
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"time"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/study"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

func (c *Console) backtestPages() []page {
	return []page{
		{pattern: "GET /console/{env}/backtests", handle: c.backtests, scope: tenant.Read},
		{pattern: "GET /console/{env}/backtests/new", handle: c.backtestForm, scope: tenant.Decide},
		{pattern: "POST /console/{env}/backtests/file", handle: c.uploadBacktest, scope: tenant.Decide, upload: true},
		{pattern: "POST /console/{env}/backtests/synthetic", handle: c.runSynthetic, scope: tenant.Decide},
		{pattern: "POST /console/{env}/backtests/decisions", handle: c.runReplay, scope: tenant.Decide},
		{pattern: "GET /console/{env}/backtests/compare", handle: c.compareBacktests, scope: tenant.Read},
		{pattern: "GET /console/{env}/backtests/{id}", handle: c.backtest, scope: tenant.Read},
		{pattern: "POST /console/{env}/backtests/{id}/cancel", handle: c.cancelBacktest, scope: tenant.Decide},
		{pattern: "GET /console/{env}/backtests/{id}/report.html", handle: c.backtestReport, scope: tenant.Read},
		{pattern: "GET /console/{env}/backtests/{id}/rows.csv", handle: c.backtestRows, scope: tenant.Read, export: true},
	}
}

// backtestSources are what the rows of a run can be, for people.
var backtestSources = map[string]string{
	"rows": "Rows in a request", "csv": "A CSV file", "synthetic": "A synthetic book", "decisions": "Stored decisions",
}

// backtestRow is a run as the pages show it.
type backtestRow struct {
	study.Backtest
	From                 string
	Champion, Challenger policyName
	By                   string
}

// Done is how much of the run is done, for a progress bar; -1 while nobody can
// say.
func (b backtestRow) Done() int64 {
	if b.Rows == 0 {
		return -1
	}
	return b.RowsDone
}

// Took is how long the run took, "" until it is over.
func (b backtestRow) Took() string {
	if b.StartedMicros == 0 || b.FinishedMicros <= b.StartedMicros {
		return ""
	}
	took := time.Duration(b.FinishedMicros-b.StartedMicros) * time.Microsecond
	if took < time.Second {
		return fmt.Sprintf("%d ms", took.Milliseconds())
	}
	return took.Round(100 * time.Millisecond).String()
}

// policyName is a rule set as it is called, which says more than its id.
type policyName struct{ ID, Name, Status string }

// policyNames are the newest rule sets, with the retired ones, by their ids and
// in their order.
func (c *Console) policyNames(v *visit) (map[string]policyName, []policyName, error) {
	page, err := c.service.Policies.RuleSets(v.ctx, v.caller(), policydesk.RuleSetFilter{}, operation.List{Limit: 2 * perPage})
	if err != nil {
		return nil, nil, err
	}
	names := map[string]policyName{}
	var list []policyName
	for _, r := range page.Data {
		name := policyName{r.ID, fmt.Sprintf("%s, version %d", r.Name, r.Version), r.Status}
		names[r.ID] = name
		list = append(list, name)
	}
	return names, list, nil
}

// backtestRowsOf puts names to the ids in runs.
func (c *Console) backtestRowsOf(v *visit, runs ...study.Backtest) ([]backtestRow, error) {
	policies, _, err := c.policyNames(v)
	if err != nil {
		return nil, err
	}
	people, err := c.names(v)
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
		rows[i] = backtestRow{Backtest: r, From: backtestSources[r.Source], Champion: named(r.RuleSetID), By: people[r.CreatedBy]}
		if r.ChallengerID != "" {
			rows[i].Challenger = named(r.ChallengerID)
		}
	}
	return rows, nil
}

func (c *Console) backtests(v *visit) error {
	list, filters := v.listing(), v.filters()
	page, err := c.service.Studies.Backtests(v.ctx, v.caller(), filters.Value("status"), list)
	if err != nil {
		return err
	}
	rows, err := c.backtestRowsOf(v, page.Data...)
	if err != nil {
		return err
	}
	return v.render("backtests", "Backtests", struct {
		Filters *form
		States  []option
		Rows    []backtestRow
		Pager   pager
	}{filters, stateOptions(study.BacktestStates()), rows, v.pager(page.NextCursor)})
}

// stateOptions are the choices of a filter: any, and each of the states.
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

// backtest is one run: how far it is, and when it is over what came of it.
func (c *Console) backtest(v *visit) error {
	run, err := c.service.Studies.Backtest(v.ctx, v.caller(), v.id("id"))
	if err != nil {
		return err
	}
	rows, err := c.backtestRowsOf(v, run)
	if err != nil {
		return err
	}
	data := struct {
		Run     backtestRow
		Over    bool
		Body    template.HTML
		Expired bool // the pictures cannot be drawn any more
		Report  wire.Value
	}{Run: rows[0], Over: run.Over()}
	if len(run.Report) > 0 {
		if data.Report, err = wire.Parse(run.Report); err != nil {
			return fmt.Errorf("read the report of %s: %w", run.ID, err)
		}
		data.Body, err = c.service.Studies.BacktestBody(v.ctx, v.caller(), run.ID)
		if data.Expired = hasCode(err, fault.CodeBacktestExpired); err != nil && !data.Expired {
			return err
		}
	}
	return v.render("backtest", "Backtest", data)
}

// hasCode reports whether an error is the refusal with a code.
func hasCode(err error, code string) bool {
	var refusal *fault.Error
	return errors.As(err, &refusal) && refusal.Code == code
}

func (c *Console) cancelBacktest(v *visit) error {
	if _, err := c.service.Studies.CancelBacktest(v.ctx, v.caller(), v.id("id"), nil); err != nil {
		return v.again(err, c.backtest)
	}
	return v.done("The backtest was cancelled. It is not billed.", "/backtests/"+v.id("id"))
}

// backtestReport is the report as a file that opens anywhere. It has a policy
// of its own inside; shown here, that of the console would leave it bare.
func (c *Console) backtestReport(v *visit) error {
	report, err := c.service.Studies.BacktestPage(v.ctx, v.caller(), v.id("id"))
	if err != nil {
		return err
	}
	v.attach("text/html; charset=utf-8", v.id("id")+".html")
	v.w.WriteHeader(http.StatusOK)
	v.send(report)
	return nil
}

// attach makes the answer a file to keep. The name is one of ours.
func (v *visit) attach(contentType, name string) {
	h := v.w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
}

// backtestRows sends what was decided of each row, or of the swapped ones. The
// rows are decided again, which takes as long as it takes; only a chunk must
// not.
func (c *Console) backtestRows(v *visit) error {
	swapped := v.query("swapped") == "1"
	name := v.id("id") + "-rows.csv"
	if swapped {
		name = v.id("id") + "-swapped.csv"
	}
	return v.export(name, func(out io.Writer, pause func()) error {
		return c.service.Studies.BacktestRows(v.r.Context(), v.caller(), v.id("id"), swapped, out, pause)
	})
}
