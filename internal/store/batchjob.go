package store

import (
	"context"
	"database/sql"
	"errors"

	"verdict/internal/evidence"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// The states of a batch job. A job is receiving while its rows arrive, and cancelling until the rows that were not
// decided are marked. The last three states are final.
const (
	BatchJobReceiving  = "receiving"
	BatchJobQueued     = "queued"
	BatchJobRunning    = "running"
	BatchJobCancelling = "cancelling"
	BatchJobCompleted  = "completed"
	BatchJobCancelled  = "cancelled"
	BatchJobFailed     = "failed"
)

// BatchJob is a job with many applications (ADR 27). Its rows and their outcomes are stored in chunks.
type BatchJob struct {
	ID          string
	Status      string
	Endpoint    string // the endpoint to which each row would be sent as a request
	Strict      bool   // unknown members of a row are refused
	Rows        int64  // known once all rows have arrived
	RowsDone    int64
	Chunks      int64 // 0 until all rows have arrived
	ChunksDone  int64
	ErrorCode   string
	ErrorDetail string
	RequestID   string // the id of the request that sent the rows
	CreatedBy   string

	CreatedMicros, StartedMicros, FinishedMicros int64
	Purged                                       bool   // the chunks have been deleted
	Counts                                       []byte // how many rows had which outcome, encoded by the caller
	// UploadKey is the number of the key of the rows. It is 0 if the rows have no key, or if the key was destroyed.
	UploadKey int64
}

// Over reports whether the job is in a final state.
func (b *BatchJob) Over() bool {
	return b.Status == BatchJobCompleted || b.Status == BatchJobCancelled || b.Status == BatchJobFailed
}

const batchJobColumns = `id, status, endpoint, strict, row_count, rows_done, chunk_count, chunks_done, error_code,
	error_detail, request_id, created_by, created_micros, started_micros, finished_micros, purged, counts, upload_key`

func (b *BatchJob) fields() []any {
	return []any{&b.ID, &b.Status, &b.Endpoint, &b.Strict, &b.Rows, &b.RowsDone, &b.Chunks, &b.ChunksDone,
		&b.ErrorCode, &b.ErrorDetail, &b.RequestID, &b.CreatedBy, &b.CreatedMicros, &b.StartedMicros, &b.FinishedMicros,
		&b.Purged, &b.Counts, &b.UploadKey}
}

// BatchJobReader reads batch jobs and their chunks.
type BatchJobReader struct{ access }

// BatchJobs reads like BatchJobReader, stores batch jobs and changes their state.
type BatchJobs struct{ BatchJobReader }

// BatchJobs returns the BatchJobReader of the scope.
func (s *Scope) BatchJobs(ctx context.Context) BatchJobReader { return BatchJobReader{s.access(ctx)} }

// BatchJobs returns the BatchJobs of the transaction.
func (tx *Tx) BatchJobs() BatchJobs { return BatchJobs{BatchJobReader{tx.access()}} }

// Insert stores a job whose rows begin to arrive.
func (bj BatchJobs) Insert(b BatchJob) error {
	_, err := bj.tx.exec(`INSERT INTO batches (tenant_id, environment, `+batchJobColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)`,
		b.ID, b.Status, b.Endpoint, flag(b.Strict), b.Rows, b.RowsDone, b.Chunks, b.ChunksDone, b.ErrorCode,
		b.ErrorDetail, b.RequestID, b.CreatedBy, b.CreatedMicros, b.StartedMicros, b.FinishedMicros, flag(b.Purged),
		notNil(b.Counts), b.UploadKey)
	return err
}

// Get returns a job, NotFound if there is none.
func (bj BatchJobReader) Get(id string) (BatchJob, error) {
	return read(bj.access, func(tx *Tx) (BatchJob, error) { return selectBatchJob(tx, id, "") })
}

// lock returns a job and locks it until the transaction ends.
func (bj BatchJobs) lock(id string) (BatchJob, error) {
	return selectBatchJob(bj.tx, id, bj.tx.transaction.db.dialect.forUpdate)
}

// selectBatchJob reads a job. clause is appended to the SELECT, for example to lock the row.
func selectBatchJob(tx *Tx, id, clause string) (b BatchJob, err error) {
	err = tx.one(b.fields(), "SELECT "+batchJobColumns+
		" FROM batches WHERE tenant_id = $1 AND environment = $2 AND id = $3 AND deleted = 0"+clause, id)
	return b, orNotFound("batch", err)
}

// List returns a page of the scope's jobs, and whether there are more. A status of "" matches every job.
func (bj BatchJobReader) List(status string, p Page) ([]BatchJob, bool, error) {
	return readTwo(bj.access, func(tx *Tx) ([]BatchJob, bool, error) {
		q := listOf("SELECT " + batchJobColumns +
			" FROM batches WHERE tenant_id = $1 AND environment = $2 AND deleted = 0")
		q.equals("status", status)
		q.page(p)
		return list(tx, q, p, func(scan func(...any) error) (b BatchJob, err error) {
			err = scan(b.fields()...)
			return b, err
		})
	})
}

// Unfinished returns the number of the scope's jobs that are not over.
func (bj BatchJobReader) Unfinished() (int64, error) {
	return read(bj.access, func(tx *Tx) (n int64, err error) {
		err = tx.one([]any{&n}, `SELECT count(*) FROM batches
			WHERE tenant_id = $1 AND environment = $2 AND status IN ('receiving', 'queued', 'running', 'cancelling')`)
		return n, err
	})
}

// Queue moves a job whose rows have all arrived from receiving to queued. It returns Conflict invalid_transition if
// the job is not receiving.
func (bj BatchJobs) Queue(id string, rows, chunks int64) error {
	if err := bj.receiving(id); err != nil {
		return err
	}
	_, err := bj.tx.exec(`UPDATE batches SET status = $4, row_count = $5, chunk_count = $6
		WHERE tenant_id = $1 AND environment = $2 AND id = $3`, id, BatchJobQueued, rows, chunks)
	return err
}

// receiving locks a job, and returns Conflict invalid_transition if it is not receiving, for instance because it was
// cancelled.
func (bj BatchJobs) receiving(id string) error {
	b, err := bj.lock(id)
	if err == nil && b.Status != BatchJobReceiving {
		err = fault.New(fault.Conflict, fault.CodeInvalidTransition,
			"a batch in the state %s accepts no more rows", b.Status)
	}
	return err
}

// Fail ends a job whose rows did not arrive completely. It changes nothing if the job is no longer receiving.
func (bj BatchJobs) Fail(id, code, detail string, nowMicros int64) error {
	var b BatchJob
	err := bj.tx.one(b.fields(), `UPDATE batches
		SET status = $4, error_code = $5, error_detail = $6, finished_micros = $7
		WHERE tenant_id = $1 AND environment = $2 AND id = $3 AND status = 'receiving' RETURNING `+batchJobColumns,
		id, BatchJobFailed, code, detail, nowMicros)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = bj.tx.record(b.finished())
	return err
}

// finished returns the journal entry of a job that is over. No row refers to the entry, because the outcomes of the
// rows are deleted later.
func (b *BatchJob) finished() evidence.Record {
	return evidence.Record{
		Kind:   evidence.Batch,
		ID:     b.ID,
		Micros: wholeMillis(b.FinishedMicros),
		Type:   "batch.finished",
		Data: eventData(func(w *wire.Writer) {
			w.Optional("batch_id", b.ID)
			w.Optional("endpoint", b.Endpoint)
			w.Optional("error_code", b.ErrorCode)
			w.Key("rows").Int(b.Rows)
			w.Optional("status", b.Status)
		}),
	}
}

// Cancel cancels a job and returns it in its new state. A job whose rows are still arriving is over immediately. Any
// other job is in the state cancelling until its chunks are done. changed is false if the job is over or being
// cancelled already.
func (bj BatchJobs) Cancel(id string, nowMicros int64) (b BatchJob, changed bool, err error) {
	b, err = bj.lock(id)
	if err != nil || b.Over() || b.Status == BatchJobCancelling {
		return b, false, err
	}
	if b.Status == BatchJobReceiving {
		b.Status, b.FinishedMicros = BatchJobCancelled, nowMicros
	} else {
		b.Status = BatchJobCancelling
	}
	_, err = bj.tx.exec(`UPDATE batches SET status = $4, finished_micros = $5
		WHERE tenant_id = $1 AND environment = $2 AND id = $3`, id, b.Status, b.FinishedMicros)
	if err == nil && b.Over() {
		_, err = bj.tx.record(b.finished())
	}
	return b, err == nil, err
}

// Exclude records that the rows of a person in unfinished jobs must not be decided, because the person was erased.
// person is a keyed hash of the person's reference.
func (bj BatchJobs) Exclude(person string) error {
	_, err := bj.tx.exec(`INSERT INTO batch_exclusions (tenant_id, environment, batch_id, person)
		SELECT tenant_id, environment, id, $3 FROM batches
		WHERE tenant_id = $1 AND environment = $2 AND finished_micros = 0
		ON CONFLICT (tenant_id, environment, batch_id, person) DO NOTHING`, person)
	return err
}

// Excluded returns the people whose rows in a job must not be decided.
func (bj BatchJobReader) Excluded(id string) ([]string, error) {
	return read(bj.access, func(tx *Tx) (people []string, err error) {
		err = tx.each(func(scan func(...any) error) error {
			var person string
			err := scan(&person)
			people = append(people, person)
			return err
		}, "SELECT person FROM batch_exclusions WHERE tenant_id = $1 AND environment = $2 AND batch_id = $3", id)
		return people, err
	})
}
