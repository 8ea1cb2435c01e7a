package study

import (
	"context"
	"errors"
	"io"
	"math"
	"time"

	"verdict/internal/fault"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Run runs a policy over past applications. A small run has succeeded when Run returns,
// unless Async is set. A large run continues in the background, and Get returns its
// report later. Small and large runs are stored, and billed for every hundred rows. No
// row becomes a stored decision or counts for fraud detection.
func (s *Backtests) Run(
	ctx context.Context, p tenant.Principal, r BacktestRequest, reply *operation.Reply[Backtest],
) (Backtest, error) {
	if err := r.Require(p); err != nil {
		return Backtest{}, err
	}
	scope := s.core.Scope(p)
	run := func(commit operation.Commit[Backtest]) (Backtest, error) {
		a, err := s.ask(ctx, p, &r)
		if err != nil {
			return Backtest{}, err
		}
		return s.take(ctx, p, scope, a, commit)
	}
	if r.Streamed == nil || reply == nil || reply.Idempotency == nil {
		return operation.WriteInSteps(ctx, s.core, scope, reply, run)
	}
	body := operation.NewStreamed(r.CSV, r.Streamed)
	r.CSV = body
	drain := func() error {
		limit := s.options.Backtests.MaxBytes
		_, err := io.Copy(io.Discard, &bounded{body, limit, limit})
		return err
	}
	return operation.WriteStreamed(ctx, s.core, scope, reply, body, drain, run)
}

// take runs a small backtest within the request, unless Async is set and there is a
// queue. It enqueues every other backtest as a job. Without a queue, it refuses a large
// backtest.
func (s *Backtests) take(
	ctx context.Context, p tenant.Principal, scope *store.Scope, a *asked, commit operation.Commit[Backtest],
) (Backtest, error) {
	rows, run, err := s.feed(scope, a)
	if err != nil {
		return Backtest{}, err
	}
	job := s.newRun(p, a, run)
	held, whole, err := s.gather(ctx, a, rows)
	switch {
	case err != nil:
		return Backtest{}, err
	case whole && rowsOf(held) == 0:
		return Backtest{}, noRows()
	case whole && (!a.async || s.options.ChunkQueue == nil):
		return s.answerNow(ctx, p, scope, job, held, commit)
	case s.options.ChunkQueue == nil:
		return Backtest{}, fault.New(fault.TooLarge, fault.CodeRequestTooLarge,
			"this service does not run large backtests; send at most %d rows", s.options.Backtests.SmallRows)
	case a.source == sourceDecisions:
		return s.enqueueReplay(ctx, p, scope, job, held, whole, commit)
	}
	in := &intake{
		a:     a,
		feed:  rows,
		held:  held,
		whole: whole,
		most:  s.options.Backtests.MaxRows,
	}
	return s.enqueue(ctx, p, scope, job, in, commit)
}

// gather reads the rows up to the limit for a small run. whole reports whether it has
// read all rows.
func (s *Backtests) gather(ctx context.Context, a *asked, rows feed) (held []piece, whole bool, err error) {
	limits := &s.options.Backtests
	small, pieces := limits.SmallRows, math.MaxInt
	if a.source == sourceDecisions {
		small, pieces = small/replayWeight, replayPieces
	}
	var n, size int64
	for n <= small && size <= limits.SmallBytes && len(held) < pieces {
		p, err := rows.next(ctx, false)
		if errors.Is(err, io.EOF) {
			return held, true, nil
		}
		if err != nil {
			return nil, false, err
		}
		n, size = n+p.rows, size+int64(len(p.block))
		if err := a.admit(n, limits.MaxRows); err != nil {
			return nil, false, err
		}
		held = append(held, p)
	}
	return held, false, nil
}

// replayWeight is approximately the cost of reading a stored decision, compared with
// the cost of reading a line of a file.
const replayWeight = 10

// replayPieces is the maximum number of pieces of stored decisions that are read within
// the request, even if they have few rows.
const replayPieces = 3

func rowsOf(held []piece) (n int64) {
	for i := range held {
		n += held[i].rows
	}
	return n
}

// intake receives the rows of a job.
type intake struct {
	a            *asked
	upload       *journal.Upload // nil if the rows are not uploaded
	feed         feed
	held         []piece     // pieces that were already read
	whole        bool        // held contains all rows
	enough       func() bool // called after each piece; if it returns true, the intake pauses; may be nil
	most         int64
	rows, chunks int64
}

// enqueue stores the rows as they arrive, each piece in its own transaction. It
// enqueues the job once all rows have arrived. Its memory use does not depend on the
// number of rows.
func (s *Backtests) enqueue(
	ctx context.Context, p tenant.Principal, scope *store.Scope, job *backtestRun, in *intake,
	commit operation.Commit[Backtest],
) (Backtest, error) {
	record := job.record
	record.Status = store.BacktestReceiving
	audit := s.core.Audit(p, time.UnixMicro(record.CreatedMicros), operation.ActionBacktestCreated, record.ID, "")
	var err error
	if in.upload, err = s.newUpload(ctx, p, &record); err != nil {
		return Backtest{}, err
	}
	err = in.upload.Store(ctx, func(key store.StoredTree) error {
		return scope.Write(ctx, func(tx *store.Tx) error {
			if err := operation.CheckStored(tx, p.Plan); err != nil {
				return err
			}
			if err := insertRun(tx, &record, key, nil); err != nil {
				return err
			}
			return tx.Audit().Add(audit)
		})
	})
	if err != nil {
		return Backtest{}, err
	}
	err = in.store(ctx, scope, record.ID)
	var queued Backtest
	if err == nil {
		queued, err = commit(ctx, func(tx *store.Tx) (Backtest, error) {
			record.Status, record.Rows, record.Chunks = store.BacktestQueued, in.rows, in.chunks
			return backtestOf(&record), tx.Backtests().Queue(record.ID, in.rows, in.chunks)
		})
	}
	if err != nil {
		s.runs.abort(ctx, scope, record.ID, err)
		return Backtest{}, err
	}
	s.runs.enqueueChunks(ctx, scope, record.ID, 1, in.chunks)
	return queued, nil
}

// store stores the rows until all have arrived or enough returns true.
func (in *intake) store(ctx context.Context, scope *store.Scope, id string) error {
	for i := range in.held {
		if err := in.keep(ctx, scope, id, &in.held[i]); err != nil {
			return err
		}
		in.held[i] = piece{}
	}
	for !in.whole {
		p, err := in.feed.next(ctx, true)
		if errors.Is(err, io.EOF) {
			in.whole = true
			return nil
		}
		if err == nil {
			err = in.a.admit(in.rows+p.rows, in.most)
		}
		if err == nil {
			err = in.keep(ctx, scope, id, &p)
		}
		if err != nil || in.enough != nil && in.enough() {
			return err
		}
	}
	return nil
}

func (in *intake) keep(ctx context.Context, scope *store.Scope, id string, p *piece) error {
	c, err := p.chunk(in.upload, scope.Environment(), id, in.chunks+1)
	if err != nil {
		return err
	}
	in.rows, in.chunks = in.rows+p.rows, in.chunks+1
	return scope.Write(ctx, func(tx *store.Tx) error {
		if err := tx.Backtests().ReceiveChunk(id, c); err != nil {
			return err
		}
		return operation.CheckStored(tx, in.a.plan)
	})
}
