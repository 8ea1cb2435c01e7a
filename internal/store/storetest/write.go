package storetest

import (
	"context"

	"verdict/internal/store"
)

// Each function below makes one change in a transaction of its own, and stores
// the audit entry in the same transaction if the function takes one. If the
// commit fails, it returns no result.

// write runs fn in a transaction of its own.
func write[T any](ctx context.Context, scope *store.Scope, fn func(*store.Tx) (T, error)) (T, error) {
	var result T
	err := scope.Write(ctx, func(tx *store.Tx) (err error) {
		result, err = fn(tx)
		return err
	})
	if err != nil {
		var none T // the commit may have failed after fn succeeded
		return none, err
	}
	return result, nil
}

// InsertRuleSet stores a rule set.
func InsertRuleSet(
	ctx context.Context, scope *store.Scope, r store.RuleSet, audit store.AuditEntry,
) (store.RuleSet, error) {
	return write(ctx, scope, func(tx *store.Tx) (store.RuleSet, error) {
		stored, err := tx.RuleSets().Insert(r)
		if err != nil {
			return store.RuleSet{}, err
		}
		return stored, tx.Audit().Add(audit)
	})
}

// Activate activates a rule set.
func Activate(ctx context.Context, scope *store.Scope, a store.Activation) (store.Activated, error) {
	return write(ctx, scope, func(tx *store.Tx) (store.Activated, error) { return tx.RuleSets().Activate(a) })
}

// InsertScorecard stores a scorecard.
func InsertScorecard(
	ctx context.Context, scope *store.Scope, c store.Scorecard, audit store.AuditEntry,
) (store.Scorecard, error) {
	return write(ctx, scope, func(tx *store.Tx) (store.Scorecard, error) {
		stored, err := tx.Scorecards().Insert(c)
		if err != nil {
			return store.Scorecard{}, err
		}
		return stored, tx.Audit().Add(audit)
	})
}

// MoveAlert moves an alert. The audit entry is stored only if the alert moved.
func MoveAlert(
	ctx context.Context, scope *store.Scope, m store.AlertMove, audit store.AuditEntry,
) (store.Alert, error) {
	return write(ctx, scope, func(tx *store.Tx) (store.Alert, error) {
		a, moved, err := tx.Alerts().Move(m)
		if err != nil || !moved {
			return a, err
		}
		return a, tx.Audit().Add(audit)
	})
}

// Meter counts the usage of a request that stores no decision.
func Meter(ctx context.Context, scope *store.Scope, m store.Meter) error {
	return scope.Write(ctx, func(tx *store.Tx) error { return tx.Usage().Meter(m) })
}

// InsertBacktest stores a backtest.
func InsertBacktest(ctx context.Context, scope *store.Scope, b store.Backtest, audit store.AuditEntry) error {
	return scope.Write(ctx, func(tx *store.Tx) error {
		if err := tx.Backtests().Insert(b); err != nil {
			return err
		}
		return tx.Audit().Add(audit)
	})
}

// ReceiveBacktestChunk stores a chunk of input of a run that is still
// receiving.
func ReceiveBacktestChunk(ctx context.Context, scope *store.Scope, id string, c store.BacktestChunk) error {
	return scope.Write(ctx, func(tx *store.Tx) error { return tx.Backtests().ReceiveChunk(id, c) })
}

// QueueBacktest queues a backtest whose input is complete.
func QueueBacktest(ctx context.Context, scope *store.Scope, id string, rows, chunks int64) error {
	return scope.Write(ctx, func(tx *store.Tx) error { return tx.Backtests().Queue(id, rows, chunks) })
}

// FinishChunk stores the result of a chunk.
func FinishChunk(
	ctx context.Context, scope *store.Scope, id string, number, rows int64, result []byte, nowMicros int64,
) (first bool, left int64, err error) {
	left, err = write(ctx, scope, func(tx *store.Tx) (left int64, err error) {
		first, left, err = tx.Backtests().FinishChunk(id, number, rows, result, nowMicros)
		return left, err
	})
	return first && err == nil, left, err
}

// FinishBacktest ends a run.
func FinishBacktest(ctx context.Context, scope *store.Scope, b store.Backtest) (bool, error) {
	return write(ctx, scope, func(tx *store.Tx) (bool, error) { return tx.Backtests().Finish(b) })
}

// CancelBacktest cancels a run. The audit entry is stored only if this call
// cancelled the run.
func CancelBacktest(
	ctx context.Context, scope *store.Scope, id string, nowMicros int64, audit store.AuditEntry,
) (b store.Backtest, cancelled bool, err error) {
	b, err = write(ctx, scope, func(tx *store.Tx) (b store.Backtest, err error) {
		b, cancelled, err = tx.Backtests().Cancel(id, nowMicros)
		if err != nil || !cancelled {
			return b, err
		}
		return b, tx.Audit().Add(audit)
	})
	return b, cancelled && err == nil, err
}
