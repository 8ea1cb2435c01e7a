package console

import (
	"context"
	"net/http"
	"time"

	"verdict/internal/chart"
	"verdict/internal/document"
	"verdict/internal/fault"
	"verdict/internal/serving"
	"verdict/internal/study"
	"verdict/internal/training"
)

// These constants limit fitting from a page: the size of the file, which is held in memory, the
// time in which it must arrive, and the time that the fitting may take. Larger files need the
// API.
const (
	maxFitFile       = 64 << 20
	maxFitUploadTime = 5 * time.Minute
	maxFitTime       = 3 * time.Minute
	fitWriteTimeout  = maxFitTime + serving.PartTimeout
)

func (p *scorecardPages) fitForm(v *visit) error {
	return v.render("scorecard_fit", "Fit a scorecard", nil)
}

// fitScorecard fits a scorecard to a file and shows the result. The scorecard is saved only if
// the form asks for it.
func (p *scorecardPages) fitScorecard(v *visit) error {
	ctx, cancel := context.WithTimeout(v.r.Context(), maxFitUploadTime+maxFitTime)
	defer cancel()
	v.ctx = ctx
	body := newUpload(v, maxFitUploadTime)
	fitted, err := p.fitUpload(v, body)
	if err != nil {
		body.drain()
		body.StartAnswer()
		return v.redraw(atFile(err), p.fitForm)
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

// fittedCard is the data of the page about a fitted scorecard.
type fittedCard struct {
	ID       string // "" unless the card was saved
	Name     string
	Base     string
	Factors  []cardFactor
	Train    fittedMeasure
	HoldOut  *fittedMeasure // nil if no rows were held out
	Report   *training.Report
	Features chart.Bars
}

// fittedMeasure holds figures, as text, that show how well a card separates good from bad rows.
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

// fitUpload fits a scorecard to the file of a form. It checks all other fields before it reads
// the file.
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

	request.Rows, err = body.readFile(file, maxFitFile, fitTooLarge())
	if err != nil {
		return study.Fitted{}, err
	}

	// If the deadline cannot be set, the server's default applies.
	_ = http.NewResponseController(v.w).SetWriteDeadline(time.Now().Add(fitWriteTimeout))
	ctx, cancel := context.WithTimeout(v.ctx, maxFitTime)
	defer cancel()
	if ctx, err = v.resources.Compute(ctx); err != nil {
		return study.Fitted{}, err
	}
	return p.fitting.Fit(ctx, v.caller(), request, nil)
}

func fitTooLarge() error {
	var faults fault.List
	faults.Add("/file", fault.CodeOutOfRange, "must have at most %d MiB uncompressed; send a sample of the rows",
		maxFitFile>>20)
	return faults.Err()
}

// atFile changes the pointers of faults in rows to the file field. If another fitting is running,
// it makes redraw show the form again with the typed values.
func atFile(err error) error {
	if refusal := fault.Of(err); refusal != nil && refusal.Code == fault.CodeFittingBusy {
		busy := *refusal
		busy.Kind = fault.Conflict // makes redraw show the form again
		return &busy
	}
	return mapPointers(err, func(pointer string) string {
		if pointer == "/csv" || fieldOf(pointer) == "csv" {
			return "/file"
		}
		return pointer
	})
}

// featureBars returns the chart of the information values.
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
