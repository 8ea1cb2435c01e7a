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

	"verdict/internal/operation"
)

const (
	// rescueAfter is how long a chunk may run before River assumes that its node
	// died. River checks every 30 seconds.
	rescueAfter = attemptTimeout + 5*time.Second
	// fetchCooldown is how long a node waits before it fetches chunks again. It is
	// shorter than the time that a chunk takes, so that workers are not idle. New
	// chunks are announced by notifications; fetchPoll is the interval of polling in
	// case a notification is lost.
	fetchCooldown = 2 * time.Millisecond
	fetchPoll     = 250 * time.Millisecond
	// keepDone is how long River stores finished jobs, which nobody needs.
	keepDone = 10 * time.Minute
	// Connections is the size of the pool: one connection listens, and the others
	// run short statements. The chunks themselves use the connections of the store.
	Connections = 4
	// restartPause is the time between two attempts to start the queue.
	restartPause = 2 * time.Second
)

// River runs chunks on all nodes that share a PostgreSQL database.
type River struct {
	pool   *pgxpool.Pool
	client *river.Client[pgx.Tx]
	schema string
	runner atomic.Pointer[runner]
	logger *slog.Logger
}

// NewRiver connects to the database and migrates the tables of the queue. Several
// nodes may call it concurrently. workers is the number of chunks that this node
// runs at a time. No error contains the URL, because the URL may contain a
// password.
func NewRiver(ctx context.Context, databaseURL string, workers int, logger *slog.Logger) (*River, error) {
	pool, err := newPool(ctx, databaseURL)
	if err != nil {
		return nil, err
	}
	r := &River{pool: pool, logger: logger}
	quiet := slog.New(&warnings{logger.With("component", "river").Handler()})
	if r.schema, err = migrate(ctx, pool, quiet); err != nil {
		pool.Close()
		return nil, fmt.Errorf("prepare the queue of background work: %w", err)
	}
	workers = max(workers, 1)
	r.client, err = river.NewClient(riverpgxv5.New(pool), &river.Config{
		Schema:  r.schema,
		Logger:  quiet,
		Queues:  map[string]river.QueueConfig{queue: {MaxWorkers: workers}},
		Workers: r.workers(),

		JobTimeout:           attemptTimeout,
		RescueStuckJobsAfter: rescueAfter,
		MaxAttempts:          attempts + 1,
		SoftStopTimeout:      stopTimeout,

		FetchCooldown:     fetchCooldown,
		FetchPollInterval: fetchPoll,

		CompletedJobRetentionPeriod: keepDone,
		CancelledJobRetentionPeriod: keepDone,
		DiscardedJobRetentionPeriod: keepDone,
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
		// The error contains parts of the URL, so it is not wrapped.
		return nil, errors.New(
			"the PostgreSQL URL cannot be read: use postgres://user:password@host:port/database?sslmode=…")
	}
	config.MaxConns = Connections
	if _, given := config.ConnConfig.RuntimeParams["application_name"]; !given {
		config.ConnConfig.RuntimeParams["application_name"] = "verdict jobs"
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = 5 * time.Second
	}
	// After a failover the queue must reconnect to the server that accepts writes.
	config.MaxConnLifetime = 5 * time.Minute
	if config.ConnConfig.ValidateConnect == nil {
		config.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	return pgxpool.NewWithConfig(ctx, config)
}

// Run runs chunks until ctx ends. Running chunks then have stopTimeout to finish.
// Run may be called only once.
func (r *River) Run(ctx context.Context, work Work, giveUp GiveUp) error {
	r.runner.Store(&runner{work: work, giveUp: giveUp, logger: r.logger})
	for ctx.Err() == nil {
		err := r.client.Start(ctx)
		if err == nil {
			<-r.client.Stopped()
			break
		}
		r.logger.Warn("could not start the job queue, so backtests and batches in the background wait; retrying",
			"error", withoutURL(err))
		_ = operation.Sleep(ctx, restartPause) // the loop checks ctx
	}
	return nil
}

// Close closes the database connections. Run must have returned.
func (r *River) Close() error {
	r.pool.Close()
	return nil
}

// warnings is a log handler that drops all records below the level of warnings,
// because River logs every step. River logs the errors of attempts at the level Info, so
// they are dropped too; runner.try logs them.
type warnings struct{ slog.Handler }

// Enabled implements slog.Handler.
func (h *warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

// WithAttrs implements slog.Handler.
func (h *warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &warnings{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h *warnings) WithGroup(name string) slog.Handler { return &warnings{h.Handler.WithGroup(name)} }
