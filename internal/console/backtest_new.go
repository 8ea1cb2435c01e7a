package console

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/study"
	"verdict/internal/wire"
)

// Where the rows of a new backtest come from, as the address says it.
const (
	fromFile      = "file"
	fromSynthetic = "synthetic"
	fromDecisions = "decisions"
)

// backtestForm is the page of a new backtest: one form, of where the rows are.
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
		Champions, Challengers, References []option
		Today                              string
		MonthAgo                           string
	}{
		From:        from,
		Champions:   champions,
		Challengers: challengers,
		References:  references,
		Today:       p.now().In(civil.India).Format("2006-01-02"),
		MonthAgo:    p.now().In(civil.India).AddDate(0, -1, 0).Format("2006-01-02"),
	})
}

// policyFields are the members that name the two policies of a run.
var policyFields = []string{"rule_set_id", "challenger_rule_set_id"}

// runSynthetic runs the policies over a book of invented applicants.
func (p *backtestPages) runSynthetic(v *visit) error {
	var w wire.Writer
	v.form.openOptions(&w)
	w.Key("synthetic").Object()
	for _, name := range []string{"n", "seed", "months", "bad_rate"} {
		if text := v.form.Value(name); text != "" {
			study.WriteNumber(w.Key(name), text)
		}
	}

	w.EndObject().EndObject()
	return p.runBacktest(v, fromSynthetic, w.Buf)
}

// runReplay runs the policies over decisions that were made.
func (p *backtestPages) runReplay(v *visit) error {
	var faults fault.List
	from, to := day(&faults, "/from", v.form.Value("from")), day(&faults, "/to", v.form.Value("to"))
	draw := func(v *visit) error { return p.drawBacktestForm(v, fromDecisions) }
	if err := faults.Err(); err != nil {
		return v.again(err, draw)
	}

	var w wire.Writer
	v.form.openOptions(&w)
	w.Key("decisions").Object()
	if !from.IsZero() {
		w.Key("from").String(from.UTC().Format("2006-01-02T15:04:05Z"))
	}
	if !to.IsZero() { // the day that is named is the last of them
		w.Key("to").String(to.AddDate(0, 0, 1).UTC().Format("2006-01-02T15:04:05Z"))
	}

	for _, name := range []string{"policy_key", "status"} {
		if text := v.form.Value(name); text != "" {
			w.Key(name).String(text)
		}
	}

	w.EndObject().EndObject()
	return p.runBacktest(v, fromDecisions, w.Buf)
}

// openOptions begins the body of a run with what all of them have.
func (f *form) openOptions(w *wire.Writer) {
	w.Object()
	for _, name := range policyFields {
		if text := f.Value(name); text != "" {
			w.Key(name).String(text)
		}
	}
	for _, name := range []string{"lgd", "funding_rate"} {
		if text := f.Value(name); text != "" {
			study.WriteNumber(w.Key(name), text)
		}
	}
}

func (p *backtestPages) runBacktest(v *visit, from string, body []byte) error {
	options, err := wire.Parse(body)
	var run study.Backtest
	if err == nil {
		run, err = p.runs.Run(v.ctx, v.caller(), study.BacktestRequest{Options: options}, nil)
	}
	if err != nil {
		draw := func(v *visit) error { return p.drawBacktestForm(v, from) }
		return v.again(missingField(beneath(err, "/"+from)), draw)
	}

	return p.toBacktest(v, run)
}

// toBacktest leads to a run.
func (p *backtestPages) toBacktest(v *visit, run study.Backtest) error {
	at := "/backtests/" + run.ID
	if v.r.Header.Get(sentByScript) != "" {
		v.w.Header().Set("Location", v.at(at))
		v.w.WriteHeader(http.StatusCreated)
		return nil
	}

	return v.see(v.at(at))
}

// beneath lets the faults of an object's members be shown beside the fields of
// the same names.
func beneath(err error, object string) error {
	return pointed(err, func(pointer string) string {
		if rest, inside := strings.CutPrefix(pointer, object+"/"); inside {
			return "/" + rest
		}
		return pointer
	})
}

// missingField makes a fault of the form of a thing that a field names and that
// is not there, so that the page is drawn again instead of none.
func missingField(err error) error {
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Kind != fault.NotFound || len(refusal.Items) == 0 {
		return err
	}

	at := *refusal
	at.Kind = fault.Invalid
	return &at
}

// pointed lets the faults of a refusal point elsewhere.
func pointed(err error, to func(pointer string) string) error {
	return fault.Retold(err, func(item fault.Item) fault.Item {
		item.Pointer = to(item.Pointer)
		return item
	})
}
