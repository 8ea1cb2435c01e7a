package console

import (
	"context"
	"errors"
	"net/http"
	"time"

	"verdict/internal/chart"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/study"
	"verdict/internal/wire"
)

// The largest file that a scorecard is fitted to here, how long it may take to
// arrive, since it is held in memory, and how long the fitting may take. What is
// larger is sent to the API.
const (
	maxFitFile     = 64 << 20
	longestFitFile = 5 * time.Minute
	longestFit     = 3 * time.Minute
	fitPatience    = longestFit + pagePatience
)

func (p *scorecardPages) fitForm(v *visit) error {
	return v.render("scorecard_fit", "Fit a scorecard", nil)
}

// fitFields are the fields of the form, each written as its kind.
var fitFields = []struct {
	name  string
	write func(*wire.Writer, string)
}{
	{"name", writeText}, {"target", writeText}, {"split_column", writeText}, {"split_value", writeText},
	{"bad_values", study.WriteTexts}, {"good_values", study.WriteTexts},
	{"indeterminate_values", study.WriteTexts}, {"weight", writeText}, {"include", study.WriteTexts},
	{"special_values", study.WriteNumbers},
	{"exclude", study.WriteTexts}, {"categorical", study.WriteTexts}, {"foir_unit", writeText},
	{"missing_values", study.WriteTexts},
	{"map", study.WriteColumnMap}, {"save", func(w *wire.Writer, _ string) { w.Bool(true) }},
	{"max_bins", study.WriteNumber}, {"max_features", study.WriteNumber}, {"holdout_share", study.WriteNumber},
	{"pdo", study.WriteNumber}, {"anchor_score", study.WriteNumber}, {"anchor_odds", study.WriteNumber},
}

func writeText(w *wire.Writer, text string) { w.String(text) }

// fitScorecard learns a scorecard from a file, and shows how it was learnt. It
// is kept when that was asked for.
func (p *scorecardPages) fitScorecard(v *visit) error {
	ctx, cancel := context.WithTimeout(v.r.Context(), longestFitFile+longestFit)
	defer cancel()
	v.ctx = ctx
	body := newUpload(v, longestFitFile)
	answer, err := p.fitUpload(v, body)
	if err != nil {
		v.drain(body)
		body.rest()
		return v.again(atFile(err), p.fitForm)
	}

	fitted, err := wire.Parse(answer.Body)
	if err != nil {
		return err
	}

	return v.render("scorecard_fitted", "A fitted scorecard", struct {
		Card     wire.Value
		Factors  []cardFactor
		Report   wire.Value
		Features chart.Bars
	}{
		Card:     fitted.Get("scorecard"),
		Factors:  cardFactors(fitted.Get("scorecard")),
		Report:   fitted.Get("report"),
		Features: featureBars(fitted.Get("report")),
	})
}

// fitUpload fits to the file of a form. The file is not read when it could not
// be used.
func (p *scorecardPages) fitUpload(v *visit, body *upload) (operation.Answer, error) {
	var known []string
	for _, f := range fitFields {
		known = append(known, f.name)
	}

	file, err := body.fields(known)
	if err != nil {
		return operation.Answer{}, err
	}
	if err := p.fitting.Free(v.caller()); err != nil {
		return operation.Answer{}, err
	}

	options, err := fitOptions(v.form)
	if err != nil {
		return operation.Answer{}, err
	}

	rows, err := v.readFile(file, maxFitFile, fitTooLarge())
	if err != nil {
		return operation.Answer{}, err
	}

	// If the deadline cannot be set, the server's default applies.
	_ = http.NewResponseController(v.w).SetWriteDeadline(time.Now().Add(fitPatience))
	ctx, cancel := context.WithTimeout(v.ctx, longestFit)
	defer cancel()
	ctx, v.slot = p.processors.Enter(ctx, v.owner())
	return p.fitting.FitFile(ctx, v.caller(), options, rows)
}

func fitTooLarge() error {
	var faults fault.List
	faults.Add("/file", fault.CodeOutOfRange, "must have at most %d MiB; use the API for a larger file", maxFitFile>>20)
	return faults.Err()
}

// fitOptions is what a request to the API would say beside its rows.
func fitOptions(f *form) (wire.Value, error) {
	var w wire.Writer
	w.Object()
	for _, field := range fitFields {
		if text := f.Value(field.name); text != "" {
			field.write(w.Key(field.name), text)
		}
	}

	w.EndObject()
	return wire.Parse(w.Buf)
}

// atFile lets what is wrong with the rows be shown beside the file.
func atFile(err error) error {
	var refusal *fault.Error
	if errors.As(err, &refusal) && refusal.Code == fault.CodeFittingBusy {
		busy := *refusal
		busy.Kind = fault.Conflict // the form is shown again, with all that was typed
		return &busy
	}
	return pointed(err, func(pointer string) string {
		if pointer == "/csv" || fieldOf(pointer) == "csv" {
			return "/file"
		}
		return pointer
	})
}

// featureBars draws how much each feature tells.
func featureBars(report wire.Value) chart.Bars {
	c := chart.Bars{
		Head: chart.Head{
			ID:    "features",
			Title: "Information value of the features",
			Description: "Information value: below 0.02 is very weak, above 0.3 strong, " +
				"above 0.5 suspiciously strong.",
		},
		Of: "Feature", Unit: chart.Ratio,
	}
	for _, f := range report.Get("features").Elements() {
		iv, ok := float(f.Get("iv"))
		if ok {
			c.Rows = append(c.Rows, chart.Bar{Label: f.Get("column").Text(), Values: []float64{iv}})
		}
	}
	return c
}
