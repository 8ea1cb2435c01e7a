package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

const (
	// rescueAfter is from when on a chunk that is still being done counts as
	// left behind by a node that is gone. River looks every 30 seconds.
	rescueAfter = attemptTimeout + 5*time.Second
	// fetchCooldown is how long a node waits before it asks for chunks again:
	// less than a chunk takes, or its workers would wait for the next one.
	// New ones are announced; fetchPoll is for announcements that got lost.
	fetchCooldown = 2 * time.Millisecond
	fetchPoll     = 250 * time.Millisecond
	// keepDone is how long River keeps a job that is over. It is of no use to
	// anybody by then.
	keepDone = 10 * time.Minute
	// connections are enough: one listens, and the others ask and tell shortly.
	// The work itself is done on those of the storage.
	connections = 4
	// restartPause is the time between two tries to begin.
	restartPause = 2 * time.Second
)

// River has chunks done by all nodes of a PostgreSQL database.
type River struct {
	pool   *pgxpool.Pool
	client *river.Client[pgx.Tx]
	schema string
	hand   atomic.Pointer[hand]
	logger *slog.Logger
}

// NewRiver connects to the database and brings the queue's own tables up to
// date, which many nodes may do at once. This node will do so many chunks at a
// time. No error repeats the URL: there may be a password in it.
func NewRiver(ctx context.Context, databaseURL string, workers int, logger *slog.Logger) (*River, error) {
	pool, err := newPool(ctx, databaseURL)
	if err != nil {
		return nil, err
	}
	r := &River{pool: pool, logger: logger}
	quiet := slog.New(&louder{logger.With("component", "river").Handler()})
	if r.schema, err = migrate(ctx, pool, quiet); err != nil {
		pool.Close()
		return nil, fmt.Errorf("prepare the queue of background work: %w", err)
	}
	workers = max(workers, 1)
	r.client, err = river.NewClient(riverpgxv5.New(pool), &river.Config{
		Schema: r.schema, Logger: quiet,
		Queues:  map[string]river.QueueConfig{queue: {MaxWorkers: workers}},
		Workers: r.workers(),

		JobTimeout: attemptTimeout, RescueStuckJobsAfter: rescueAfter, MaxAttempts: attempts + 1, SoftStopTimeout: stopTimeout,
		FetchCooldown: fetchCooldown, FetchPollInterval: fetchPoll,
		CompletedJobRetentionPeriod: keepDone, CancelledJobRetentionPeriod: keepDone, DiscardedJobRetentionPeriod: keepDone,
	})
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("prepare the queue of background work: %w", err)
	}
	return r, nil
}

func newPool(ctx context.Context, databaseURL string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		// Its text repeats parts of the URL, so it is not passed on.
		return nil, errors.New("the PostgreSQL URL cannot be read: use postgres://user:password@host:port/database?sslmode=…")
	}
	config.MaxConns = connections
	if _, given := config.ConnConfig.RuntimeParams["application_name"]; !given {
		config.ConnConfig.RuntimeParams["application_name"] = "verdict jobs"
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = 5 * time.Second
	}
	// After a failover the queue must follow the server that takes writes.
	config.MaxConnLifetime = 5 * time.Minute
	if config.ConnConfig.ValidateConnect == nil {
		config.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	return pgxpool.NewWithConfig(ctx, config)
}

// Run does chunks until ctx ends; those under way are given a moment to finish.
// It may be called once.
func (r *River) Run(ctx context.Context, work Work, giveUp GiveUp) error {
	r.hand.Store(&hand{work: work, giveUp: giveUp, logger: r.logger})
	for ctx.Err() == nil {
		err := r.client.Start(ctx)
		if err == nil {
			<-r.client.Stopped()
			break
		}
		r.logger.Warn("could not start the queue of background work; trying again", "error", wordsOf(err))
		timer := time.NewTimer(restartPause)
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
	return nil
}

// Close lets go of the database. Run must be over.
func (r *River) Close() error {
	r.pool.Close()
	return nil
}

// louder passes on what somebody should look at: River tells of every step.
type louder struct{ slog.Handler }

// Enabled is for slog.
func (h *louder) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

// WithAttrs is for slog.
func (h *louder) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &louder{h.Handler.WithAttrs(attrs)}
}

// WithGroup is for slog.
func (h *louder) WithGroup(name string) slog.Handler { return &louder{h.Handler.WithGroup(name)} }
