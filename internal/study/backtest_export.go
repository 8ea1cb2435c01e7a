package study

import (
	"bytes"
	"context"
	"html/template"
	"io"

	"verdict/internal/backtest"
	"verdict/internal/backtest/page"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/sheet"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Rows writes the decision on each row as CSV. If swapped is set, it writes only the
// rows that one policy approves and the other does not. It runs the rows again, in
// order. Before it writes the first byte, it refuses a run that does not exist, has not
// succeeded or was purged, or whose uploaded rows were deleted. Rows calls pause after each chunk.
func (s *Backtests) Rows(
	ctx context.Context, p tenant.Principal, id string, swapped bool, w io.Writer, pause func(),
) error {
	scope := s.core.Scope(p)
	job, record, err := s.finished(ctx, p, scope, id)
	if err != nil {
		return err
	}
	if swapped && record.ChallengerID == "" {
		return operation.Invalid("?swapped", fault.CodeInvalidField,
			"the backtest had no challenger, so no row is swapped")
	}
	out, worker := sheet.NewWriter(w), job.run.NewWorker()
	worker.WriteRows(out, swapped)
	var n int64
	err = scope.Backtests(ctx).WalkInputs(id, func(c store.BacktestChunk) error {
		if n++; c.Number != n {
			return expired()
		}
		piece, err := job.pieceOf(ctx, scope, c)
		if err != nil {
			return err
		}
		if n == 1 {
			job.run.WriteRowsHeader(out)
		}
		if err := job.perform(ctx, scope, piece, worker, &bookTally{}); err != nil {
			return err
		}
		worker.Take()
		pause()
		return out.Flush()
	})
	if err == nil && n != record.Chunks {
		err = expired()
	}
	return err
}

// Page returns the report of a run as a self-contained HTML page. It returns
// invalid_transition if the run has not succeeded, and backtest_expired if its rows
// were deleted.
func (s *Backtests) Page(ctx context.Context, p tenant.Principal, id string) ([]byte, error) {
	policy, report, err := s.report(ctx, p, id)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := page.Write(&out, policy, report); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Body returns the report of a run as HTML for the body of another page. That page
// supplies the styles.
func (s *Backtests) Body(ctx context.Context, p tenant.Principal, id string) (template.HTML, error) {
	_, report, err := s.report(ctx, p, id)
	if err != nil {
		return "", err
	}
	return page.Body(report)
}

// report computes the report of a run again, including the data for the charts. It
// also returns the name of the policy.
func (s *Backtests) report(ctx context.Context, p tenant.Principal, id string) (string, *backtest.Report, error) {
	scope := s.core.Scope(p)
	job, record, err := s.finished(ctx, p, scope, id)
	if err != nil {
		return "", nil, err
	}
	total, _, err := job.merged(ctx, scope, &record)
	if err != nil {
		return "", nil, err
	}
	return job.policy, job.made(total), nil
}

// finished loads a run that has a report and whose rows are still stored. It returns
// invalid_transition if the run has not succeeded, and backtest_expired if its rows
// were deleted.
func (s *Backtests) finished(
	ctx context.Context, p tenant.Principal, scope *store.Scope, id string,
) (*backtestRun, store.Backtest, error) {
	if err := p.Require(tenant.Read); err != nil {
		return nil, store.Backtest{}, err
	}
	record, err := s.find(ctx, scope, id)
	switch {
	case err != nil:
		return nil, record, err
	case record.Status != store.BacktestSucceeded:
		return nil, record, fault.New(fault.Conflict, fault.CodeInvalidTransition,
			"the backtest has no result; GET /v1/backtest/{id} shows its status")
	case record.Purged:
		return nil, record, expired()
	}
	job, err := s.runs.get(ctx, scope, id)
	return job, record, err
}
