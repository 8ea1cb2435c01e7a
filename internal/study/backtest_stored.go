package study

import (
	"context"
	"fmt"
	"time"

	"verdict/internal/backtest"
	"verdict/internal/cache"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// runs loads stored runs, compiles them, and changes their state.
type runs struct {
	core    *operation.Core
	desk    *policydesk.Service
	lookups Lookups
	options Options

	compiled *cache.Cache[runKey, *backtestRun]
}

// runKey names a run of a tenant in an environment.
type runKey struct{ tenant, environment, id string }

// get returns a compiled run of the scope.
func (r *runs) get(ctx context.Context, scope *store.Scope, id string) (*backtestRun, error) {
	return r.compiled.Get(ctx, runKey{scope.Tenant(), scope.Environment(), id})
}

func (r *runs) load(ctx context.Context, key runKey) (*backtestRun, error) {
	scope := r.core.DB.Scope(key.tenant, key.environment)
	record, err := scope.Backtests(ctx).Get(key.id)
	if err != nil {
		return nil, err
	}
	job := &backtestRun{record: record, keys: r.core.Keys, lookups: r.lookups}
	job.record.Report = nil
	a := &asked{}
	if a.champion, err = r.desk.Policy(ctx, scope, record.RuleSetID); err == nil && record.ChallengerID != "" {
		a.challenger, err = r.desk.Policy(ctx, scope, record.ChallengerID)
	}
	if err != nil {
		return nil, fmt.Errorf("read the policies of backtest %s: %w", record.ID, operation.MissingIsDefect(err))
	}
	setup, err := wire.Parse(record.Setup)
	if err == nil {
		a.setup, err = backtest.ReadStoredSetup(setup)
	}
	if err == nil {
		err = job.readRequest(record.Request)
	}
	if err == nil {
		job.run, err = a.run()
	}
	if err != nil {
		return nil, fmt.Errorf("read the stored backtest %s: %w", record.ID, operation.AsDefect(err))
	}
	job.policy, job.features = a.champion.Plan.Policy().Name, a.replayFeatures()
	return job, nil
}

// afford notes how much of the plan's quota is used. It refuses the run if no unit is left, because such a run
// could not be billed. The bill at the end makes the final check.
func (r *runs) afford(ctx context.Context, p tenant.Principal, a *asked) error {
	if a.plan = p.Plan; a.plan.Unmetered {
		return nil
	}
	used, err := r.core.Scope(p).Usage(ctx).Get(tenant.PeriodOf(r.core.Now()).Key())
	if err != nil {
		return err
	}
	a.used = used.Used
	return a.admit(1, r.options.Backtests.MaxRows)
}

// enqueueChunks enqueues the chunks of a run whose numbers lie between from and to, both
// included. If that fails, Chunks.Resume enqueues the chunks later, because they are
// stored.
func (r *runs) enqueueChunks(ctx context.Context, scope *store.Scope, id string, from, to int64) {
	var chunks []operation.Chunk
	for number := from; number <= to; number++ {
		chunks = append(chunks, operation.Chunk{
			TenantID: scope.Tenant(), Environment: scope.Environment(), JobID: id, Number: number,
		})
	}
	if err := r.options.ChunkQueue.Enqueue(ctx, chunks); err != nil {
		r.core.Logger.WarnContext(ctx, "could not enqueue the chunks of a backtest; they are enqueued later",
			"tenant_id", scope.Tenant(), "environment", scope.Environment(), "backtest_id", id, "error", err)
	}
}

const (
	// abortTimeout limits the time in which an aborted run is marked as failed and its rows are deleted.
	abortTimeout = 5 * time.Second
	// discardSteps is the number of chunks that one transaction of abort deletes.
	discardSteps = 8
)

// abort fails a run whose rows did not arrive completely, and deletes its rows. The recorded error is cause if
// cause is a refusal other than an internal error, and input_incomplete otherwise. The
// client may have disconnected, so abort ignores the end and the deadline of ctx.
func (r *runs) abort(ctx context.Context, scope *store.Scope, id string, cause error) {
	code, detail := fault.CodeInputIncomplete, "the rows did not arrive completely"
	if refusal := fault.Of(cause); refusal != nil && refusal.Kind != fault.Internal {
		code, detail = refusal.Code, refusal.Detail
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTimeout)
	defer cancel()
	err := r.fail(ctx, scope, id, code, detail)
	for more := true; more && err == nil; {
		err = scope.Write(ctx, func(tx *store.Tx) (err error) {
			more, err = tx.Backtests().Discard(id, discardSteps)
			return err
		})
	}
	if err != nil {
		r.core.Logger.WarnContext(ctx, "could not end an aborted backtest or delete its rows; a later sweep retries",
			"tenant_id", scope.Tenant(), "environment", scope.Environment(), "backtest_id", id, "error", err)
	}
}

func (r *runs) fail(ctx context.Context, scope *store.Scope, id, code, detail string) error {
	failed := store.Backtest{
		ID:             id,
		Status:         store.BacktestFailed,
		ErrorCode:      code,
		ErrorDetail:    detail,
		FinishedMicros: r.core.Moment().UnixMicro(),
	}
	return scope.Write(ctx, func(tx *store.Tx) error {
		_, err := tx.Backtests().Finish(failed) // the run may have ended before
		return err
	})
}
