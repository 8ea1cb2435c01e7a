// Package job runs the chunks of large backtests and of batches in the background: on
// PostgreSQL on all nodes, through River's queue in the same database, and on SQLite in
// goroutines of the single process.
//
// A chunk runs at least once. The rows and results of chunks are in the tables of
// backtests and batches, and only the first result of a chunk counts. The queue contains
// only the names of chunks. If the queue loses a chunk, the chunk is enqueued again
// from these tables.
package job

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"time"

	"verdict/internal/fault"
	"verdict/internal/operation"
)

// Work runs a chunk. If Work returns an error, the chunk is retried, so Work must
// not return an error for bad data. If the error is operation.ErrUnfinished, the attempt
// does not count.
type Work func(ctx context.Context, c operation.Chunk) error

// GiveUp is called for a chunk that will not be retried.
type GiveUp func(ctx context.Context, c operation.Chunk) error

const (
	// attempts is the number of times that a chunk is tried before it is given up.
	// With the pauses between the attempts, a chunk survives if the database is down
	// for a minute and a half.
	attempts = 8
	// attemptTimeout limits the time of an attempt. A chunk takes a fraction of a
	// second; the last chunk of a run, which merges all results, takes longer.
	attemptTimeout = 40 * time.Second
	// longestPause is the maximum time between two attempts.
	longestPause = 30 * time.Second
	// stopTimeout is how long running chunks may take to finish at shutdown. A
	// chunk that does not finish runs again later.
	stopTimeout = 5 * time.Second
)

// pause returns how long to wait after a failed attempt: 1, 2, 4, … seconds, at
// most longestPause, and 0 after the last attempt.
func pause(attempt int) time.Duration {
	if attempt >= attempts {
		return 0
	}
	return min(time.Second<<max(attempt-1, 0), longestPause)
}

// urgency returns the priority of a chunk, from 1 (first) to 4 (last). Later
// chunks of a run have a lower priority, so that a small run does not wait until a
// large run is complete.
func urgency(c operation.Chunk) int {
	switch {
	case c.Number <= 8:
		return 1
	case c.Number <= 64:
		return 2
	case c.Number <= 512:
		return 3
	default:
		return urgencies
	}
}

const urgencies = 4

// runner runs attempts of chunks.
type runner struct {
	work   Work
	giveUp GiveUp
	logger *slog.Logger
}

// try makes one attempt. The call after the last attempt gives up the chunk. So a
// chunk is given up even if its node died during the last attempt.
func (h *runner) try(ctx context.Context, c operation.Chunk, attempt int) error {
	if attempt > attempts {
		h.logger.Error("chunk failed in all attempts; it is given up", about(c)...)
		return guarded(ctx, h.giveUp, c, h.logger)
	}
	err := guarded(ctx, h.work, c, h.logger)
	if err != nil && !uncounted(ctx, err) {
		h.logger.Warn("chunk failed; it is tried up to max_attempts times",
			append(about(c), "attempt", attempt, "max_attempts", attempts, "error", err)...)
	}
	return err
}

// uncounted reports whether an attempt with an error does not count: the chunk is
// partly done, or a shutdown interrupted the attempt.
func uncounted(ctx context.Context, err error) bool {
	return errors.Is(err, operation.ErrUnfinished) || stopping(ctx)
}

// stopping reports whether ctx was cancelled by shutdown, and did not end by the
// timeout.
func stopping(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

// errPanicked replaces a panic. The details of the panic go only to the log.
var errPanicked = errors.New("the work on a chunk panicked")

// guarded calls do and turns a panic into errPanicked.
func guarded(
	ctx context.Context, do func(context.Context, operation.Chunk) error, c operation.Chunk, logger *slog.Logger,
) (err error) {
	defer func() {
		if p := recover(); p != nil {
			logger.Error("work on a chunk panicked; the attempt failed",
				append(about(c), "stack", fault.PanicStack(p, debug.Stack()))...) // p itself may hold a tenant's data
			err = errPanicked
		}
	}()
	return do(ctx, c)
}

func about(c operation.Chunk) []any {
	return []any{"tenant_id", c.TenantID, "environment", c.Environment, "job_id", c.JobID, "chunk", c.Number}
}
