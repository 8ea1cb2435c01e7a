package batchdesk

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"verdict/internal/operation"
	"verdict/internal/store"
)

// resumed stores the progress of each unfinished batch at the last check, so that Resume does not touch a batch that
// makes progress.
type resumed struct {
	mu   sync.Mutex
	done map[store.BatchJobRef]struct{}
}

// still returns the batches of refs that are new, or that have made no progress since the last check.
func (r *resumed) still(refs []store.BatchJobRef) []store.BatchJobRef {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := map[string]bool{}
	for ref := range r.done {
		known[ref.ID] = true
	}
	seen := make(map[store.BatchJobRef]struct{}, len(refs))
	var stuck []store.BatchJobRef
	for _, ref := range refs {
		if _, same := r.done[ref]; same || !known[ref.ID] {
			stuck = append(stuck, ref)
		}
		seen[ref] = struct{}{}
	}
	r.done = seen
	return stuck
}

// Resume enqueues each chunk that is not done and whose batch is not over. Such a chunk was never enqueued, or was
// lost with a node. Every node calls Resume periodically. Resume skips a batch that has made progress since the
// last call.
func (s *Service) Resume(ctx context.Context) error {
	refs, err := s.core.DB.Jobs().UnfinishedBatchJobs(ctx, maxResumed)
	if err != nil || s.options.ChunkQueue == nil {
		return err
	}
	var failed []error
	for _, ref := range s.resumed.still(refs) {
		pending, err := s.core.DB.Scope(ref.TenantID, ref.Environment).BatchJobs(ctx).PendingChunks(ref.ID)
		chunks := make([]operation.Chunk, len(pending))
		for i, number := range pending {
			chunks[i] = operation.Chunk{
				TenantID: ref.TenantID, Environment: ref.Environment, JobID: ref.ID, Number: number,
			}
		}
		if err == nil {
			err = s.options.ChunkQueue.Enqueue(ctx, chunks)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("resume batch %s: %w", ref.ID, err))
		}
	}
	return errors.Join(failed...)
}

const (
	// maxResumed limits how many batches Resume keeps in memory. If there are more, the newest batches are resumed
	// later.
	maxResumed = 100_000
	// arriveWithin is how long the rows of a batch may take to arrive.
	arriveWithin = time.Hour
	// purgeSteps limits the number of chunks that one transaction deletes, and purgeRounds the number of transactions
	// in one call of Purge.
	purgeSteps, purgeRounds = 50, 40
)

// Purge fails the batches whose rows have not arrived in time. Unless retention is 0, it deletes the results of
// batches that ended more than retention ago. It also deletes the remaining chunks of aborted batches and of deleted
// batches. Purge does a limited number of steps; the next Purge continues.
func (s *Service) Purge(ctx context.Context, retention time.Duration) error {
	now := s.core.Now()
	err := s.FailReceiving(ctx, now.Add(-arriveWithin))
	jobs, before := s.core.DB.Jobs(), int64(0)
	if retention > 0 {
		before = now.Add(-retention).UnixMicro()
	}
	for n, round := int64(1), 0; err == nil && n > 0 && round < purgeRounds; round++ {
		n, err = jobs.PurgeBatchJobs(ctx, before, purgeSteps)
	}
	return err
}

// FailReceiving fails the batches that were created before a time and whose rows have not all arrived. Purge deletes
// their rows. A process that is alone on its database calls it with the time of its start: whoever received these rows
// has stopped.
func (s *Service) FailReceiving(ctx context.Context, before time.Time) error {
	_, err := s.core.DB.Jobs().FailAbandonedBatchJobs(ctx, before.UnixMicro(), s.core.Now().UnixMicro())
	return err
}
