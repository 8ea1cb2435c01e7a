package batchdesk

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"verdict/internal/fault"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/store"
)

// Run decides the rows of a chunk that have no outcome yet, and stores the outcomes when all rows have one. It may be
// called any number of times for the same chunk, on any node. It returns operation.ErrUnfinished if it decided only
// some of the rows. Another error means that storage failed, and the caller should retry.
func (s *Service) Run(ctx context.Context, c operation.Chunk) error { return s.run(ctx, c, false) }

// Abandon runs a chunk for the last time. Rows that still cannot be decided get an internal error, so that the batch
// ends and its other rows are not affected.
func (s *Service) Abandon(ctx context.Context, c operation.Chunk) error { return s.run(ctx, c, true) }

func (s *Service) run(ctx context.Context, c operation.Chunk, last bool) error {
	scope := s.core.DB.Scope(c.TenantID, c.Environment)
	w, err := s.open(ctx, scope, c)
	if err != nil || w == nil {
		return err
	}
	w.last = last
	if err := w.decide(ctx); err != nil {
		return fmt.Errorf("decide chunk %d of batch %s: %w", c.Number, c.JobID, err)
	}
	return w.finish(ctx)
}

// work is one attempt at a chunk.
type work struct {
	s     *Service
	scope *store.Scope
	batch store.BatchJob
	chunk store.BatchChunk
	rows  []Row // the outcomes; see Row.known
	last  bool  // there will be no other attempt
}

// open reads a chunk and the outcomes of the rows that were decided before. It returns nil if there is nothing to do,
// because the chunk is done or the batch is over.
func (s *Service) open(ctx context.Context, scope *store.Scope, c operation.Chunk) (*work, error) {
	w := &work{s: s, scope: scope}
	err := scope.Read(ctx, func(tx *store.Tx) (err error) {
		if w.batch, err = tx.BatchJobs().Get(c.JobID); err != nil || w.batch.Over() {
			return err
		}
		w.chunk, err = tx.BatchJobs().Chunk(c.JobID, c.Number)
		return err
	})
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return nil, nil //nolint:nilnil // the batch is over and its chunks were deleted
	case err != nil:
		return nil, err
	case w.batch.Over() || w.chunk.Done:
		return nil, nil //nolint:nilnil // nothing is to be done
	}
	w.rows = make([]Row, w.chunk.Rows)
	for i := range w.rows {
		w.rows[i].Index = w.chunk.First + int64(i)
	}
	return w, w.recall(ctx)
}

// recall sets the outcomes of the rows that have been decided, by this attempt or another.
func (w *work) recall(ctx context.Context) error {
	decided, err := w.scope.BatchJobs(ctx).DecidedRows(w.batch.ID, w.chunk)
	if err != nil {
		return err
	}
	for i := range decided {
		d := &decided[i]
		row := &w.rows[d.Row-w.chunk.First]
		row.DecisionID, row.Status, row.Grade, row.Err = d.DecisionID, d.Status, d.Grade, nil
		row.Policy.Key, row.Policy.ID, row.Policy.Version = d.PolicyKey, d.PolicyID, d.PolicyVersion
	}
	return nil
}

// decide gives every row an outcome, unless it returns an error.
func (w *work) decide(ctx context.Context) error {
	age := w.s.core.Moment().UnixMicro() - w.batch.CreatedMicros
	switch {
	case w.batch.Status == Cancelling:
		w.refuseRest(fault.New(fault.Conflict, fault.CodeBatchCancelled,
			"the batch was cancelled before this row was decided"))
		return nil
	case age > maxAge.Microseconds():
		w.refuseRest(fault.New(fault.Unavailable, fault.CodeBatchTimedOut,
			"this row was not decided within %d days; send it again", int(maxAge.Hours()/24)))
		return nil
	}
	lines, err := w.lines(ctx)
	if errors.Is(err, journal.ErrUploadDestroyed) { // an older copy of the database was restored with newer keys
		w.refuseRest(fault.New(fault.Gone, fault.CodeErased,
			"the key of this row was destroyed before the row was decided; send it again"))
		return nil
	}
	var spoilt operation.Defect
	if errors.As(err, &spoilt) {
		w.s.core.Logger.ErrorContext(ctx, "could not read the rows of a batch; they get an internal error",
			append(w.about(), "error", err)...)
		w.refuseRest(errInternal())
		return nil
	}
	if err != nil {
		return err
	}
	caller, refusal, err := w.s.caller(ctx, w.scope, &w.batch)
	if err != nil {
		return err
	}
	if refusal != nil {
		w.refuseRest(refusal)
		return nil
	}
	return w.decideRows(ctx, caller, lines)
}

