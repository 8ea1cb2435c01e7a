package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"verdict/internal/job"
	"verdict/internal/operation"
)

// queue runs the chunks of large backtests and of batches.
type queue interface {
	operation.ChunkQueue
	Run(ctx context.Context, work job.Work, giveUp job.GiveUp) error
	Close() error
}

// newQueue returns the queue for the database. On PostgreSQL, all nodes run
// chunks; on SQLite, only this process does.
func newQueue(ctx context.Context, c Config, database string, logger *slog.Logger) (queue, error) {
	workers := c.BacktestWorkers
	if workers == 0 {
		workers = max(1, processors()/2) // leaves the other processors for decisions
	}
	if database != "postgres" {
		return job.NewLocal(workers, logger), nil
	}
	r, err := job.NewRiver(ctx, c.DatabaseURL, workers, logger)
	if err != nil {
		return nil, err // not r, which would be a non-nil interface with a nil pointer
	}
	return r, nil
}

// runJobs runs background work until ctx ends.
func (a *App) runJobs(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() {
		if err := a.queue.Run(ctx, a.service.RunChunk, a.service.AbandonChunk); err != nil {
			a.logger.Error("background work stopped with an error; "+
				"this node runs no large backtests, and no batches in the background, until it is restarted",
				"error", err)
		}
	})
	all.Go(func() { a.sweep(ctx) })
	all.Wait()
}

const (
	// sweepEvery is the interval at which interrupted backtests and batches are resumed.
	sweepEvery = 15 * time.Second
	// purgeEvery is the number of sweeps between two purges.
	purgeEvery = 20
	// arriveWithin is how long the input of a backtest or a batch may take to arrive.
	arriveWithin = time.Hour
	// unsuccessfulFor is how long the rows of a failed or cancelled backtest
	// are kept.
	unsuccessfulFor = time.Hour
	// uploadsFor is how long the uploaded rows of a backtest, and the keys of uploads, are kept after the job has
	// ended.
	uploadsFor = 7 * 24 * time.Hour
	// purgeSteps limits the number of chunks that one transaction deletes, and
	// purgeRounds the number of transactions in one call of purgeOlder.
	purgeSteps, purgeRounds = 50, 40
)

// sweep resumes interrupted backtests and batches immediately, because an earlier process may have left some, and
// then at every interval of sweepEvery. At the first sweep, and then at every purgeEvery-th, it also marks abandoned
// backtests as failed, and purges old backtests and batches.
func (a *App) sweep(ctx context.Context) {
	if a.db.Kind() == "sqlite" { // lockFile keeps other processes away, so nobody receives an older upload any more
		a.runStep(ctx, "fail interrupted uploads", func(ctx context.Context) error {
			return a.failReceiving(ctx, a.started)
		})
	}
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for n := 0; ; n++ {
		a.runStep(ctx, "resume backtests", a.service.Chunks.Resume)
		a.runStep(ctx, "resume batches", a.service.Batches.Resume)
		if n%purgeEvery == 0 {
			a.runStep(ctx, "fail abandoned uploads", func(ctx context.Context) error {
				return a.failReceiving(ctx, a.config.Now().Add(-arriveWithin))
			})
			a.runStep(ctx, "purge backtests", a.purge)
			a.runStep(ctx, "purge batches", func(ctx context.Context) error {
				return a.service.Batches.Purge(ctx, time.Duration(a.config.BatchDays)*24*time.Hour)
			})
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// runStep runs a step of a sweep and logs its error. A later sweep runs the
// step again.
func (a *App) runStep(ctx context.Context, name string, do func(context.Context) error) {
	if err := do(ctx); err != nil && ctx.Err() == nil {
		a.logger.Warn("a step of the background work on backtests and batches failed; a later sweep retries it",
			"step", name, "error", err)
	}
}

// failReceiving fails the backtests and batches that were created before a time and whose input has not arrived.
func (a *App) failReceiving(ctx context.Context, before time.Time) error {
	_, err := a.db.Jobs().FailAbandonedBacktests(ctx, before.UnixMicro(), a.config.Now().UnixMicro())
	return errors.Join(err, a.service.Batches.FailReceiving(ctx, before))
}

// purge deletes the rows of old backtests, and of failed and cancelled
// backtests, and destroys the keys of uploads. It deletes a limited number of rows;
// the next purge continues.
func (a *App) purge(ctx context.Context) error {
	err := a.purgeOlder(ctx, unsuccessfulFor, a.db.Jobs().PurgeFailedBacktests)
	if err == nil {
		err = a.purgeOlder(ctx, uploadsFor, func(ctx context.Context, beforeMicros int64, limit int) (int64, error) {
			return a.db.Jobs().DestroyUploadKeys(ctx, beforeMicros, a.config.Now().UnixMicro(), limit)
		})
	}
	if days := a.config.BacktestDays; err == nil && days > 0 {
		err = a.purgeOlder(ctx, time.Duration(days)*24*time.Hour, a.db.Jobs().PurgeBacktests)
	}
	return err
}

func (a *App) purgeOlder(
	ctx context.Context, age time.Duration, some func(context.Context, int64, int) (int64, error),
) error {
	before := a.config.Now().Add(-age).UnixMicro()
	for range purgeRounds {
		n, err := some(ctx, before, purgeSteps)
		if err != nil || n == 0 {
			return err
		}
	}
	return nil
}
