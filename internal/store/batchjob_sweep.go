package store

import (
	"context"

	"verdict/internal/evidence"
	"verdict/internal/fault"
)

// BatchJobRef names a batch job of any tenant, with its progress.
type BatchJobRef struct {
	TenantID, Environment, ID string
	ChunksDone                int64
}

// UnfinishedBatchJobs returns at most limit jobs whose rows have all arrived and that are not over, oldest first.
func (j *Jobs) UnfinishedBatchJobs(ctx context.Context, limit int) ([]BatchJobRef, error) {
	var refs []BatchJobRef
	err := j.read(ctx, func(s *transaction) error {
		refs = nil // reset, because the read may be repeated
		return s.each(func(scan func(...any) error) error {
			var r BatchJobRef
			err := scan(&r.TenantID, &r.Environment, &r.ID, &r.ChunksDone)
			refs = append(refs, r)
			return err
		}, `SELECT tenant_id, environment, id, chunks_done FROM batches
			WHERE finished_micros = 0 AND status <> 'receiving' ORDER BY created_micros, id LIMIT $1`, int64(limit))
	})
	return refs, err
}

// incompleteRows is the detail of a job that FailAbandonedBatchJobs has failed.
const incompleteRows = "the rows did not arrive completely, because the client or the service stopped while they " +
	"were sent; no row was decided, so send them again"

// FailAbandonedBatchJobs fails the jobs that were created before a time and whose rows have not all arrived, because
// their client or the receiving node is assumed to be gone. It returns the number of failed jobs.
func (j *Jobs) FailAbandonedBatchJobs(ctx context.Context, beforeMicros, nowMicros int64) (int64, error) {
	const abandoned = "finished_micros = 0 AND status = 'receiving' AND created_micros < "
	return j.failAbandoned(ctx, "batches", abandoned, beforeMicros, func(tx *Tx) ([]evidence.Record, error) {
		rows, err := eachRow(tx, (*BatchJob).fields, `UPDATE batches
			SET status = 'failed', error_code = $3, error_detail = $4, finished_micros = $5
			WHERE tenant_id = $1 AND environment = $2 AND `+abandoned+"$6 RETURNING "+batchJobColumns,
			fault.CodeInputIncomplete, incompleteRows, nowMicros, beforeMicros)
		records := make([]evidence.Record, len(rows))
		for i := range rows {
			records[i] = rows[i].finished()
		}
		return records, err
	})
}

// PurgeBatchJobs deletes the chunks of jobs that ended before a time, of jobs that ended before all rows had arrived,
// and of deleted jobs. The records of the jobs stay, except those of deleted ones. A step deletes one chunk, or marks
// or deletes one job. PurgeBatchJobs does at most limit steps, so that no transaction is long, and returns the number
// of steps: 0 if nothing is left to do.
func (j *Jobs) PurgeBatchJobs(ctx context.Context, beforeMicros int64, limit int) (done int64, err error) {
	return j.purgeJobs(ctx, func(s *transaction) ([]scopedJob, error) {
		return s.scopedJobs(`SELECT tenant_id, environment, id FROM batches WHERE finished_micros > 0 AND purged = 0
			AND (finished_micros < $1 OR chunk_count = 0 OR deleted = 1) ORDER BY finished_micros, id LIMIT $2`,
			beforeMicros, int64(limit))
	}, limit, func(tx *Tx, id string, limit int64) (int64, error) { return tx.BatchJobs().purge(id, limit) })
}

// Discard deletes at most limit chunks of a job that ended before all rows had arrived, and reports whether there may
// be more. It deletes nothing of any other job.
func (bj BatchJobs) Discard(id string, limit int64) (more bool, err error) {
	b, err := bj.lock(id)
	if isRefusal(err) { // the job was deleted; DeleteChunks or PurgeBatchJobs deletes its chunks
		return false, nil
	}
	if err != nil || !b.Over() || b.Chunks > 0 || b.Purged {
		return false, err
	}
	n, err := bj.purge(id, limit)
	return n == limit, err
}

// Delete deletes a job that is over. From then on nobody sees the job. DeleteChunks or PurgeBatchJobs deletes its
// chunks, and DestroyUploadKeys destroys its key. Delete returns NotFound if there is no such job, and Conflict
// invalid_transition if the job is not over.
func (bj BatchJobs) Delete(id string) error {
	b, err := bj.lock(id)
	switch {
	case err != nil:
		return err
	case !b.Over():
		return fault.New(fault.Conflict, fault.CodeInvalidTransition, "the batch is %s; only a batch that is over can "+
			"be deleted; cancel it first with POST /v1/batches/{id}/cancel", b.Status)
	case b.Purged && b.UploadKey == 0:
		_, err = bj.tx.exec("DELETE FROM batches WHERE tenant_id = $1 AND environment = $2 AND id = $3", id)
	default:
		_, err = bj.tx.exec("UPDATE batches SET deleted = 1 WHERE tenant_id = $1 AND environment = $2 AND id = $3", id)
	}
	return err
}

// DeleteChunks deletes at most limit chunks of a job for which Delete was called, and reports whether there may be
// more.
func (bj BatchJobs) DeleteChunks(id string, limit int64) (more bool, err error) {
	var deleted int64
	err = bj.tx.one([]any{&deleted}, `SELECT count(*) FROM batches
		WHERE tenant_id = $1 AND environment = $2 AND id = $3 AND deleted = 1`, id)
	if err != nil || deleted == 0 {
		return false, err
	}
	n, err := bj.purge(id, limit)
	return n == limit, err
}

// purge deletes at most limit chunks of a job. If it deletes fewer, no chunk is left. Then it deletes the job if
// Delete was called for the job and the job has no key; otherwise it marks the job as purged. It returns the number of
// steps: one for each deleted chunk, and one for the job.
func (bj BatchJobs) purge(id string, limit int64) (int64, error) {
	n, err := bj.tx.StoredBytes().deleteCounted(`DELETE FROM batch_chunks
		WHERE tenant_id = $1 AND environment = $2 AND batch_id = $3
		AND number IN (SELECT number FROM batch_chunks
		WHERE tenant_id = $1 AND environment = $2 AND batch_id = $3 ORDER BY number LIMIT $4)
		RETURNING length(input) + length(result)`, id, limit)
	if err != nil || n == limit {
		return n, err
	}
	_, err = bj.tx.exec(
		"DELETE FROM batch_exclusions WHERE tenant_id = $1 AND environment = $2 AND batch_id = $3", id)
	if err != nil {
		return n, err
	}
	deleted, err := bj.tx.exec(
		"DELETE FROM batches WHERE tenant_id = $1 AND environment = $2 AND id = $3 AND deleted = 1 "+
			"AND upload_key = 0", id)
	if err == nil && deleted == 0 {
		_, err = bj.tx.exec("UPDATE batches SET purged = 1 WHERE tenant_id = $1 AND environment = $2 AND id = $3", id)
	}
	return n + 1, err
}
