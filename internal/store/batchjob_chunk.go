package store

import (
	"database/sql"
	"errors"
	"fmt"
)

// BatchChunk holds consecutive rows of a batch job or, once the chunk is done, their outcomes.
type BatchChunk struct {
	Number      int64 // starts at 1
	First, Rows int64 // the index of the first row, and the number of rows
	Input       []byte
	Result      []byte // empty until the chunk is done
	Done        bool
}

// ReceiveChunk stores a chunk that has just arrived. It returns Conflict invalid_transition if the job is not
// receiving, for instance because it was cancelled.
func (bj BatchJobs) ReceiveChunk(id string, c BatchChunk) error {
	if err := bj.receiving(id); err != nil {
		return err
	}
	_, err := bj.tx.exec(`INSERT INTO batch_chunks
		(tenant_id, environment, batch_id, number, first_row, row_count, done, result, input)
		VALUES ($1, $2, $3, $4, $5, $6, 0, $7, $8)`,
		id, c.Number, c.First, c.Rows, noDocument, notNil(c.Input))
	if err != nil {
		return err
	}
	return bj.tx.StoredBytes().add(len(c.Input))
}

// Chunk returns a chunk with its input and without its result, NotFound if there is none.
func (bj BatchJobReader) Chunk(id string, number int64) (BatchChunk, error) {
	return read(bj.access, func(tx *Tx) (c BatchChunk, err error) {
		err = tx.one([]any{&c.Number, &c.First, &c.Rows, &c.Done, &c.Input},
			`SELECT number, first_row, row_count, done, input FROM batch_chunks
			WHERE tenant_id = $1 AND environment = $2 AND batch_id = $3 AND number = $4`, id, number)
		return c, orNotFound("part of a batch", err)
	})
}

// resultColumns are the columns of a chunk with its result and without its input.
const resultColumns = "number, first_row, row_count, done, result"

// ChunkAt returns the chunk that contains a row, with its result and without its input. found is false if there is
// none.
func (bj BatchJobReader) ChunkAt(id string, row int64) (c BatchChunk, found bool, err error) {
	return bj.result("AND first_row <= $4 AND first_row + row_count > $4 LIMIT 1", id, row)
}

// ResultOf returns the chunk with the given number, with its result and without its input. found is false if there is
// none.
func (bj BatchJobReader) ResultOf(id string, number int64) (c BatchChunk, found bool, err error) {
	return bj.result("AND number = $4", id, number)
}

// result reads the chunk that satisfies a condition, with its result.
func (bj BatchJobReader) result(condition, id string, value int64) (c BatchChunk, found bool, err error) {
	c, err = read(bj.access, func(tx *Tx) (c BatchChunk, err error) {
		err = tx.one([]any{&c.Number, &c.First, &c.Rows, &c.Done, &c.Result}, "SELECT "+resultColumns+
			" FROM batch_chunks WHERE tenant_id = $1 AND environment = $2 AND batch_id = $3 "+condition, id, value)
		return c, err
	})
	if errors.Is(err, sql.ErrNoRows) {
		return c, false, nil
	}
	return c, err == nil, err
}

// PendingChunks returns the numbers of a job's chunks that are not done yet, in order.
func (bj BatchJobReader) PendingChunks(id string) ([]int64, error) {
	return read(bj.access, func(tx *Tx) ([]int64, error) {
		var numbers []int64
		err := tx.each(func(scan func(...any) error) error {
			var number int64
			err := scan(&number)
			numbers = append(numbers, number)
			return err
		}, `SELECT number FROM batch_chunks
			WHERE tenant_id = $1 AND environment = $2 AND batch_id = $3 AND done = 0 ORDER BY number`, id)
		return numbers, err
	})
}

