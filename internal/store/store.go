// Package store stores the durable data of the service, in an embedded SQLite file or in PostgreSQL. Both databases
// run the same SQL text.
//
// Callers use handles and never write SQL. There are six handles:
//   - System, for the operator's work and for work over all tenants;
//   - Jobs, for the backtests and batches of all tenants;
//   - Accounts, for tenants and their people, sessions and API keys: to sign up, or to find a key, for instance;
//   - Secrets, for the keys of the installation;
//   - Staff, for the people of one tenant;
//   - Scope, for one tenant in one environment.
//
// Every statement of a Scope has its tenant and environment as its first two parameters; the handle adds them.
//
// The methods of a Scope are grouped by subject (subject.go): scope.Decisions(ctx) reads decisions. In a transaction
// begun by Scope.Write or Scope.Read, tx.Decisions() reads decisions with the same methods and stores new ones.
//
// Every write of a handle goes through one committer, which commits waiting writes together (commit.go). The
// differences between the two databases are in dialect.go, sqlite.go, postgres.go and, for PostgreSQL's faster insert
// of decisions, in pipeline.go.
//
// Decision ids are in the order of creation; the caller that makes the ids ensures this. Decisions are therefore
// listed by id alone, and one index serves both identity and order.
//
// Errors that a client may see wrap a *fault.Error, whose detail is safe to show. The database's own message stays in
// the wrapping error, for logs. The times and the ids of a tenant's data are arguments; only the ids of block list
// entries are generated in this package.
package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Options are the limits of a DB. A field that is zero or negative gets its
// default.
type Options struct {
	// Connections limits the connections that read (default 8). Connections that write are separate: one on SQLite; on
	// PostgreSQL two, and four more for scopes that wait for another transaction's locks.
	Connections int
	// BatchSize is the maximum number of writes in one commit (default 256).
	BatchSize int
	// QueueSize is the maximum number of writes that wait for the committer
	// (default 1024).
	QueueSize int
	// QueueWait is how long a write waits for space in a full queue before it is refused as Unavailable (default 2 s).
	QueueWait time.Duration
	// Timeout limits a read, a write including its wait in the queue, and, on
	// PostgreSQL, each statement (default 10 s).
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
	dialect     *dialect
	options     Options
	version     int64 // version of the schema
	writer      pool
	side        *pool // connections for scopes that were set aside; nil on SQLite, which has one writer
	reader      pool
	primary     *primary // tracks the server that accepts writes; nil on SQLite
	commits     *committer
	unconfirmed unconfirmedWrites
	nextNumbers nextNumbers // the numbers of the next entries of journals; only on SQLite
	keyChanges  keyCounts   // the number of changes of each scope's keys; only on SQLite
	grown       grownScopes // scopes whose journals this node has extended
	prober      prober
	close       sync.Once
	closed      atomic.Bool
}

// pool is a set of connections and the statements prepared on them.
type pool struct {
	*sql.DB
	prepared *statements // nil on PostgreSQL: its driver caches statements
	standby  *acknowledgements
}

// Kind names the database: "sqlite" or "postgres".
func (db *DB) Kind() string { return db.dialect.name }

// Embedded reports whether the database runs in this process, so that no other process uses it.
func (db *DB) Embedded() bool { return db.dialect.embedded }

// Ping returns nil if the database answers and Unavailable if not. It reads
// from the disk or over the network, so call it for readiness and not for every
// request.
func (db *DB) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, db.options.Timeout)
	defer cancel()
	var one int
	// A SELECT without a table would succeed on SQLite even if the file were
	// gone.
	err := db.retryDeadConnections(func() error {
		return db.reader.QueryRowContext(ctx, "SELECT count(*) FROM schema_migrations WHERE version = 1").Scan(&one)
	})
	return db.failure("ping the database", err)
}

// Close finishes the accepted writes and closes the connections. Later calls
// are refused as Unavailable. Close may be called twice.
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
	Writes  int64 // writes in these transactions
	Waiting int   // writes in the queue now
	Aside   int   // writes of scopes that wait for another transaction's locks
}

// Stats returns a snapshot for metrics. It is cheap.
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
