package store

import (
	"cmp"
	"context"
	"slices"

	"verdict/internal/evidence"
	"verdict/internal/fault"
)

// BacktestRef names a run of any tenant, with its progress.
type BacktestRef struct {
	TenantID, Environment, ID, Status string
	ChunksDone                        int64 // chunks done; for a receiving run, the highest chunk number stored
}

// UnfinishedBacktests returns at most limit runs that need work, oldest first. These are the queued and running runs,
// and the replays whose chunks are still being created. A replay is a run over stored decisions.
func (j *Jobs) UnfinishedBacktests(ctx context.Context, limit int) ([]BacktestRef, error) {
	var refs []BacktestRef
	err := j.read(ctx, func(s *transaction) error {
		refs = nil // reset, because the read may be repeated
		return s.each(func(scan func(...any) error) error {
			var r BacktestRef
			err := scan(&r.TenantID, &r.Environment, &r.ID, &r.Status, &r.ChunksDone)
			refs = append(refs, r)
			return err
		}, `SELECT tenant_id, environment, id, status, CASE WHEN status = 'receiving' `+
			`THEN (SELECT coalesce(max(c.number), 0)
				FROM backtest_chunks c `+
			`WHERE c.tenant_id = b.tenant_id AND c.environment = b.environment AND c.backtest_id = b.id)
				ELSE chunks_done END
			FROM backtests b WHERE finished_micros = 0 `+
			`AND (status IN ('queued', 'running') OR status = 'receiving' AND source = 'decisions')
			ORDER BY created_micros, id LIMIT $1`, int64(limit))
	})
	return refs, err
}

// incompleteInput is the detail of a run that FailAbandonedBacktests has failed.
const incompleteInput = "the input did not arrive completely, because the client or the service stopped while it was " +
	"sent; send it again"

// FailAbandonedBacktests fails the runs that were created before a time and whose
// input is still incomplete, because their client or receiving node is assumed to
// be gone. Replays are exempt, because their input is in the database. It returns
// the number of failed runs.
func (j *Jobs) FailAbandonedBacktests(ctx context.Context, beforeMicros, nowMicros int64) (int64, error) {
	const abandoned = "finished_micros = 0 AND status = 'receiving' AND source <> 'decisions' AND created_micros < "
	return j.failAbandoned(ctx, "backtests", abandoned, beforeMicros, func(tx *Tx) ([]evidence.Record, error) {
		rows, err := eachRow(tx, (*Backtest).fields, `UPDATE backtests
			SET status = 'failed', error_code = $3, error_detail = $4, finished_micros = $5
			WHERE tenant_id = $1 AND environment = $2 AND `+abandoned+"$6 RETURNING "+backtestColumns,
			fault.CodeInputIncomplete, incompleteInput, nowMicros, beforeMicros)
		records := make([]evidence.Record, len(rows))
		for i := range rows {
			records[i] = rows[i].finished()
		}
		return records, err
	})
}

// failAbandoned fails the jobs in a table that were created before a time and that meet the condition abandoned. It
// calls fail in a transaction of each scope with such jobs. fail changes the rows and returns the journal entry of each
// job. failAbandoned returns the number of failed jobs.
func (j *Jobs) failAbandoned(
	ctx context.Context, table, abandoned string, beforeMicros int64, fail func(tx *Tx) ([]evidence.Record, error),
) (failed int64, err error) {
	var scopes []ScopeName
	err = j.read(ctx, func(s *transaction) error {
		scopes = nil // reset, because the read may be repeated
		return s.each(func(scan func(...any) error) error {
			var n ScopeName
			err := scan(&n.Tenant, &n.Environment)
			scopes = append(scopes, n)
			return err
		}, "SELECT DISTINCT tenant_id, environment FROM "+table+" WHERE "+abandoned+"$1", beforeMicros)
	})
	for i := 0; err == nil && i < len(scopes); i++ {
		n, inScope := scopes[i], 0
		err = j.writeIn(ctx, n.Tenant, n.Environment, func(s *transaction) error {
			tx := s.within(n.Tenant, n.Environment)
			records, err := fail(tx)
			if inScope = len(records); err != nil || inScope == 0 {
				return err
			}
			slices.SortFunc(records, func(a, b evidence.Record) int { return cmp.Compare(a.ID, b.ID) })
			_, err = tx.record(records...)
			return err
		})
		if err == nil {
			failed += int64(inScope)
		}
	}
	return failed, err
}

// PurgeBacktests deletes the chunks of runs that ended before a time. The record of a run stays, with its report. A
// step deletes one chunk or marks one run as purged. PurgeBacktests does at most limit steps, so that no transaction is
// long, and returns the number of steps: 0 if nothing is left to do.
func (j *Jobs) PurgeBacktests(ctx context.Context, beforeMicros int64, limit int) (int64, error) {
	return j.purge(ctx, "finished_micros > 0", beforeMicros, limit)
}

// PurgeFailedBacktests deletes chunks like PurgeBacktests, but only those of runs
// that failed or were cancelled. Nobody can read these chunks.
func (j *Jobs) PurgeFailedBacktests(ctx context.Context, beforeMicros int64, limit int) (int64, error) {
	return j.purge(ctx, "status IN ('failed', 'cancelled')", beforeMicros, limit)
}

// purge deletes chunks of runs that ended before beforeMicros and are not marked as purged. Parameter "which" is a
// further SQL condition on the runs. There must be an index for this condition.
func (j *Jobs) purge(ctx context.Context, which string, beforeMicros int64, limit int) (int64, error) {
	return j.purgeJobs(ctx, func(s *transaction) ([]scopedJob, error) {
		return s.scopedJobs("SELECT tenant_id, environment, id FROM backtests WHERE "+which+
			" AND purged = 0 AND finished_micros < $1 ORDER BY finished_micros, id LIMIT $2", beforeMicros,
			int64(limit))
	}, limit, func(tx *Tx, id string, limit int64) (int64, error) { return tx.Backtests().purge(id, limit) })
}

// Discard deletes at most limit chunks of a run that has failed or was cancelled, and reports whether there may be
// more. It deletes nothing of any other run.
func (bt Backtests) Discard(id string, limit int64) (more bool, err error) {
	b, err := bt.lock(id)
	if err != nil || b.Status != BacktestFailed && b.Status != BacktestCancelled || b.Purged {
		return false, err
	}
	n, err := bt.purge(id, limit)
	return n == limit, err
}

// purge deletes at most limit chunks of a run. If it deletes fewer, none is left, and it marks the run as purged. It
// returns the number of steps: one for each deleted chunk, and one for the mark.
func (bt Backtests) purge(id string, limit int64) (int64, error) {
	n, err := bt.tx.StoredBytes().deleteCounted(
		`DELETE FROM backtest_chunks WHERE tenant_id = $1 AND environment = $2 AND backtest_id = $3 AND number IN
		(SELECT number FROM backtest_chunks `+
			`WHERE tenant_id = $1 AND environment = $2 AND backtest_id = $3 ORDER BY number LIMIT $4)
		RETURNING length(input) + length(result)`, id, limit)
	if err != nil || n == limit {
		return n, err
	}
	_, err = bt.tx.exec("UPDATE backtests SET purged = 1 WHERE tenant_id = $1 AND environment = $2 AND id = $3", id)
	return n + 1, err
}
