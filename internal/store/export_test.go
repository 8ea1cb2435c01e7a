package store

import (
	"context"
	"errors"
	"strconv"
	"time"
)

// LimitPages limits the size of a SQLite file, to simulate a full disk.
func (db *DB) LimitPages(ctx context.Context, pages int) error {
	_, err := db.writer.ExecContext(ctx, "PRAGMA max_page_count = "+strconv.Itoa(pages))
	return err
}

// ScopedWrite is a decision of a scope.
type ScopedWrite struct {
	Scope *Scope
	Write *DecisionWrite
}

// InsertPipelined stores decisions with the dialect's insertPipelined only, and reports which of them were stored. It
// returns nil if nothing was stored.
func (db *DB) InsertPipelined(ctx context.Context, writes ...ScopedWrite) (stored []bool, err error) {
	jobs := make([]*job, len(writes))
	for i, w := range writes {
		jobs[i] = &job{decision: w.Write, rls: w.Scope.rlsScope(), scope: w.Scope.rlsScope()}
	}
	return db.dialect.insertPipelined(ctx, db, db.writer, jobs)
}

// WriterSetting returns a setting of the connection that writes.
func (db *DB) WriterSetting(ctx context.Context, name string) (value string, err error) {
	err = db.writer.QueryRowContext(ctx, "PRAGMA "+name).Scan(&value)
	return value, err
}

// OpenAt opens a database with the schema of an earlier version of the service.
func OpenAt(ctx context.Context, databaseURL string, version int64) (*DB, error) {
	return openAt(ctx, databaseURL, Options{}, version)
}

// SetTimeout changes Options.Timeout. Call it only while no transaction is running.
func (db *DB) SetTimeout(timeout time.Duration) {
	db.commits.mu.Lock()
	defer db.commits.mu.Unlock()
	db.options.Timeout = timeout
}

// Backends returns the ids of the server's processes that serve a read, a write and a write of a side lane, each twice
// in succession. A connection is used for as long as life says, or for the default time if life is zero.
func Backends(ctx context.Context, databaseURL string, life time.Duration) (first, second [3]int, err error) {
	var db *DB
	if life == 0 {
		db, err = connect(databaseURL, Options{}.withDefaults())
	} else {
		db, err = connectPostgres(databaseURL, Options{}.withDefaults(), life)
	}
	if err != nil {
		return first, second, err
	}
	if first, err = db.backends(ctx); err == nil {
		second, err = db.backends(ctx)
	}
	return first, second, errors.Join(err, db.closePools())
}

func (db *DB) backends(ctx context.Context) (pids [3]int, err error) {
	for i, p := range []pool{db.reader, db.writer, *db.side} {
		if err := p.QueryRowContext(ctx, "SELECT pg_backend_pid()").Scan(&pids[i]); err != nil {
			return pids, err
		}
	}
	return pids, nil
}

// MarkUnconfirmed makes this node unsure whether a row is durable.
func (s *Scope) MarkUnconfirmed(id string) { s.db.unconfirmed.add(writeName{s.rlsScope(), id}) }

// InsertDecisionBy stores a decision like InsertDecision, with a deadline of its own.
func (s *Scope) InsertDecisionBy(ctx context.Context, w *DecisionWrite, deadline time.Time) error {
	return s.confirmed(ctx, s.db.submit(ctx,
		&job{decision: w, rls: s.rlsScope(), scope: s.rlsScope(), deadline: deadline}))
}

// Blocked returns how many scopes are set aside.
func (db *DB) Blocked() int {
	db.commits.mu.Lock()
	defer db.commits.mu.Unlock()
	return len(db.commits.aside)
}

// Stuck returns the number of stuck lanes: their last attempt in the side lane was blocked too.
func (db *DB) Stuck() (n int) {
	db.commits.mu.Lock()
	defer db.commits.mu.Unlock()
	for _, l := range db.commits.aside {
		if l.stuck {
			n++
		}
	}
	return n
}

// SideConnections returns how many connections the side lanes use, and how many there are.
func (db *DB) SideConnections() (used, all int) { return len(db.commits.side), cap(db.commits.side) }

// ConnectionsOf returns the number of connections to servers on a timeline.
func (db *DB) ConnectionsOf(timeline uint64) (n int) {
	db.primary.mu.Lock()
	defer db.primary.mu.Unlock()
	for _, of := range db.primary.open {
		if of == timeline {
			n++
		}
	}
	return n
}

// MakeWriterReadOnly makes the server refuse writes on the committer's idle
// connection.
func (db *DB) MakeWriterReadOnly(ctx context.Context) error {
	_, err := db.writer.ExecContext(ctx, "SET default_transaction_read_only = on")
	return err
}

// MeetTimeline simulates a connection to a server on a timeline, and returns
// the number of connections that were closed because of it.
func (db *DB) MeetTimeline(timeline uint64) int {
	db.primary.mu.Lock()
	defer db.primary.mu.Unlock()
	before := len(db.primary.open)
	db.primary.follow(timeline)
	return before - len(db.primary.open)
}
