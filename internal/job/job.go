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

// try makes one attempt. If attempt is greater than the constant attempts, try gives up the chunk instead. Giving
// up is a separate call, so a chunk is given up even if its node died during the last attempt.
//
// try is the only place that logs the error of an attempt. It returns the error as the result of the attempt: Local and
// River repeat a chunk only if there is an error, and River stores the text with the job. Local does not log it again.
// River logs it only at the level Info, which the handler warnings drops. The ErrorHandler of River cannot replace this
// log: River does not call it for an attempt that does not count, and a panic in such an attempt is also logged.
func (h *runner) try(ctx context.Context, c operation.Chunk, attempt int) error {
	if attempt > attempts {
		h.logger.Error("a chunk of a backtest or batch failed in all attempts; it is not tried again", about(c)...)
		err := guarded(ctx, h.giveUp, c)
		if mustLog(ctx, err) {
			h.logger.Error("could not store that a chunk failed in all attempts; it is enqueued again later",
				failure(c, err)...)
		}
		return err
	}
	err := guarded(ctx, h.work, c)
	if mustLog(ctx, err) {
		h.logger.Log(ctx, level(err), "a chunk of a backtest or batch failed; it is tried up to max_attempts times",
			append(failure(c, err), "attempt", attempt, "max_attempts", attempts)...)
	}
	return err
}

// mustLog reports whether the error of an attempt is logged. A panic is always logged.
func mustLog(ctx context.Context, err error) bool {
	return err != nil && (!uncounted(ctx, err) || level(err) == slog.LevelError)
}

// uncounted reports whether an attempt with an error does not count: the chunk is
// partly done, or a shutdown interrupted the attempt.
func uncounted(ctx context.Context, err error) bool {
	return errors.Is(err, operation.ErrUnfinished) || stopping(ctx)
}

// stopping reports whether ctx was cancelled by shutdown, and did not end by the
// timeout.
func stopping(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

// panicked is the error of an attempt that panicked. It has the stack but not the value of the
// panic, which may be a tenant's data.
type panicked struct{ stack string }

func (*panicked) Error() string { return "the work on a chunk panicked" }

// guarded calls the function do, and turns a panic into an error.
func guarded(ctx context.Context, do func(context.Context, operation.Chunk) error, c operation.Chunk) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicked{stack: fault.PanicStack(p, debug.Stack())}
		}
	}()
	return do(ctx, c)
}

// level returns the level at which a failed attempt is logged. A panic is a fault of the service.
func level(err error) slog.Level {
	if _, is := errors.AsType[*panicked](err); is {
		return slog.LevelError
	}
	return slog.LevelWarn
}

// failure returns the attributes of a log line about a failed attempt.
func failure(c operation.Chunk, err error) []any {
	attributes := append(about(c), "error", err)
	if p, is := errors.AsType[*panicked](err); is {
		attributes = append(attributes, "stack", p.stack)
	}
	return attributes
}

func about(c operation.Chunk) []any {
	return []any{"tenant_id", c.TenantID, "environment", c.Environment, "job_id", c.JobID, "chunk", c.Number}
}
