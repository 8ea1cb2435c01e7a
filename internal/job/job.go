// Package job has the chunks of large backtests done: on PostgreSQL by all
// nodes together, through River's queue in the same database, and on SQLite by
// goroutines of the one process there is.
//
// A chunk is done at least once. Nothing here knows what a chunk is made of or
// what became of it: that is in the tables of backtests, where the first result
// of a chunk is the one that counts. The queue holds names only, and whatever
// it loses is spread again from those tables.
package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"verdict/internal/study"
)

// Work does a chunk. An error has it tried again; bad data is not one.
type Work func(ctx context.Context, c study.Chunk) error

// GiveUp is told of a chunk that will not be tried again.
type GiveUp func(ctx context.Context, c study.Chunk) error

const (
	// attempts is how often a chunk is tried before it is given up. With the
	// pauses between them a database may be away for a minute and a half.
	attempts = 8
	// attemptTimeout bounds an attempt. A chunk takes a fraction of a second;
	// the last one of a run, which puts all results together, takes longer.
	attemptTimeout = 40 * time.Second
	// longestPause bounds the time between two attempts.
	longestPause = 30 * time.Second
	// stopTimeout is how long chunks under way may take to finish when the
	// process is asked to end. What is not finished is done anew elsewhere.
	stopTimeout = 5 * time.Second
)

// pause is how long to wait after a failed attempt: 1, 2, 4, … seconds. After
// the last one there is nothing to wait for.
func pause(attempt int) time.Duration {
	if attempt >= attempts {
		return 0
	}
	return min(time.Second<<max(attempt-1, 0), longestPause)
}

// urgency is 1 for what is done first and 4 for what is done last. The further
// into its run a chunk is the more it can wait, so a small run that comes after
// a large one does not stand behind all of it.
func urgency(c study.Chunk) int {
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

// hand does chunks with what it was given to do them.
type hand struct {
	work   Work
	giveUp GiveUp
	logger *slog.Logger
}

// try makes one attempt. The one after the last gives the chunk up: so it does
// not matter whether the last one failed or ended with its node.
func (h *hand) try(ctx context.Context, c study.Chunk, attempt int) error {
	if attempt > attempts {
		h.logger.Error("a chunk failed for the last time; its backtest fails", about(c)...)
		return guarded(ctx, h.giveUp, c, h.logger)
	}
	err := guarded(ctx, h.work, c, h.logger)
	if err != nil && !stopping(ctx) {
		h.logger.Warn("a chunk failed; it is tried again", append(about(c), "attempt", attempt, "error", err)...)
	}
	return err
}

// stopping tells an attempt that was interrupted from one that took too long.
func stopping(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

// errPanicked stands for a panic, which is told to the log alone.
var errPanicked = errors.New("the work on a chunk panicked")

func guarded(ctx context.Context, do func(context.Context, study.Chunk) error, c study.Chunk, logger *slog.Logger) (err error) {
	defer func() {
		if p := recover(); p != nil {
			logger.Error("panic", append(about(c), "panic", fmt.Sprint(p), "stack", string(debug.Stack()))...)
			err = errPanicked
		}
	}()
	return do(ctx, c)
}

func about(c study.Chunk) []any {
	return []any{"tenant", c.TenantID, "environment", c.Environment, "backtest", c.BacktestID, "chunk", c.Number}
}
