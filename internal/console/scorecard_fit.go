package console

import (
	"context"
	"errors"
	"net/http"
	"time"

	"verdict/internal/chart"
	"verdict/internal/document"
	"verdict/internal/fault"
	"verdict/internal/study"
	"verdict/internal/training"
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

// fitScorecard learns a scorecard from a file, and shows how it was learnt. It
// is kept when that was asked for.
func (p *scorecardPages) fitScorecard(v *visit) error {
	ctx, cancel := context.WithTimeout(v.r.Context(), longestFitFile+longestFit)
	defer cancel()
	v.ctx = ctx
	body := newUpload(v, longestFitFile)
	fitted, err := p.fitUpload(v, body)
	if err != nil {
		v.drain(body)
		body.rest()
		return v.again(atFile(err), p.fitForm)
	}

	data := fittedCard{
		Name:     fitted.Card.Name,
		Base:     fitted.Card.Base.String(),
		Factors:  cardFactors(fitted.Card),
		Train:    measureOf(&fitted.Report.Train),
		Report:   fitted.Report,
		Features: featureBars(fitted.Report),
	}
	if fitted.Saved != nil {
		data.ID = fitted.Saved.ID
	}
	if fitted.Report.HasHoldOut {
		held := measureOf(&fitted.Report.HoldOut)
		data.HoldOut = &held
	}

	return v.render("scorecard_fitted", "A fitted scorecard", data)
}

// fittedCard is what the page shows of a fitted scorecard.
type fittedCard struct {
	ID       string // "" unless it was saved
	Name     string
	Base     string
	Factors  []cardFactor
	Train    fittedMeasure
	HoldOut  *fittedMeasure // nil if no rows were held out
	Report   *training.Report
	Features chart.Bars
}

// fittedMeasure is how well a card separates some rows, as it is written.
type fittedMeasure struct {
	Rows, Bad                   int64
	BadRate, AUC, Gini, KS, Avg string
}

func measureOf(m *training.Measure) fittedMeasure {
	text := func(x float64) string { return training.Rounded(x).String() }
	out := fittedMeasure{Rows: m.Rows, Bad: m.Bad, BadRate: text(m.BadRate), Avg: text(m.AverageScore)}
	if m.Measured {
		out.AUC, out.Gini, out.KS = text(m.AUC), text(m.Gini), text(m.KS)
	}
	return out
}

// fitUpload fits to the file of a form. The file is not read when it could not
// be used.
func (p *scorecardPages) fitUpload(v *visit, body *upload) (study.Fitted, error) {
	file, err := body.fields(document.FitFields())
	if err != nil {
		return study.Fitted{}, err
	}
	if err := p.fitting.Free(v.caller()); err != nil {
		return study.Fitted{}, err
	}

	request, err := document.ReadFitFields(v.form.filled(document.FitFields()...))
	if err != nil {
		return study.Fitted{}, err
	}

	request.Rows, err = v.readFile(file, maxFitFile, fitTooLarge())
	if err != nil {
		return study.Fitted{}, err
	}

	// If the deadline cannot be set, the server's default applies.
	_ = http.NewResponseController(v.w).SetWriteDeadline(time.Now().Add(fitPatience))
	ctx, cancel := context.WithTimeout(v.ctx, longestFit)
	defer cancel()
	ctx, v.slot = p.processors.Enter(ctx, v.owner())
	return p.fitting.Fit(ctx, v.caller(), request, nil)
}

func fitTooLarge() error {
	var faults fault.List
	faults.Add("/file", fault.CodeOutOfRange, "must have at most %d MiB; use the API for a larger file", maxFitFile>>20)
	return faults.Err()
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
func featureBars(report *training.Report) chart.Bars {
	c := chart.Bars{
		Head: chart.Head{
			ID:    "features",
			Title: "Information value of the features",
			Description: "Information value: below 0.02 is very weak, above 0.3 strong, " +
				"above 0.5 suspiciously strong.",
		},
		Of: "Feature", Unit: chart.Ratio,
	}
	for i := range report.Features {
		f := &report.Features[i]
		c.Rows = append(c.Rows, chart.Bar{Label: f.Column, Values: []float64{f.IV}})
	}
	return c
}
