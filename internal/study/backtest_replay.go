package study

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"verdict/internal/backtest"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// replayFeed splits a range of stored decisions into pieces.
type replayFeed struct {
	scope *store.Scope
	which span
	each  int64
	after string
	over  bool
	done  int64
}

// pieceCuts is the maximum number of calls of Decisions.NextChunk for one piece. If the
// filter matches few decisions, a piece has fewer rows than the maximum, or none.
// Without this limit, a piece could span so many other decisions that scanning it would
// time out.
const pieceCuts = 100

func (f *replayFeed) next(ctx context.Context, _ bool) (piece, error) {
	p := piece{first: f.done + 1}
	r := replayed{after: f.after}
	for cuts := 0; !f.over && p.rows < f.each && cuts < pieceCuts; cuts++ {
		cut, err := f.scope.Decisions(ctx).NextChunk(f.which.filter(), f.which.page(f.after), f.each-p.rows)
		if err != nil {
			return piece{}, err
		}
		if cut.Rows > 0 {
			p.rows, r.last = p.rows+cut.Rows, cut.Last
		}
		f.after, f.over = cut.Next, cut.Next == ""
	}
	if f.over && p.rows == 0 {
		return piece{}, io.EOF
	}
	r.next = f.after
	p.input = r.input()
	f.done += p.rows
	return p, nil
}

// replayed identifies the stored decisions of a piece: the decisions that follow
// the id in after, up to and including the id in last. The next piece begins after
// the id in next, which is "" for the last piece.
type replayed struct{ after, last, next string }

func (r replayed) input() []byte { return []byte(r.after + " " + r.last + " " + r.next) }

// readReplayed decodes the result of input. Earlier releases did not store next,
// because every piece began after the last decision of the previous piece.
func readReplayed(input []byte) (r replayed) {
	var rest string
	var told bool
	r.after, rest, _ = strings.Cut(string(input), " ")
	if r.last, r.next, told = strings.Cut(rest, " "); !told {
		r.next = r.last
	}
	return r
}

func (r span) filter() store.DecisionFilter {
	return store.DecisionFilter{PolicyKey: r.policyKey, Status: r.status}
}

// page returns the part of the range after a decision.
func (r span) page(after string) store.Page {
	return store.Page{
		AfterID:    after,
		FromMicros: operation.Micros(r.from),
		ToMicros:   operation.Micros(r.to),
		FromID:     tenant.FirstID(tenant.KindDecision, r.from),
		ToID:       tenant.FirstID(tenant.KindDecision, r.to.Add(time.Millisecond-1)),
	}
}

// replayPage is the number of stored decisions that are read at a time.
const replayPage = 100

var errPieceDone = errors.New("the piece is done")

func (j *backtestRun) performReplay(ctx context.Context, scope *store.Scope, p piece, w *backtest.Worker) error {
	if p.rows == 0 {
		return nil
	}
	which := readReplayed(p.input)
	page := j.replay.page(which.after)
	page.Limit = replayPage
	r := replayer{job: j, scope: scope, worker: w, row: p.first}
	err := scope.Decisions(ctx).Walk(j.replay.filter(), page, func(d *store.Decision) error {
		if d.ID > which.last {
			return errPieceDone
		}
		if err := r.add(ctx, d); err != nil {
			return err
		}
		if d.ID == which.last {
			return errPieceDone // stop here: the next match may be far away
		}
		return nil
	})
	if err != nil && !errors.Is(err, errPieceDone) {
		return err
	}
	return r.flush(ctx)
}

// cutNumber is the chunk number of the job that splits the rest of a replay into
// chunks. Further jobs that continue the split have negative numbers, counting down.
const cutNumber = 0

