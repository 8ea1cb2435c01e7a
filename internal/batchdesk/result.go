package batchdesk

import (
	"context"
	"errors"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Window selects outcomes of rows.
type Window struct {
	From   int64 // the index of the first row
	Limit  int64 // the maximum number of rows; 0 means all
	Errors bool  // only rows that were not decided
}

// errEnough ends the reading of outcomes.
var errEnough = errors.New("all rows of the window were read")

// Results calls fn with the outcomes of the rows in a window, in the order of the rows, and calls pause between two
// chunks. It ends before the first row that has no outcome yet. It returns NotFound if there is no such batch, and
// batch_expired if its results were deleted. If fn returns an error, Results stops and returns the error.
func (s *Service) Results(
	ctx context.Context, p tenant.Principal, id string, window Window, fn func(Row) error, pause func(),
) error {
	if err := p.Require(tenant.Read); err != nil {
		return err
	}
	scope := s.core.Scope(p)
	batch, err := s.find(ctx, scope, id)
	switch {
	case err != nil:
		return err
	case batch.Purged && batch.Chunks > 0:
		return errExpired()
	}
	err = walk(ctx, scope, &batch, window, fn, pause)
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

func errExpired() error {
	return fault.New(fault.Gone, fault.CodeBatchExpired,
		"the results of this batch were deleted; its decisions still exist")
}

// walk calls fn with the outcomes of a window. It reads one chunk at a time, each in a transaction of its own, because
// fn may take long. It returns batch_expired if a chunk is gone: Purge deletes the chunks of a large batch in several
// transactions, and the batch counts as purged only after the last transaction.
func walk(
	ctx context.Context, scope *store.Scope, b *store.BatchJob, window Window, fn func(Row) error, pause func(),
) error {
	n := int64(0)
	chunk, found, err := scope.BatchJobs(ctx).ChunkAt(b.ID, window.From)
	stored := window.From < b.Rows // the batch has this row, so a missing chunk was deleted
	for err == nil && found && chunk.Done {
		err = decodeRows(chunk.Result, chunk.First, func(row Row) error {
			if row.Index < window.From || window.Errors && row.Err == nil {
				return nil
			}
			if window.Limit > 0 && n == window.Limit {
				return errEnough
			}
			n++
			row.RequestID = b.RequestID
			return fn(row)
		})
		pause()
		if err == nil {
			stored = chunk.Number < b.Chunks
			chunk, found, err = scope.BatchJobs(ctx).ResultOf(b.ID, chunk.Number+1)
		}
	}
	if err == nil && !found && stored {
		return errExpired()
	}
	return err
}
