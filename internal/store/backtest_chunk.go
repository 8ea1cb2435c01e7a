package store

import (
	"database/sql"
	"errors"

	"verdict/internal/fault"
)

// BacktestChunk is a piece of a backtest: whole rows of its input, and what
// they gave once it is done.
type BacktestChunk struct {
	Number      int64 // its place among the run's chunks
	First, Rows int64 // the number of its first row, and how many there are
	Input       []byte
	Result      []byte // empty until it is done
	Done        bool
}

// InsertChunk stores a chunk as it is given. Conflict version_conflict
// when the run has one with this number.
func (bt Backtests) InsertChunk(id string, c BacktestChunk) error {
	_, err := bt.tx.exec(
		`INSERT INTO backtest_chunks (tenant_id, environment, backtest_id, number, first_row, row_count, done, input, result)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		id, c.Number, c.First, c.Rows, flag(c.Done), present(c.Input), present(c.Result))
	return err
}

// ReceiveChunk is InsertChunk for a chunk that has just arrived.
// Conflict invalid_transition when its run is not receiving any more: it was
// cancelled, or taken for abandoned.
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

// Chunk finds a chunk with its input and without its result.
func (bt BacktestReader) Chunk(id string, number int64) (BacktestChunk, error) {
	return read(bt.access, func(tx *Tx) (BacktestChunk, error) {
		c, err := tx.Backtests().chunk("input", "AND number = $4", id, number)
		return c, oneOf("part of a backtest", err)
	})
}

// LastChunk finds the chunk of a run with the highest number, with its
// input and without its result.
func (bt BacktestReader) LastChunk(id string) (BacktestChunk, error) {
	return read(bt.access, func(tx *Tx) (BacktestChunk, error) {
		c, err := tx.Backtests().chunk("input", "AND number >= $4 ORDER BY number DESC LIMIT 1", id, 0)
		return c, oneOf("part of a backtest", err)
	})
}

// chunk reads the first chunk that a condition admits, with one of its two
// documents; sql.ErrNoRows when there is none.
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

// FinishChunk keeps what a chunk gave, once: whoever comes first has it kept,
// and the run's progress moves in the same transaction. To anybody later first
// is false and nothing is changed, as it is when the run is over. left is how
// many of the run's chunks are still to be done.
//
// The run itself becomes running with the first chunk.
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
		WHERE tenant_id = $1 AND environment = $2 AND backtest_id = $3 AND number = $4 AND done = 0`, id, number, present(result))
	if err != nil || n == 0 {
		return false, left, err
	}
	if b.StartedMicros == 0 {
		b.StartedMicros = nowMicros
	}
	_, err = bt.tx.exec(
		`UPDATE backtests SET status = $4, rows_done = rows_done + $5, chunks_done = chunks_done + 1, started_micros = $6
		WHERE tenant_id = $1 AND environment = $2 AND id = $3`, id, BacktestRunning, rows, b.StartedMicros)
	return err == nil, left - 1, err
}

// PendingChunks returns the numbers of a run's chunks that are still to be done, in
// their order.
func (bt BacktestReader) PendingChunks(id string) ([]int64, error) {
	return read(bt.access, func(tx *Tx) ([]int64, error) {
		var numbers []int64
		err := tx.each(func(scan func(...any) error) error {
			var number int64
			err := scan(&number)
			numbers = append(numbers, number)
			return err
		}, `SELECT number FROM backtest_chunks WHERE tenant_id = $1 AND environment = $2 AND backtest_id = $3 AND done = 0 ORDER BY number`, id)
		return numbers, err
	})
}

// WalkInputs hands the chunks of a run to fn in their order, each with its
// input, one at a time.
func (bt BacktestReader) WalkInputs(id string, fn func(BacktestChunk) error) error {
	return bt.walk("input", "AND number > $4 ORDER BY number LIMIT 1", id, fn)
}

// WalkResults hands the chunks of a run that are done to fn in their order, each
// with its result, one at a time.
func (bt BacktestReader) WalkResults(id string, fn func(BacktestChunk) error) error {
	return bt.walk("result", "AND number > $4 AND done = 1 ORDER BY number LIMIT 1", id, fn)
}

// walk asks for each chunk by itself: fn may take its time, and neither a
// transaction nor more than one document waits for it.
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