// enqueueReplay stores the chunks of a replay that were split so far. If whole is set, these are all chunks, and
// enqueueReplay enqueues them. Otherwise it enqueues a job that splits the rest, so that the caller does not wait
// for a long range. Every replay in the state "receiving" has such a job.
func (s *Backtests) enqueueReplay(
	ctx context.Context, p tenant.Principal, scope *store.Scope, job *backtestRun, held []piece, whole bool,
	commit operation.Commit[Backtest],
) (Backtest, error) {
	record := job.record
	record.Status = store.BacktestReceiving
	if whole {
		record.Status, record.Rows, record.Chunks = store.BacktestQueued, rowsOf(held), int64(len(held))
	}
	made, err := commit(ctx, func(tx *store.Tx) (Backtest, error) {
		if err := tx.Backtests().Insert(record); err != nil {
			return Backtest{}, err
		}
		for i := range held {
			c, err := held[i].chunk(nil, scope.Environment(), record.ID, int64(i)+1)
			if err == nil {
				err = tx.Backtests().InsertChunk(record.ID, c)
			}
			if err != nil {
				return Backtest{}, err
			}
		}
		if err := operation.CheckStored(tx, p.Plan); err != nil {
			return Backtest{}, err
		}
		audit := s.core.Audit(p, time.UnixMicro(record.CreatedMicros), operation.ActionBacktestCreated, record.ID, "")
		return backtestOf(&record), tx.Audit().Add(audit)
	})
	switch {
	case err != nil:
	case whole:
		s.runs.enqueueChunks(ctx, scope, record.ID, 1, record.Chunks)
	default:
		s.runs.enqueueChunks(ctx, scope, record.ID, cutNumber, cutNumber)
	}
	return made, err
}

// splitReplay splits more of a replay into chunks, and enqueues the chunks when the
// replay is complete. It continues after the last stored chunk, so concurrent calls are
// harmless: if two calls store the same piece, one of them fails and stops.
func (s *Chunks) splitReplay(ctx context.Context, scope *store.Scope, c operation.Chunk) error {
	in, err := s.intakeOf(ctx, scope, c.JobID)
	if err == nil && in != nil {
		until := s.core.Now().Add(s.options.Backtests.CutTime)
		in.enough = func() bool { return s.core.Now().After(until) }
		err = in.store(ctx, scope, c.JobID)
	}
	switch {
	case fault.KindOf(err) == fault.TooLarge, fault.KindOf(err) == fault.Limited,
		fault.CodeOf(err) == fault.CodeCapReached:
		s.runs.abort(ctx, scope, c.JobID, err)
		return nil
	case fault.KindOf(err) == fault.Conflict: // the run was cancelled, or another job splits it
		return nil
	case err != nil || in == nil:
		return err
	case !in.whole:
		s.runs.enqueueChunks(ctx, scope, c.JobID, c.Number-1, c.Number-1)
		return nil
	case in.rows == 0:
		s.runs.abort(ctx, scope, c.JobID, noRows())
		return nil
	}
	return s.queueReplay(ctx, scope, c.JobID, in)
}

// intakeOf returns the intake for the rest of a replay. It returns nil if the run no
// longer needs an intake.
func (s *Chunks) intakeOf(ctx context.Context, scope *store.Scope, id string) (*intake, error) {
	var record store.Backtest
	var last store.BacktestChunk
	err := scope.Read(ctx, func(tx *store.Tx) (err error) {
		if record, err = tx.Backtests().Get(id); err != nil || record.Status != store.BacktestReceiving {
			return err
		}
		if last, err = tx.Backtests().LastChunk(id); fault.KindOf(err) == fault.NotFound {
			last, err = store.BacktestChunk{First: 1}, nil // no chunk was split yet
		}
		return err
	})
	if err != nil || record.Status != store.BacktestReceiving {
		return nil, err
	}
	job, err := s.runs.get(ctx, scope, id)
	if err != nil {
		return nil, err
	}
	caller, err := s.tenantOf(ctx, scope)
	if err != nil {
		return nil, err
	}
	limits, from := &s.options.Backtests, readReplayed(last.Input)
	in := &intake{
		a: &asked{}, most: limits.MaxRows, rows: last.First + last.Rows - 1, chunks: last.Number,
	}
	in.feed = &replayFeed{
		scope: scope,
		which: job.replay,
		each:  limits.ReplayRows,
		after: from.next,
		over:  last.Number > 0 && from.next == "",
		done:  in.rows,
	}
	return in, s.runs.afford(ctx, caller, in.a)
}

// queueReplay enqueues the chunks of a replay, unless another job has added chunks or
// has enqueued the chunks already.
func (s *Chunks) queueReplay(ctx context.Context, scope *store.Scope, id string, in *intake) error {
	err := scope.Write(ctx, func(tx *store.Tx) error {
		if err := tx.Backtests().Queue(id, in.rows, in.chunks); err != nil {
			return err
		}
		last, err := tx.Backtests().LastChunk(id)
		if err == nil && last.Number != in.chunks {
			err = fault.New(fault.Conflict, fault.CodeVersionConflict, "another job has added a chunk in the meantime")
		}
		return err
	})
	if fault.KindOf(err) == fault.Conflict {
		return nil
	}
	if err == nil {
		s.runs.enqueueChunks(ctx, scope, id, 1, in.chunks)
	}
	return err
}
