package study

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"verdict/internal/operation"
	"verdict/internal/store"
)

// resumed stores the progress of each unfinished run at the last check, so that
// Resume does not touch a run that makes progress.
type resumed struct {
	mu   sync.Mutex
	done map[runKey]int64 // finished chunks, by run
}

// still, given the unfinished runs, returns those that made no progress since the last check, or that are new.
func (r *resumed) still(refs []store.BacktestRef) []store.BacktestRef {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := make(map[runKey]int64, len(refs))
	var stuck []store.BacktestRef
	for _, ref := range refs {
		key := runKey{ref.TenantID, ref.Environment, ref.ID}
		if before, known := r.done[key]; !known || before == ref.ChunksDone {
			stuck = append(stuck, ref)
		}
		seen[key] = ref.ChunksDone
	}
	r.done = seen
	return stuck
}

// maxResumed limits how many runs Resume keeps in memory. If there are more, the newest wait.
const maxResumed = 100_000

// Resume enqueues the unfinished chunks of unfinished runs. Such chunks were never
// enqueued, or were lost with a node. If all chunks of a run are done, Resume creates its
// report. Every node calls Resume periodically. Resume skips a run that has made progress
// since the last call.
func (s *Chunks) Resume(ctx context.Context) error {
	refs, err := s.core.DB.Jobs().UnfinishedBacktests(ctx, maxResumed)
	if err != nil {
		return err
	}
	var failed []error
	for _, ref := range s.resumed.still(refs) {
		if err := s.resumeRun(ctx, ref); err != nil {
			failed = append(failed, fmt.Errorf("resume backtest %s: %w", ref.ID, err))
		}
	}
	return errors.Join(failed...)
}

func (s *Chunks) resumeRun(ctx context.Context, ref store.BacktestRef) error {
	scope := s.core.DB.Scope(ref.TenantID, ref.Environment)
	if ref.Status == store.BacktestReceiving {
		if s.options.ChunkQueue != nil {
			s.runs.enqueueChunks(ctx, scope, ref.ID, cutNumber, cutNumber)
		}
		return nil
	}
	pending, err := scope.Backtests(ctx).PendingChunks(ref.ID)
	if err != nil {
		return err
	}
	if len(pending) == 0 { // the node died before it created the report
		return s.finish(ctx, scope, ref.ID)
	}
	if s.options.ChunkQueue == nil {
		return nil
	}
	chunks := make([]operation.Chunk, len(pending))
	for i, number := range pending {
		chunks[i] = operation.Chunk{
			TenantID: ref.TenantID, Environment: ref.Environment, JobID: ref.ID, Number: number,
		}
	}
	return s.options.ChunkQueue.Enqueue(ctx, chunks)
}
