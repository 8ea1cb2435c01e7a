package store

import (
	"database/sql"
	"errors"

	"verdict/internal/fault"
)

// BacktestChunk holds some rows of a backtest: complete rows of the input and,
// once the chunk is done, their result.
type BacktestChunk struct {
	Number      int64 // the position of the chunk among the run's chunks
	First, Rows int64 // the number of the chunk's first row, and its number of rows
	Input       []byte
	Result      []byte // empty until the chunk is done
	Done        bool
}

// InsertChunk stores a chunk as given. It returns Conflict version_conflict if
// the run has a chunk with this number.
func (bt Backtests) InsertChunk(id string, c BacktestChunk) error {
	_, err := bt.tx.exec(
		`INSERT INTO backtest_chunks (tenant_id, environment, backtest_id, number, first_row, row_count, `+
			`done, input, result)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		id, c.Number, c.First, c.Rows, flag(c.Done), notNil(c.Input), notNil(c.Result))
	if err != nil {
		return err
	}
	return bt.tx.StoredBytes().add(len(c.Input) + len(c.Result))
}

// ReceiveChunk stores a chunk that has just arrived. It returns Conflict invalid_transition if the run is not
// receiving, for instance because it was cancelled.
func (bt Backtests) ReceiveChunk(id string, c BacktestChunk) error {
	b, err := bt.lock(id)
	if err != nil {
		return err
	}
	if b.Status != BacktestReceiving {
		return fault.New(fault.Conflict, fault.CodeInvalidTransition,
			"a backtest in the state %s accepts no more rows", b.Status)
	}
	return bt.InsertChunk(id, c)
}

// Chunk returns a chunk with its input and without its result, NotFound if there
// is none.
func (bt BacktestReader) Chunk(id string, number int64) (BacktestChunk, error) {
	return read(bt.access, func(tx *Tx) (BacktestChunk, error) {
		c, err := tx.Backtests().chunk("input", "AND number = $4", id, number)
		return c, orNotFound("part of a backtest", err)
	})
}

// LastChunk returns the chunk of a run with the highest number, with its input
// and without its result. It returns NotFound if the run has no chunks.
func (bt BacktestReader) LastChunk(id string) (BacktestChunk, error) {
	return read(bt.access, func(tx *Tx) (BacktestChunk, error) {
		c, err := tx.Backtests().chunk("input", "AND number >= $4 ORDER BY number DESC LIMIT 1", id, 0)
		return c, orNotFound("part of a backtest", err)
	})
}

// chunk reads the first chunk that satisfies the condition, with one of its two
// documents, "input" or "result". It returns sql.ErrNoRows if there is none.
func (bt Backtests) chunk(document, condition, id string, number int64) (BacktestChunk, error) {
	var c BacktestChunk
	into := &c.Input
	if document == "result" {
		into = &c.Result
	}
	err := bt.tx.one([]any{&c.Number, &c.First, &c.Rows, &c.Done, into},
		"SELECT number, first_row, row_count, done, "+document+` FROM backtest_chunks
		WHERE tenant_id = $1 AND environment = $2 AND backtest_id = $3 `+condition, id, number)
	return c, err
}

// FinishChunk stores the result of a chunk and updates the run's progress. Only
// the first call for a chunk has an effect. For later calls, and if the run is
// neither queued nor running, first is false and nothing changes. The result left is
// the number of the run's chunks that are not done yet.
//
// The first finished chunk moves the run to the state running.
func (bt Backtests) FinishChunk(
	id string, number, rows int64, result []byte, nowMicros int64,
) (first bool, left int64, err error) {
	b, err := bt.lock(id)
	if err != nil {
		return false, 0, err
	}
	left = b.Chunks - b.ChunksDone
	if b.Status != BacktestQueued && b.Status != BacktestRunning {
		return false, left, nil
	}
	n, err := bt.tx.exec(`UPDATE backtest_chunks SET done = 1, result = $5
		WHERE tenant_id = $1 AND environment = $2 AND backtest_id = $3 AND number = $4 AND done = 0`,
		id, number, notNil(result))
	if err != nil || n == 0 {
		return false, left, err
	}
	if err := bt.tx.StoredBytes().add(len(result)); err != nil {
		return false, left, err
	}
	if b.StartedMicros == 0 {
		b.StartedMicros = nowMicros
	}
	_, err = bt.tx.exec(
		`UPDATE backtests SET status = $4, rows_done = rows_done + $5, chunks_done = chunks_done + 1, `+
			`started_micros = $6
		WHERE tenant_id = $1 AND environment = $2 AND id = $3`, id, BacktestRunning, rows, b.StartedMicros)
	return err == nil, left - 1, err
}

// PendingChunks returns the numbers of a run's chunks that are not done yet, in
// order.
func (bt BacktestReader) PendingChunks(id string) ([]int64, error) {
	return read(bt.access, func(tx *Tx) ([]int64, error) {
		var numbers []int64
		err := tx.each(func(scan func(...any) error) error {
			var number int64
			err := scan(&number)
			numbers = append(numbers, number)
			return err
		}, `SELECT number FROM backtest_chunks `+
			`WHERE tenant_id = $1 AND environment = $2 AND backtest_id = $3 AND done = 0 ORDER BY number`, id)
		return numbers, err
	})
}

// WalkInputs calls fn for each chunk of a run with its input, in order. If fn
// returns an error, WalkInputs stops and returns the error.
func (bt BacktestReader) WalkInputs(id string, fn func(BacktestChunk) error) error {
	return bt.walk("input", "AND number > $4 ORDER BY number LIMIT 1", id, fn)
}

// WalkResults calls fn for each finished chunk of a run with its result, in
// order. If fn returns an error, WalkResults stops and returns the error.
func (bt BacktestReader) WalkResults(id string, fn func(BacktestChunk) error) error {
	return bt.walk("result", "AND number > $4 AND done = 1 ORDER BY number LIMIT 1", id, fn)
}

// walk reads one chunk at a time, each in a transaction of its own, because fn
// may take long. So no transaction stays open, and only one document is in
// memory.
func (bt BacktestReader) walk(document, condition, id string, fn func(BacktestChunk) error) error {
	for last := int64(-1); ; {
		c, err := read(bt.access, func(tx *Tx) (BacktestChunk, error) {
			return tx.Backtests().chunk(document, condition, id, last)
		})
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return nil
		case err != nil:
			return err
		}
		if err := fn(c); err != nil {
			return err
		}
		last = c.Number
	}
}
