package console

import (
	"html/template"
	"net/url"
	"slices"
	"strings"

	"verdict/internal/backtest"
	"verdict/internal/civil"
	"verdict/internal/document"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/study"
)

// The values of the query parameter "from", which names the source of the rows.
const (
	fromFile      = "file"
	fromSynthetic = "synthetic"
	fromDecisions = "decisions"
)

// backtestForm renders the form for a new backtest, for the chosen source of rows.
func (p *backtestPages) backtestForm(v *visit) error {
	from := v.query("from")
	if !slices.Contains([]string{fromFile, fromSynthetic, fromDecisions}, from) {
		from = fromFile
	}
	return p.drawBacktestForm(v, from)
}

func (p *backtestPages) drawBacktestForm(v *visit, from string) error {
	_, policies, err := p.versions.names(v)
	if err != nil {
		return err
	}

	runs, err := p.runs.List(v.ctx, v.caller(), "succeeded", operation.List{Limit: perPage})
	if err != nil {
		return err
	}

	champions := []option{{Value: "", Label: "The active policy"}}
	challengers := []option{{Value: "", Label: "None"}}
	for _, policy := range policies {
		label := policy.Name + " (" + policy.Status + ")"
		champion, challenger := policy.ID == v.query("champion"), policy.ID == v.query("challenger")
		champions = append(champions, option{Value: policy.ID, Label: label, Chosen: champion})
		challengers = append(challengers, option{Value: policy.ID, Label: label, Chosen: challenger})
	}

	references := []option{{Value: "", Label: "None"}}
	for _, r := range runs.Data {
		when, err := instant(r.CreatedMicros)
		if err != nil {
			return err
		}
		label := when + ", " + strings.ToLower(backtestSources[r.Source])
		references = append(references, option{Value: r.ID, Label: label})
	}

	return v.render("backtest_new", "New backtest", struct {
		From                               string
		Chosen                             template.URL // query that keeps the chosen versions when the source changes
		Champions, Challengers, References []option
		Columns                            []string // names to which the columns of a file can be mapped
		Today                              string
		MonthAgo                           string
	}{
		From:        from,
		Chosen:      chosenVersions(v),
		Champions:   champions,
		Challengers: challengers,
		References:  references,
		Columns:     columnNames(),
		Today:       p.now().In(civil.India).Format("2006-01-02"),
		MonthAgo:    p.now().In(civil.India).AddDate(0, -1, 0).Format("2006-01-02"),
	})
}

// chosenVersions returns the versions that the form's address names, as query parameters for another address.
func chosenVersions(v *visit) template.URL {
	text := ""
	for _, name := range []string{"champion", "challenger"} {
		if id := v.query(name); id != "" {
			text += "&" + name + "=" + url.QueryEscape(id)
		}
	}
	return template.URL(text) //nolint:gosec // only names of this file and escaped values
}

// optionFields lists the fields that the forms of all sources have.
var optionFields = []string{"rule_set_id", "challenger_rule_set_id", "lgd", "funding_rate"}

// options reads the policies and the assumptions of a run.
func (f *form) options(faults *fault.List) study.BacktestRequest {
	r, err := document.ReadBacktestFields(f.filled(optionFields...))
	refusal := fault.Of(err)
	switch {
	case refusal != nil && len(refusal.Items) > 0:
		operation.AddAll(faults, refusal.Items)
	case err != nil:
		faults.Add("", fault.CodeInvalidField, "the form cannot be read")
	}
	return r
}

// runSynthetic runs the policies on a synthetic book of applicants.
func (p *backtestPages) runSynthetic(v *visit) error {
	var faults fault.List
	r := v.form.options(&faults)
	book := study.DefaultBook()
	most := int(p.runs.MaxRows())
	book.Rows = int64(wholeNumber(&faults, "/n", v.form.Value("n"), int(book.Rows), 1, most))
	book.Seed = uint64(wholeNumber(&faults, "/seed", v.form.Value("seed"), int(book.Seed), 0, study.MaxSeed))
	book.Months = wholeNumber(&faults, "/months", v.form.Value("months"), 0, backtest.MinMonths, backtest.MaxMonths)
	book.BadRate = numberBetween(&faults, "/bad_rate", v.form.Value("bad_rate"),
		backtest.MinBadRate, backtest.MaxBadRate)
	r.Book = &book
	return p.runBacktest(v, fromSynthetic, r, faults.Err())
}

// runReplay runs the policies on stored decisions.
func (p *backtestPages) runReplay(v *visit) error {
	var faults fault.List
	r := v.form.options(&faults)
	r.Replay = &study.Replay{
		From:      day(&faults, "/from", v.form.Value("from")),
		To:        day(&faults, "/to", v.form.Value("to")),
		PolicyKey: v.form.Value("policy_key"),
		Status:    v.form.Value("status"),
	}
	if !r.Replay.To.IsZero() { // include the chosen last day
		r.Replay.To = r.Replay.To.AddDate(0, 0, 1)
	}
	return p.runBacktest(v, fromDecisions, r, faults.Err())
}

// runBacktest starts a backtest, unless its form had faults.
func (p *backtestPages) runBacktest(v *visit, from string, r study.BacktestRequest, faults error) error {
	run, err := study.Backtest{}, faults
	if err == nil {
		run, err = p.runs.Run(v.ctx, v.caller(), r, nil)
	}
	if err != nil {
		draw := func(v *visit) error { return p.drawBacktestForm(v, from) }
		return v.redraw(missingField(trimPointer(err, "/"+from)), draw)
	}

	return v.leaveFor("/backtests/" + run.ID)
}

// trimPointer removes the name of the object from the pointers of faults, so that the form shows
// each fault beside the field of the same name.
func trimPointer(err error, object string) error {
	return mapPointers(err, func(pointer string) string {
		if rest, inside := strings.CutPrefix(pointer, object+"/"); inside {
			return "/" + rest
		}
		return pointer
	})
}

// missingField converts the refusal of an unknown id into a fault of the form, so that the form is
// shown again instead of an error page.
func missingField(err error) error {
	refusal := fault.Of(err)
	if refusal == nil || refusal.Kind != fault.NotFound || len(refusal.Items) == 0 {
		return err
	}

	at := *refusal
	at.Kind = fault.Invalid
	return &at
}

// mapPointers returns a copy of err in which the given function has converted the pointer of each fault.
func mapPointers(err error, to func(pointer string) string) error {
	return fault.MapItems(err, func(item fault.Item) fault.Item {
		item.Pointer = to(item.Pointer)
		return item
	})
}
