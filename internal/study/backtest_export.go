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

// BacktestRows writes the decision on each row as CSV. If swapped is set, it writes only
// the rows that one policy approves and the other does not. It runs the rows again, in
// order. A refusal is returned before the first byte is written. BacktestRows calls
// pause between two chunks.
func (s *Service) BacktestRows(
	ctx context.Context, p tenant.Principal, id string, swapped bool, w io.Writer, pause func(),
) error {
	scope := s.core.Scope(p)
	job, record, err := s.finished(ctx, p, scope, id)
	if err != nil {
		return err
	}
	if swapped && record.ChallengerID == "" {
		return operation.Invalid("?swapped", fault.CodeInvalidField, "the backtest had no challenger, so no row is swapped")
	}
	out, worker := sheet.NewWriter(w), job.run.NewWorker()
	worker.WriteRows(out, swapped)
	var n int64
	err = scope.Backtests(ctx).WalkInputs(id, func(c store.BacktestChunk) error {
		if n++; c.Number != n {
			return expired()
		}
		if n == 1 {
			job.run.WriteRowsHeader(out)
		}
		piece, err := job.pieceOf(c)
		if err != nil {
			return err
		}
		if err := s.perform(ctx, scope, job, piece, worker, &bookTally{}); err != nil {
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

// BacktestPage returns the report of a run as a self-contained HTML page.
func (s *Service) BacktestPage(ctx context.Context, p tenant.Principal, id string) ([]byte, error) {
	policy, report, err := s.backtestReport(ctx, p, id)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := page.Write(&out, policy, report); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// BacktestBody returns the report of a run as HTML for the body of another page, which
// supplies the styles.
func (s *Service) BacktestBody(ctx context.Context, p tenant.Principal, id string) (template.HTML, error) {
	_, report, err := s.backtestReport(ctx, p, id)
	if err != nil {
		return "", err
	}
	return page.Body(report)
}

// backtestReport computes the report of a run again, with all data for the charts. It
// also returns the name of the policy.
func (s *Service) backtestReport(ctx context.Context, p tenant.Principal, id string) (string, *backtest.Report, error) {
	scope := s.core.Scope(p)
	job, record, err := s.finished(ctx, p, scope, id)
	if err != nil {
		return "", nil, err
	}
	total, _, err := s.merged(ctx, scope, job, &record)
	if err != nil {
		return "", nil, err
	}
	return job.policy, job.made(total), nil
}

// finished loads a run that has a report and whose rows are still kept.
func (s *Service) finished(
	ctx context.Context, p tenant.Principal, scope *store.Scope, id string,
) (*backtestRun, store.Backtest, error) {
	if err := p.Require(tenant.Read); err != nil {
		return nil, store.Backtest{}, err
	}
	record, err := s.findBacktest(ctx, scope, id)
	switch {
	case err != nil:
		return nil, record, err
	case record.Status != store.BacktestSucceeded:
		return nil, record, fault.New(fault.Conflict, fault.CodeInvalidTransition,
			"the backtest has no result; GET /v1/backtest/{id} says how it stands")
	case record.Purged:
		return nil, record, expired()
	}
	job, err := s.storedRun(ctx, scope, id)
	return job, record, err
}
