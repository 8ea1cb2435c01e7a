// Package store keeps everything the service must not lose, in an embedded
// SQLite file or in PostgreSQL, by one SQL text for both.
//
// A caller never writes SQL. It asks for a handle: System for what happens
// before or above a tenant (signup, finding a key, the operator's work), Staff
// for the people of one tenant, or Scope for one tenant in one environment.
// Every statement of a Scope has its tenant and environment as its first two
// parameters, put there by the handle.
//
// What a Scope holds is reached by subject (subject.go): scope.Decisions(ctx)
// reads decisions, and tx.Decisions(), in a transaction that Scope.Write or
// Scope.Read has begun, reads them by the same methods and stores new ones.
//
// Every write goes through one committer, which commits together what waits
// together (commit.go). What differs between the two databases is in
// dialect.go and, for PostgreSQL's shorter way to store decisions, whole.go.
//
// The order of decision ids is the order of creation; whoever makes the ids
// sees to it. Decisions are therefore listed by id alone, and one tree keeps
// both their identity and their order.
//
// Errors that a client may hear of carry a *fault.Error, whose detail is safe
// to show; the database's own words stay in the wrapping error, for logs.
// What is stored has no clock and no randomness of its own: times and ids are
// arguments.
package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Options are the limits of a DB. A zero field takes its default.
type Options struct {
	// Connections bounds the connections that read (default 8). Those that
	// write are apart: one on SQLite; on PostgreSQL two, and two more while
	// another transaction's locks keep scopes waiting.
	Connections int
	// BatchSize is how many writes are committed together at most (default 256).
	BatchSize int
	// QueueSize is how many writes may wait for the committer (default 1024).
	QueueSize int
	// QueueWait is how long a write waits for a place in a full queue before
	// it is refused as Unavailable (default 2 s).
	QueueWait time.Duration
	// Timeout bounds a write from its beginning to its answer and, on
	// PostgreSQL, a statement (default 10 s).
	Timeout time.Duration
}

func (o Options) withDefaults() Options {
	setDefault(&o.Connections, 8)
	setDefault(&o.BatchSize, 256)
	setDefault(&o.QueueSize, 1024)
	setDefault(&o.QueueWait, 2*time.Second)
	setDefault(&o.Timeout, 10*time.Second)
	return o
}

func setDefault[T int | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	dialect dialect
	options Options
	version int64 // of the schema
	writer  pool
	side    *pool // of the scopes that are set aside; nil where there is one writer
	reader  pool
	primary *primary // the server that takes writes; nil on SQLite
	commits *committer
	doubts  doubts
	prober  prober
	close   sync.Once
	closed  atomic.Bool
}

// pool is a set of connections and the statements prepared on them.
type pool struct {
	*sql.DB
	prepared *statements // nil where the driver remembers statements itself
	standby  *acknowledgements
}

// Kind names the database: "sqlite" or "postgres".
func (db *DB) Kind() string { return db.dialect.name() }

// Ping reports whether the database answers, as Unavailable if not. It goes to
// the disk or over the network, so it is for readiness and not for every call.
func (db *DB) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, db.options.Timeout)
	defer cancel()
	var one int
	// A SELECT alone would be answered from SQLite's cache with the file gone.
	err := db.pastDeadConnections(func() error {
		return db.reader.QueryRowContext(ctx, "SELECT count(*) FROM schema_migrations WHERE version = 1").Scan(&one)
	})
	return db.failure("ping the database", err)
}

// Close finishes the writes that were accepted, lets go of the database and
// refuses whatever comes later as Unavailable. It may be called twice.
func (db *DB) Close() error {
	var err error
	db.close.Do(func() {
		db.commits.drain()
		db.closed.Store(true)
		err = db.closePools()
	})
	return err
}

func (db *DB) closePools() error {
	err := errors.Join(db.reader.Close(), db.writer.Close())
	if db.side != nil {
		err = errors.Join(err, db.side.Close())
	}
	if db.primary != nil {
		db.primary.close()
	}
	return err
}

// Stats counts the committer's work since the database was opened.
type Stats struct {
	Batches int64 // transactions committed
	Writes  int64 // writes in them
	Waiting int   // writes in the queue now
	Aside   int   // writes of scopes that another transaction's locks keep waiting
}

// Stats is a cheap snapshot for metrics.
func (db *DB) Stats() Stats {
	c := db.commits
	c.mu.Lock()
	defer c.mu.Unlock()
	stats := Stats{Batches: c.batches.Load(), Writes: c.writes.Load(), Waiting: c.queue.length}
	for _, l := range c.aside {
		stats.Aside += len(l.jobs)
	}
	return stats
}
