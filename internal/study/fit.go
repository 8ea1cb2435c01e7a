package study

import (
	"context"
	"io"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/training"
	"verdict/internal/wire"
)

// Fit makes a scorecard from the rows of a request and answers with
// it and the report of its training; with save it is stored too, as a created
// one is.
func (s *Fitting) Fit(ctx context.Context, p tenant.Principal, body wire.Value, o *operation.Once) (operation.Answer, error) {
	return s.fitFrom(ctx, p, body, nil, o)
}

// FitFile is like Fit, but reads the rows from a CSV file instead of the body.
func (s *Fitting) FitFile(
	ctx context.Context, p tenant.Principal, body wire.Value, file string,
) (operation.Answer, error) {
	return s.fitFrom(ctx, p, body, &file, nil)
}

func (s *Fitting) fitFrom(
	ctx context.Context, p tenant.Principal, body wire.Value, file *string, o *operation.Once,
) (operation.Answer, error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return operation.Answer{}, err
	}
	ask, err := readFit(body, file)
	if err != nil {
		return operation.Answer{}, err
	}
	scope := s.core.Scope(p)
	return s.core.Once(ctx, scope, o, func(keep operation.Keep) (operation.Answer, error) {
		result, err := s.fit(ctx, p, ask)
		if err != nil {
			return operation.Answer{}, err
		}
		if ask.save {
			insert := s.desk.InsertScorecard(p, result.Card)
			return s.core.Commit(ctx, scope, keep, func(tx *store.Tx) (operation.Answer, error) {
				stored, err := insert(tx)
				if err != nil {
					return operation.Answer{}, err
				}
				return fitted(result, operation.StatusCreated, stored.Write), nil
			})
		}
		answer := fitted(result, operation.StatusOK, func(w *wire.Writer) { w.Raw(result.Card.Document()) })
		if record := keep(answer); record != nil {
			return answer, scope.Write(ctx, func(tx *store.Tx) error { return tx.Answers().Insert(*record) })
		}
		return answer, nil
	})
}

// fitAsk is a request to fit a scorecard.
type fitAsk struct {
	options training.Options
	rows    string // as CSV
	save    bool
}

func readFit(body wire.Value, file *string) (*fitAsk, error) {
	var faults fault.List
	form := wire.NewForm(body, &faults)
	f := &form
	if body.Kind() != wire.Object {
		return nil, faults.Err()
	}
	ask := &fitAsk{options: training.ReadOptions(f), save: f.Bool("save", false)}
	text, rows := f.Get("csv"), f.Get("rows")
	switch {
	case file != nil:
		ask.rows = *file
	case text.Given() && rows.Given():
		f.Fail("csv", fault.CodeInvalidField, "give either csv or rows")
	case rows.Given():
		var err error
		if ask.rows, err = rowsAsCSV(rows, &faults); err != nil {
			return nil, err
		}
	case text.Kind() == wire.String:
		ask.rows = text.Text()
	case text.Given():
		f.Fail("csv", fault.CodeWrongType, "must be a text: rows as CSV with a header")
	default:
		f.Fail("csv", fault.CodeRequired, "is required, or rows: what to learn from")
	}
	if ask.save && strings.TrimSpace(ask.options.Name) == "" {
		f.Fail("name", fault.CodeRequired, "is required to save: a name people will recognise the scorecard by")
	}
	f.Done()
	return ask, faults.Err()
}

// Free returns the refusal that fitting would give now, before the rows are read
// in vain. It reserves nothing, so that a slow sender does not block others.
func (s *Fitting) Free(p tenant.Principal) error {
	if s.fitting.FullFor(p.TenantID) {
		return fittingBusy()
	}
	return nil
}

func fittingBusy() error {
	return fault.New(fault.Unavailable, fault.CodeFittingBusy, "another scorecard is being made; try again in a moment")
}

// maxFits is the number of scorecards that a node fits at a time: one for each of two
// tenants.
const maxFits = 2

// fit fits the scorecard. It uses a processor for seconds, so a second request of the
// tenant is refused meanwhile. It stops if the caller disconnects.
func (s *Fitting) fit(ctx context.Context, p tenant.Principal, ask *fitAsk) (*training.Result, error) {
	if !s.fitting.Take(p.TenantID, 1) {
		return nil, fittingBusy()
	}
	defer s.fitting.Give(p.TenantID, 1)
	open := func() (io.Reader, error) { return strings.NewReader(ask.rows), nil }
	options := ask.options
	options.Check = operation.Checking(ctx)
	made, err := training.Fit(open, options, func(training.Stage) error { return ctx.Err() })
	return made, asFields(err)
}

// fitted returns the answer to a request to fit.
func fitted(r *training.Result, status int, card func(*wire.Writer)) operation.Answer {
	var w wire.Writer
	w.Object().Key("scorecard")
	card(&w)
	w.Key("inputs")
	r.WriteInputs(&w)
	w.Key("report")
	r.Report.Write(&w)
	w.EndObject()
	return operation.Answer{Status: status, Body: w.Buf}
}