// refuseRest gives an error to all rows that have no outcome.
func (w *work) refuseRest(refusal *fault.Error) {
	for i := range w.rows {
		if !w.rows[i].known() {
			w.rows[i].Err = refusal
		}
	}
}

// errInternal returns the error of a row that could not be decided for reasons that its sender did not cause.
func errInternal() *fault.Error {
	return fault.New(fault.Internal, fault.CodeInternalError,
		"this row was not decided because of an internal error; send it again")
}

// lines returns the rows of the chunk. The error wraps journal.ErrUploadDestroyed if their key was destroyed, and is a
// Defect if they cannot be read.
func (w *work) lines(ctx context.Context) ([][]byte, error) {
	scope := journal.Scope{Tenant: w.scope.Tenant(), Environment: w.scope.Environment()}
	packed, err := w.s.core.Keys.OpenBatch(ctx, scope, w.batch.ID, w.chunk.Number, w.chunk.Input)
	if err != nil {
		var unreadable journal.Unreadable
		if errors.As(err, &unreadable) {
			err = operation.AsDefect(err)
		}
		return nil, err
	}
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, operation.AsDefect(err)
	}
	text, err := io.ReadAll(io.LimitReader(zip, maxChunk+1))
	if err != nil {
		return nil, operation.AsDefect(err)
	}
	lines := bytes.Split(text, []byte{'\n'}) // each row ends with a line feed
	if lines = lines[:len(lines)-1]; int64(len(lines)) != w.chunk.Rows {
		return nil, operation.AsDefect(fmt.Errorf("chunk %d has %d rows instead of %d", w.chunk.Number, len(lines),
			w.chunk.Rows))
	}
	return lines, nil
}

// maxChunk is the maximum size of the rows of a chunk, in bytes. Only a corrupt chunk is larger.
const maxChunk = 64 << 20

// finish stores the outcomes. If several attempts have outcomes for all rows, only the first attempt stores them. A
// refused row may turn out to be decided, by a commit whose outcome was unknown or by another node. Then the decision
// becomes the outcome of the row.
func (w *work) finish(ctx context.Context) error {
	for {
		err := w.store(ctx)
		if !errors.Is(err, errDecided) {
			return err
		}
		if err := w.recall(ctx); err != nil {
			return err
		}
	}
}

// errDecided rolls back the transaction of finish if there is a decision for a row that has an error.
var errDecided = errors.New("a decision is stored for a row that was refused")

// store stores the outcomes in one transaction. It returns errDecided if recall must be called first.
func (w *work) store(ctx context.Context) error {
	result, err := encodeRows(w.rows)
	if err != nil {
		return err
	}
	counts, done := count(w.rows), w.chunk
	done.Input, done.Result = nil, result
	now := w.s.core.Moment().UnixMicro()
	refused := slices.ContainsFunc(w.rows, func(r Row) bool { return r.Err != nil })
	return w.scope.Write(ctx, func(tx *store.Tx) error {
		if refused { // transactions of a scope are serial, so no decision is being stored at this moment
			decided, err := tx.BatchJobs().DecidedRows(w.batch.ID, w.chunk)
			if err != nil {
				return err
			}
			for i := range decided {
				if w.rows[decided[i].Row-w.chunk.First].DecisionID == "" {
					return errDecided
				}
			}
		}
		_, err := tx.BatchJobs().FinishChunk(w.batch.ID, done, now, counts.addTo)
		return err
	})
}

// about returns the attributes of a line in the log.
func (w *work) about() []any {
	return []any{"tenant_id", w.scope.Tenant(), "environment", w.scope.Environment(), "batch_id", w.batch.ID,
		"chunk", w.chunk.Number}
}
