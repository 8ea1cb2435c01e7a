package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	moderncsqlite "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// newSQLite returns the dialect of SQLite. Most texts are empty. SQLite has one writer, so rows, scopes and tenants
// need no locks, and a migration is alone because write transactions begin with BEGIN IMMEDIATE. Only our contexts and
// _busy_timeout limit the time of a statement. Every list has an index, so statistics are not needed.
func newSQLite() *dialect {
	return &dialect{
		operations:  sqlite{},
		name:        "sqlite",
		embedded:    true,
		readOptions: &sql.TxOptions{ReadOnly: true},
		standbys:    "''",
		hasTable:    "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = $1",
		catalogue: `SELECT t.name, c.name, lower(c.type) FROM sqlite_master t, pragma_table_info(t.name) c
		WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY t.name, c.cid`,
		leafCheckOff: "PRAGMA ignore_check_constraints = ON",
		leafCheckOn:  "PRAGMA ignore_check_constraints = OFF",
	}
}

// Every write is on the disk before its caller is answered (synchronous=FULL). In
// WAL mode this takes one fsync for each commit. With temp_store(MEMORY), the
// data for savepoints is in memory and not in a file. With secure_delete, the former
// content of changed and deleted rows is overwritten with zeros.
var (
	sqliteWriterPragmas = []string{
		"journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "trusted_schema(0)",
		"cache_size(-32768)", "temp_store(MEMORY)", "wal_autocheckpoint(2000)", "journal_size_limit(67108864)",
		"secure_delete(1)",
	}
	sqliteReaderPragmas = []string{"query_only(1)", "foreign_keys(1)", "trusted_schema(0)", "cache_size(-8192)"}
)

// sqlite has the operations of SQLite.
type sqlite struct{}

// batchContext returns a context without a deadline: with a deadline, the driver would start a goroutine for every
// statement. Only the disk can delay a batch on SQLite. If another process has locked the file, SQLite waits no longer
// than _busy_timeout.
func (sqlite) batchContext(time.Duration) (context.Context, context.CancelFunc) {
	return context.Background(), func() {}
}

func (sqlite) class(err error) class {
	var e *moderncsqlite.Error
	if !errors.As(err, &e) {
		return commonClass(err)
	}
	switch e.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return classUnique
	}
	const primary = 0xff // the other bits refine the primary code
	switch e.Code() & primary {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return classConflict
	case sqlite3.SQLITE_INTERRUPT:
		return classTimeout
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_NOMEM:
		return classFull
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY,
		sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_PROTOCOL:
		return classLost
	default:
		return classOther
	}
}

// isNotDatabase reports whether SQLite has found that a file is not one of its databases.
func isNotDatabase(err error) bool {
	var e *moderncsqlite.Error
	return errors.As(err, &e) && e.Code() == sqlite3.SQLITE_NOTADB
}

// logText returns the whole message: SQLite's messages name only tables,
// columns and result codes.
func (sqlite) logText(err error) string { return err.Error() }

// insertPipelined stores nothing: on SQLite a statement is a function call, so
// fewer round trips gain nothing.
func (sqlite) insertPipelined(context.Context, *DB, pool, []*job) ([]bool, error) { return nil, nil }

// insertMany runs one prepared statement for each row. Joining rows into one statement would not be faster, because
// the driver searches all parameters of a statement once for each parameter.
func (sqlite) insertMany(
	s *transaction, t *bulkTable, first []any, rows [][]any, read func(scan func(...any) error) error,
) error {
	args := make([]any, len(first)+len(t.columns))
	copy(args, first)
	if len(rows) > 1 {
		s.prepare(t.one)
	}
	for _, row := range rows {
		copy(args[len(first):], row)
		if err := s.run(read, t.one, args); err != nil {
			return err
		}
	}
	return nil
}
