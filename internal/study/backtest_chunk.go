package study

import (
	"context"
	"errors"
	"fmt"

	"verdict/internal/backtest"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Run runs one chunk of a backtest. After the last chunk it creates the report. It may
// be called any number of times for the same chunk, on any node; only one result is
// used. If Run returns an error, storage failed and the caller should retry. A
// permanent error does not make Run return an error; it fails the backtest.
func (s *Chunks) Run(ctx context.Context, c operation.Chunk) error {
	scope := s.core.DB.Scope(c.TenantID, c.Environment)
	do := s.runRows
	if c.Number <= cutNumber {
		do = s.splitReplay
	}
	err := do(ctx, scope, c)
	var spoilt operation.Defect
	switch {
	case fault.CodeOf(err) == fault.CodeBacktestExpired: // an older copy of the database was restored with newer keys
		return s.runs.fail(ctx, scope, c.JobID, fault.CodeBacktestExpired,
			"the key of the uploaded rows was destroyed before the run had ended; upload them again; nothing was "+
				"billed")
	case fault.KindOf(err) == fault.NotFound:
		return nil // the run has ended and its rows were deleted
	case errors.As(err, &spoilt):
		s.core.Logger.ErrorContext(ctx, "could not run a chunk of a backtest; the backtest failed and is not retried",
			"tenant_id", c.TenantID, "environment", c.Environment, "backtest_id", c.JobID, "error", err)
		return s.Abandon(ctx, c)
	case err != nil:
		return fmt.Errorf("process chunk %d of backtest %s: %w", c.Number, c.JobID, err)
	}
	return nil
}

// Abandon fails the run of a chunk that will not be retried.
func (s *Chunks) Abandon(ctx context.Context, c operation.Chunk) error {
	return s.runs.fail(ctx, s.core.DB.Scope(c.TenantID, c.Environment), c.JobID, fault.CodeInternalError,
		"a part of the run failed because of an internal error; nothing was billed")
}

func (s *Chunks) runRows(ctx context.Context, scope *store.Scope, c operation.Chunk) error {
	var record store.Backtest
	var stored store.BacktestChunk
	err := scope.Read(ctx, func(tx *store.Tx) (err error) {
		if record, err = tx.Backtests().Get(c.JobID); err != nil || record.Over() {
			return err
		}
		stored, err = tx.Backtests().Chunk(c.JobID, c.Number)
		return err
	})
	if err != nil || record.Over() {
		return err
	}
	if stored.Done {
		return s.finish(ctx, scope, c.JobID)
	}
	job, err := s.runs.get(ctx, scope, c.JobID)
	if err != nil {
		return err
	}
	partial, tally, err := job.performChunk(ctx, scope, stored)
	if err != nil {
		return err
	}
	result := partial.Append(tally.append(nil))
	now, left := s.core.Moment().UnixMicro(), int64(0)
	err = scope.Write(ctx, func(tx *store.Tx) (err error) {
		_, left, err = tx.Backtests().FinishChunk(c.JobID, c.Number, stored.Rows, result, now)
		return err
	})
	if err != nil || left > 0 {
		return err
	}
	return s.finish(ctx, scope, c.JobID)
}

// performChunk decides the rows of a stored chunk.
func (j *backtestRun) performChunk(
	ctx context.Context, scope *store.Scope, c store.BacktestChunk,
) (*backtest.Partial, bookTally, error) {
	var tally bookTally
	p, err := j.pieceOf(ctx, scope, c)
	if err != nil {
		return nil, tally, err
	}
	worker := j.run.NewWorker()
	err = j.perform(ctx, scope, p, worker, &tally)
	return worker.Take(), tally, err
}

// finish creates the report of a run whose chunks are all done, and bills the run in
// the same transaction. A run that exceeds the quota fails and is not billed.
func (s *Chunks) finish(ctx context.Context, scope *store.Scope, id string) error {
	record, err := scope.Backtests(ctx).Get(id)
	if err != nil || record.Over() || record.Status == store.BacktestReceiving || record.ChunksDone < record.Chunks {
		return err
	}
	job, err := s.runs.get(ctx, scope, id)
	if err != nil {
		return err
	}
	total, tally, err := job.merged(ctx, scope, &record)
	if err != nil {
		return err
	}
	caller, err := s.tenantOf(ctx, scope)
	if err != nil {
		return err
	}
	now := s.core.Moment()
	record.Status, record.FinishedMicros = store.BacktestSucceeded, now.UnixMicro()
	record.Report = job.report(&record, total, tally)
	err = scope.Write(ctx, func(tx *store.Tx) error {
		finished, err := tx.Backtests().Finish(record)
		if err != nil || !finished {
			return err
		}
		return s.decisions.Usage.Bill(tx, caller, job.endpoint, units(record.Rows), now)
	})
	if fault.KindOf(err) == fault.Limited {
		return s.runs.fail(ctx, scope, id, fault.CodeOf(err),
			"the bill of the run exceeded what was left of the plan's quota")
	}
	return err
}

// merged merges the results of all chunks, one at a time. If a result has the format
// of an earlier release, it is computed again from the rows. The error is
// backtest_expired if those rows, or results, were deleted.
func (j *backtestRun) merged(
	ctx context.Context, scope *store.Scope, record *store.Backtest,
) (*backtest.Partial, *bookTally, error) {
	total, tally := backtest.NewPartial(), &bookTally{}
	var n int64
	err := scope.Backtests(ctx).WalkResults(record.ID, func(c store.BacktestChunk) error {
		partial, one, ok := j.readResult(c.Result)
		if !ok {
			stored, err := scope.Backtests(ctx).Chunk(record.ID, c.Number)
			if err != nil {
				return err
			}
			if partial, one, err = j.performChunk(ctx, scope, stored); err != nil {
				return err
			}
		}
		total.Merge(partial)
		tally.merge(one)
		n++
		return nil
	})
	if err == nil && n != record.Chunks {
		err = expired()
	}
	return total, tally, err
}

// readResult decodes the result of a chunk. ok is false if this release cannot read
// it.
func (j *backtestRun) readResult(result []byte) (partial *backtest.Partial, tally bookTally, ok bool) {
	rest, err := tally.read(result)
	if err == nil {
		partial, err = backtest.DecodePartial(rest)
	}
	return partial, tally, err == nil && j.run.Made(partial)
}

func expired() error {
	return fault.New(fault.NotFound, fault.CodeBacktestExpired,
		"the rows of this backtest were deleted; its report still exists")
}

// rowsExpired returns the error for uploaded rows that were deleted, together with
// their key, a week after the run had ended.
func rowsExpired() error {
	return fault.New(fault.NotFound, fault.CodeBacktestExpired,
		"the uploaded rows of this backtest were deleted 7 days after it had ended; its report still exists")
}

// tenantOf returns the principal that is billed for background work in a scope.
func (s *Chunks) tenantOf(ctx context.Context, scope *store.Scope) (tenant.Principal, error) {
	owner, err := s.core.DB.Accounts().Tenant(ctx, scope.Tenant())
	if err != nil {
		return tenant.Principal{}, err
	}
	plan, ok := s.options.Plans.Get(owner.Plan)
	if !ok {
		return tenant.Principal{}, fmt.Errorf("tenant %s is on the plan %q, which this installation does not have",
			owner.ID, owner.Plan)
	}
	return tenant.Principal{TenantID: owner.ID, Environment: tenant.Environment(scope.Environment()), Plan: plan}, nil
}
