package batchdesk

import (
	"context"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// The states of a batch.
const (
	Receiving  = store.BatchJobReceiving // its rows are still arriving
	Queued     = store.BatchJobQueued
	Running    = store.BatchJobRunning
	Cancelling = store.BatchJobCancelling
	Completed  = store.BatchJobCompleted // every row has an outcome
	Cancelled  = store.BatchJobCancelled
	Failed     = store.BatchJobFailed // its rows did not arrive completely, and none was decided
)

// States returns the states of a batch by which lists can be filtered.
func States() []string {
	return []string{Receiving, Queued, Running, Cancelling, Completed, Cancelled, Failed}
}

// Batch is a job with many applications.
type Batch struct {
	ID             string
	Status         string
	Endpoint       string // each row is a request to this endpoint
	Rows           int64  // 0 until all rows have arrived
	RowsDone       int64
	Counts         Counts // counts only rows that are done
	ErrorCode      string // the error code of a batch that failed
	ErrorDetail    string
	CreatedBy      string
	CreatedMicros  int64
	StartedMicros  int64 // 0 until the first chunk is done
	FinishedMicros int64 // 0 before the batch is over
	Expired        bool  // the outcomes of the rows were deleted
}

func batchOf(b *store.BatchJob) (Batch, error) {
	counts, err := readCounts(b.Counts)
	return Batch{
		ID:             b.ID,
		Status:         b.Status,
		Endpoint:       b.Endpoint,
		Rows:           b.Rows,
		RowsDone:       b.RowsDone,
		Counts:         counts,
		ErrorCode:      b.ErrorCode,
		ErrorDetail:    b.ErrorDetail,
		CreatedBy:      b.CreatedBy,
		CreatedMicros:  b.CreatedMicros,
		StartedMicros:  b.StartedMicros,
		FinishedMicros: b.FinishedMicros,
		Expired:        b.Purged,
	}, err
}

// Get returns the state of a batch, or NotFound if there is no such batch.
func (s *Service) Get(ctx context.Context, p tenant.Principal, id string) (Batch, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Batch{}, err
	}
	record, err := s.find(ctx, s.core.Scope(p), id)
	if err != nil {
		return Batch{}, err
	}
	return batchOf(&record)
}

func (s *Service) find(ctx context.Context, scope *store.Scope, id string) (store.BatchJob, error) {
	if !tenant.Valid(tenant.KindBatch, id) {
		return store.BatchJob{}, fault.Missing("batch")
	}
	return scope.BatchJobs(ctx).Get(id)
}

// List returns a page of batches.
func (s *Service) List(
	ctx context.Context, p tenant.Principal, status string, l operation.List,
) (operation.Page[Batch], error) {
	if err := p.Require(tenant.Read); err != nil {
		return operation.Page[Batch]{}, err
	}
	filters := []string{"batches", status}
	page, err := l.Page(p, filters...)
	if err != nil {
		return operation.Page[Batch]{}, err
	}
	rows, more, err := s.core.Scope(p).BatchJobs(ctx).List(status, page)
	if err != nil {
		return operation.Page[Batch]{}, err
	}
	list := make([]Batch, len(rows))
	for i := range rows {
		if list[i], err = batchOf(&rows[i]); err != nil {
			return operation.Page[Batch]{}, err
		}
	}
	place := func(b Batch) (int64, string) { return b.CreatedMicros, b.ID }
	return operation.Paged(l, p, list, more, place, filters...), nil
}
