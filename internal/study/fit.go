package study

import (
	"context"
	"io"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/training"
)

// FitRequest is a request to fit a scorecard.
type FitRequest struct {
	Options training.Options
	Rows    string // CSV with a header
	Save    bool   // store the scorecard
}

// Check adds to faults every fault of the request that can be found without reading
// the rows.
func (r *FitRequest) Check(faults *fault.List) {
	if r.Save && strings.TrimSpace(r.Options.Name) == "" {
		faults.Check("").Fail("name", fault.CodeRequired,
			"is required to save: a name people will recognise the scorecard by")
	}
}

// Fitted is a scorecard that was fitted to rows, with the report of its training.
type Fitted struct {
	*training.Result
	Saved *policydesk.Scorecard // nil unless the scorecard was stored
}

// Fit fits a scorecard to rows. If Save is set, it also stores the scorecard, like
// CreateScorecard.
func (s *Fitting) Fit(
	ctx context.Context, p tenant.Principal, r FitRequest, reply *operation.Reply[Fitted],
) (Fitted, error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return Fitted{}, err
	}
	var faults fault.List
	r.Check(&faults)
	if err := faults.Err(); err != nil {
		return Fitted{}, err
	}
	scope := s.core.Scope(p)
	return operation.WriteInSteps(ctx, s.core, scope, reply, func(commit operation.Commit[Fitted]) (Fitted, error) {
		result, err := s.fit(ctx, p, &r)
		if err != nil {
			return Fitted{}, err
		}
		fitted := Fitted{Result: result}
		if r.Save {
			card := s.desk.NewScorecard(p, result.Card)
			return commit(ctx, func(tx *store.Tx) (Fitted, error) {
				saved, err := card.Store(tx)
				fitted.Saved = &saved
				return fitted, err
			})
		}
		if reply == nil || reply.Idempotency == nil {
			return fitted, nil // there is nothing to store
		}
		return commit(ctx, func(*store.Tx) (Fitted, error) { return fitted, nil })
	})
}

// Free returns fitting_busy if fitting would be refused now, so that the caller need
// not read the rows first. It reserves nothing, so that a slow client does not block
// others.
func (s *Fitting) Free(p tenant.Principal) error {
	if s.fitting.FullFor(p.TenantID) {
		return fittingBusy()
	}
	return nil
}

func fittingBusy() error {
	return fault.New(fault.Unavailable, fault.CodeFittingBusy,
		"another scorecard is being fitted; try again in a moment")
}

// maxFits is the number of scorecards that a node fits at the same time, each for
// a different tenant.
const maxFits = 2

// fit fits the scorecard. Fitting uses a processor for seconds, so another request of
// the same tenant is refused in the meantime. fit stops if the client disconnects.
func (s *Fitting) fit(ctx context.Context, p tenant.Principal, r *FitRequest) (*training.Result, error) {
	if !s.fitting.Take(p.TenantID, 1) {
		return nil, fittingBusy()
	}
	defer s.fitting.Give(p.TenantID, 1)
	open := func() (io.Reader, error) { return strings.NewReader(r.Rows), nil }
	options := r.Options
	options.Check = operation.Checking(ctx)
	made, err := training.Fit(open, options, func(training.Stage) error { return ctx.Err() })
	return made, asFields(err)
}