// FinishChunk stores the outcomes of a chunk, deletes its rows, and updates the progress of the job. count gets the
// counts of the job and returns them with the counts of the chunk added. Only the first call for a chunk has an
// effect; for later calls first is false. The last chunk of a job ends the job and adds its entry to the journal. A
// call for a deleted job has no effect; only a job that is over can be deleted.
func (bj BatchJobs) FinishChunk(
	id string, c BatchChunk, nowMicros int64, count func(counts []byte) ([]byte, error),
) (first bool, err error) {
	b, err := bj.lock(id)
	if isRefusal(err) || err == nil && b.Over() {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	first, err = bj.storeResult(id, &c)
	if err != nil || !first {
		return false, err
	}
	if b.Counts, err = count(b.Counts); err != nil {
		return false, err
	}
	b.RowsDone, b.ChunksDone = b.RowsDone+c.Rows, b.ChunksDone+1
	if b.StartedMicros == 0 {
		b.StartedMicros = nowMicros
	}
	b.advance(nowMicros)
	_, err = bj.tx.exec(`UPDATE batches SET status = $4, rows_done = $5, chunks_done = $6, started_micros = $7,
		finished_micros = $8, counts = $9 WHERE tenant_id = $1 AND environment = $2 AND id = $3`,
		id, b.Status, b.RowsDone, b.ChunksDone, b.StartedMicros, b.FinishedMicros, b.Counts)
	if err == nil && b.Over() {
		_, err = bj.tx.record(b.finished())
	}
	return err == nil, err
}

// storeResult replaces the rows of a chunk by their outcomes. first is false if the chunk is done already.
func (bj BatchJobs) storeResult(id string, c *BatchChunk) (first bool, err error) {
	var rows int64
	err = bj.tx.one([]any{&rows}, `SELECT length(input) FROM batch_chunks
		WHERE tenant_id = $1 AND environment = $2 AND batch_id = $3 AND number = $4 AND done = 0`, id, c.Number)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if _, err := bj.tx.exec(`UPDATE batch_chunks SET done = 1, result = $5, input = $6
		WHERE tenant_id = $1 AND environment = $2 AND batch_id = $3 AND number = $4 AND done = 0`,
		id, c.Number, notNil(c.Result), noDocument); err != nil {
		return false, err
	}
	if err := bj.tx.StoredBytes().release(rows); err != nil {
		return false, err
	}
	return true, bj.tx.StoredBytes().add(len(c.Result))
}

// advance sets the state of a job after a chunk is done.
func (b *BatchJob) advance(nowMicros int64) {
	last := b.ChunksDone == b.Chunks
	if last {
		b.FinishedMicros = nowMicros
	}
	switch {
	case last && b.Status == BatchJobCancelling:
		b.Status = BatchJobCancelled
	case last:
		b.Status = BatchJobCompleted
	case b.Status == BatchJobQueued:
		b.Status = BatchJobRunning
	}
}

// BatchRowKey returns the idempotency key of a row. The answer under this key is stored in the transaction of the
// decision, so a row is decided once, whichever nodes try it.
func BatchRowKey(id string, row int64) IdempotencyKey {
	return IdempotencyKey{Route: "batch " + id, Name: fmt.Sprintf("%010d", row)}
}

// DecidedRow is a row that has been decided, with the parts of the decision that remain when the applicant is erased.
type DecidedRow struct {
	Row                 int64
	DecisionID          string
	Status, Grade       string
	PolicyKey, PolicyID string
	PolicyVersion       int64
}

// DecidedRows returns the rows of a chunk that have been decided, in order. It finds them by their idempotency keys.
func (bj BatchJobReader) DecidedRows(id string, c BatchChunk) ([]DecidedRow, error) {
	from, to := BatchRowKey(id, c.First), BatchRowKey(id, c.First+c.Rows)
	return read(bj.access, func(tx *Tx) ([]DecidedRow, error) {
		return eachRow(tx, func(r *DecidedRow) []any {
			return []any{&r.Row, &r.DecisionID, &r.Status, &r.Grade, &r.PolicyKey, &r.PolicyID, &r.PolicyVersion}
		}, `SELECT cast(k.name AS BIGINT), d.id, d.status, d.grade, d.policy_key, d.policy_id, d.policy_version
			FROM idempotency_keys k JOIN decisions d
			ON d.tenant_id = k.tenant_id AND d.environment = k.environment AND d.id = k.subject
			WHERE k.tenant_id = $1 AND k.environment = $2 AND k.route = $3 AND k.name >= $4 AND k.name < $5
			ORDER BY k.name`, from.Route, from.Name, to.Name)
	})
}
