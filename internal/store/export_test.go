package store

import (
	"context"
	"strconv"
	"time"
)

// LimitPages limits the size of a SQLite file, to simulate a full disk.
func (db *DB) LimitPages(ctx context.Context, pages int) error {
	_, err := db.writer.ExecContext(ctx, "PRAGMA max_page_count = "+strconv.Itoa(pages))
	return err
}

// InsertPipelined stores decisions with the dialect's insertPipelined only.
func (s *Scope) InsertPipelined(ctx context.Context, writes ...*DecisionWrite) (stored bool, err error) {
	return s.db.dialect.insertPipelined(ctx, s.db, s.db.writer, s.rlsScope(), writes)
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

// Blocked returns how many scopes are set aside.
func (db *DB) Blocked() int {
	db.commits.mu.Lock()
	defer db.commits.mu.Unlock()
	return len(db.commits.aside)
}

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
