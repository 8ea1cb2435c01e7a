package app

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"verdict/internal/job"
	"verdict/internal/study"
)

// queue has the chunks of large backtests done.
type queue interface {
	study.Spreader
	Run(ctx context.Context, work job.Work, giveUp job.GiveUp) error
	Close() error
}

// newQueue takes what the database makes possible: all nodes, or this process.
func newQueue(ctx context.Context, c Config, database string, logger *slog.Logger) (queue, error) {
	workers := c.BacktestWorkers
	if workers == 0 {
		workers = max(1, processors()/2) // decisions come first
	}
	if database != "postgres" {
		return job.NewLocal(workers, logger), nil
	}
	r, err := job.NewRiver(ctx, c.DatabaseURL, workers, logger)
	if err != nil {
		return nil, err // and not a queue that holds nothing
	}
	return r, nil
}

// runJobs does background work until ctx ends.
func (a *App) runJobs(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() {
		if err := a.queue.Run(ctx, a.service.Chunks.Run, a.service.Chunks.Abandon); err != nil {
			a.logger.Error("background work stopped with an error; large backtests do not run until the restart", "error", err)
		}
	})
	all.Go(func() { a.sweep(ctx) })
	all.Wait()
}

const (
	// sweepEvery is how long a run may lie that nobody works on.
	sweepEvery = 15 * time.Second
	// tidyEvery is after how many sweeps something is thrown away.
	tidyEvery = 20
	// arriveWithin is how long the input of a backtest may take to arrive.
	arriveWithin = time.Hour
	// vainFor is how long the input of a backtest is kept that came to nothing.
	vainFor = time.Hour
	// purgeSteps and purgeRounds bound what one sweep deletes, and how much of
	// it in one transaction.
	purgeSteps, purgeRounds = 50, 40
)

// sweep looks after backtests at once, for what an earlier process has left,
// and then every few seconds; it tidies up now and then.
func (a *App) sweep(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for n := 0; ; n++ {
		a.step(ctx, "resume backtests", a.service.Chunks.Resume)
		if n%tidyEvery == 0 {
			a.step(ctx, "fail abandoned backtests", a.failAbandoned)
			a.step(ctx, "purge backtests", a.purge)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// step does a part of a sweep. One that fails is for the next sweep.
func (a *App) step(ctx context.Context, name string, do func(context.Context) error) {
	if err := do(ctx); err != nil && ctx.Err() == nil {
		a.logger.Warn("a step of the sweep failed; it is retried in the next sweep", "step", name, "error", err)
	}
}

func (a *App) failAbandoned(ctx context.Context) error {
	now := a.config.Now()
	_, err := a.db.System().FailAbandonedBacktests(ctx, now.Add(-arriveWithin).UnixMicro(), now.UnixMicro())
	return err
}

// purge gives up the rows of old backtests, and of those that came to nothing,
// some at a time: what is left waits for the next sweep.
func (a *App) purge(ctx context.Context) error {
	err := a.purgeOlder(ctx, vainFor, a.db.System().PurgeVainBacktests)
	if days := a.config.BacktestDays; err == nil && days > 0 {
		err = a.purgeOlder(ctx, time.Duration(days)*24*time.Hour, a.db.System().PurgeBacktests)
	}
	return err
}

func (a *App) purgeOlder(ctx context.Context, age time.Duration, some func(context.Context, int64, int) (int64, error)) error {
	before := a.config.Now().Add(-age).UnixMicro()
	for range purgeRounds {
		n, err := some(ctx, before, purgeSteps)
		if err != nil || n == 0 {
			return err
		}
	}
	return nil
}
