package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	moderncsqlite "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// dialect holds the differences between the two databases.
type dialect interface {
	name() string
	// embedded reports whether the database runs in this process.
	embedded() bool
	// class classifies an error of the database.
	class(err error) class
	// logText returns the text of an error for logs. It never contains a value
	// of a row.
	logText(err error) string
	// forUpdate returns the clause with which a SELECT in a write transaction
	// locks the rows it reads.
	forUpdate() string
	// forNoKeyUpdate returns a clause like that of forUpdate, for rows whose key will not change. Other transactions
	// can still insert rows that refer to them by a foreign key.
	forNoKeyUpdate() string
	// lockScope returns the statement that locks a scope until the transaction
	// ends, with the scope as $1 and $2; "" on SQLite, which has one writer.
	lockScope() string
	// hasHeads reports whether the size of each journal is also in the table
	// journal_heads, whose rows are locked; SQLite, which has one writer, has no such
	// table.
	hasHeads() bool
	// readOptions returns the options of a read transaction that sees one
	// snapshot.
	readOptions() *sql.TxOptions
	// lockMigrations returns the first statements of a migration. They ensure
	// that one node at a time migrates.
	lockMigrations() []string
	// hasTable returns the query that returns one row if the table named $1
	// exists.
	hasTable() string
	// setRLS returns the statement that sets the row-level security scope of
	// the following statements; "" if there is no row-level security.
	setRLS() string
	// shortLockTimeout returns the statement that shortens the lock timeout for
	// the rest of a transaction; "" on SQLite, whose transactions wait for no
	// locks.
	shortLockTimeout() string
	// standbys returns an SQL expression for the names of the synchronous
	// standbys that a commit waits for. Its value is '' if there are none.
	standbys() string
	// fence returns a statement that writes a message to the write-ahead log, so that a transaction without changes
	// waits for the standby's acknowledgement too; "" on SQLite, which has no standby.
	fence() string
	// noTimeouts returns the first statements of a transaction that may take long. They switch the timeouts off.
	noTimeouts() []string
	// lockTenants returns the statements that keep others from writing while a
	// restore fills an empty database.
	lockTenants() []string
	// analyze returns the last statements of a restore. They update the
	// planner's statistics before the first query.
	analyze() []string
	// leafCheck returns the statements that switch a check constraint off and on again: that every new decision has a
	// journal entry. A restore needs them, because a backup may contain decisions without an entry.
	leafCheck() (off, on string)
	// catalogue returns the query for the table, name and type of every column.
	catalogue() string
	// batchContext returns the context of a batch that may take as long as
	// timeout.
	batchContext(timeout time.Duration) (context.Context, context.CancelFunc)
	// insertPipelined stores the decisions of one scope, with everything that belongs
	// to them, in a transaction of its own with fewer round trips, if the database
	// supports it. If stored is false and err is nil, nothing was stored, and the caller
	// uses ordinary statements. If err is not nil, the caller gives up; the outcome may
	// be unknown.
	insertPipelined(ctx context.Context, db *DB, on pool, v rlsScope, writes []*DecisionWrite) (stored bool, err error)
	// insertMany inserts rows into a table, each beginning with the values in
	// first. If read is not nil, it is called for every row that the statement
	// returns.
	insertMany(s *transaction, t *bulkTable, first []any, rows [][]any, read func(scan func(...any) error) error) error
}

// class is a kind of database error that needs its own handling.
type class uint8

const (
	classOther    class = iota
	classUnique         // a row with this key exists already
	classConflict       // a lock or conflict with another transaction; a retry may succeed
	classTimeout        // the statement or the transaction timed out
	classFull           // the disk is full or resources are exhausted
	classLost           // the connection to the database is lost
	classRefused        // no new connection can be made
)

// breaks reports whether the transaction in which the error happened must be abandoned.
// SQLite, for instance, rolls back the whole transaction by itself if the disk is full.
func (c class) breaks() bool { return c >= classTimeout }

// commonClass classifies the errors of database/sql and of the network.
func commonClass(err error) class {
	var network net.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, errUnacknowledged):
		return classTimeout
	case errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone), errors.Is(err, sql.ErrTxDone),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &network):
		return classLost
	default:
		return classOther
	}
}

// ---- SQLite

type sqlite struct{}

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

func (sqlite) name() string                { return "sqlite" }
func (sqlite) embedded() bool              { return true }
func (sqlite) forUpdate() string           { return "" } // SQLite has one writer
func (sqlite) forNoKeyUpdate() string      { return "" }
func (sqlite) lockScope() string           { return "" }
func (sqlite) hasHeads() bool              { return false }
func (sqlite) readOptions() *sql.TxOptions { return &sql.TxOptions{ReadOnly: true} }
func (sqlite) lockMigrations() []string    { return nil } // write transactions begin with BEGIN IMMEDIATE
func (sqlite) setRLS() string              { return "" }
func (sqlite) shortLockTimeout() string    { return "" }
func (sqlite) standbys() string            { return "''" }
func (sqlite) fence() string               { return "" }
func (sqlite) noTimeouts() []string        { return nil } // only our contexts and _busy_timeout limit the time
func (sqlite) lockTenants() []string       { return nil }
func (sqlite) leafCheck() (off, on string) {
	return "PRAGMA ignore_check_constraints = ON", "PRAGMA ignore_check_constraints = OFF"
}
func (sqlite) analyze() []string { return nil } // every list has an index, so statistics are not needed

// batchContext returns a context without a deadline: with a deadline, the
// driver would start a goroutine for every statement. Only the disk can delay a
// batch on SQLite; a file locked by another process is waited for no longer
// than _busy_timeout.
func (sqlite) batchContext(time.Duration) (context.Context, context.CancelFunc) {
	return context.Background(), func() {}
}

func (sqlite) hasTable() string {
	return "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = $1"
}

func (sqlite) catalogue() string {
	return `SELECT t.name, c.name, lower(c.type) FROM sqlite_master t, pragma_table_info(t.name) c
		WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY t.name, c.cid`
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

// logText returns the whole message: SQLite's messages name only tables,
// columns and result codes.
func (sqlite) logText(err error) string { return err.Error() }

// insertPipelined stores nothing: on SQLite a statement is a function call, so
// fewer round trips gain nothing.
func (sqlite) insertPipelined(context.Context, *DB, pool, rlsScope, []*DecisionWrite) (bool, error) {
	return false, nil
}

// insertMany runs one prepared statement for each row. Joining rows into one statement would not be faster, because the
// driver searches all parameters of a statement for each one.
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

// ---- PostgreSQL

type postgres struct{}

func (postgres) name() string { return "postgres" }

func (postgres) batchContext(timeout time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), timeout)
}

func (postgres) forNoKeyUpdate() string { return " FOR NO KEY UPDATE" }

func (postgres) forUpdate() string { return " FOR UPDATE" }

func (postgres) embedded() bool { return false }

// lockScope returns a statement that locks the head of the scope's journal, and creates
// the head if there is none. Then it takes the advisory lock with which nodes of version
// 0.1 lock a scope, so that they can run beside this version during an upgrade.
func (postgres) lockScope() string {
	return `INSERT INTO journal_heads (tenant_id, environment, size) VALUES ($1, $2, coalesce((` + nextEntry + `), 0))
		ON CONFLICT (tenant_id, environment) DO UPDATE SET size = journal_heads.size
		RETURNING pg_advisory_xact_lock(4, hashtext(CAST($1 AS TEXT) || '/' || CAST($2 AS TEXT)))`
}

func (postgres) hasHeads() bool { return true }

func (postgres) leafCheck() (off, on string) {
	return "ALTER TABLE decisions DROP CONSTRAINT decisions_have_leaf",
		"ALTER TABLE decisions ADD CONSTRAINT decisions_have_leaf CHECK (leaf >= 0) NOT VALID"
}

func (postgres) readOptions() *sql.TxOptions {
	return &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead}
}

// lockMigrations takes an advisory lock that ends with the transaction. It
// switches the timeouts off, because a migration may take longer than the
// statement of a request.
func (postgres) lockMigrations() []string {
	return append(postgres{}.noTimeouts(), "SELECT pg_advisory_xact_lock(8462133094617352)")
}

func (postgres) shortLockTimeout() string { return "SET LOCAL lock_timeout = " + millis(laterLock) }

func (postgres) standbys() string { return "current_setting('synchronous_standby_names')" }

func (postgres) fence() string { return "SELECT pg_logical_emit_message(true, 'verdict', 'fence')" }

func (postgres) noTimeouts() []string {
	return []string{
		"SET LOCAL statement_timeout = 0",
		"SET LOCAL lock_timeout = 0",
		"SET LOCAL idle_in_transaction_session_timeout = 0",
	}
}

// lockTenants makes signups wait. As long as there is no tenant, no data of tenants
// can be written.
func (postgres) lockTenants() []string {
	return []string{"LOCK TABLE tenants IN SHARE ROW EXCLUSIVE MODE"}
}

// analyze updates the statistics without waiting for autovacuum. Without
// statistics, the planner would sort all rows for the first page of a list.
func (postgres) analyze() []string { return []string{"ANALYZE"} }

func (postgres) catalogue() string {
	return `SELECT c.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod)
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') ` +
		`AND a.attnum > 0 AND NOT a.attisdropped
		ORDER BY c.relname COLLATE "C", a.attnum`
}

func (postgres) hasTable() string {
	return "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1"
}

func (postgres) setRLS() string {
	return "SELECT set_config('verdict.role', $1, true), set_config('verdict.tenant', $2, true), " +
		"set_config('verdict.environment', $3, true)"
}

// How long a transaction waits for another transaction's lock.
const (
	sharedLock = 150 * time.Millisecond // in a shared batch, until the first conflict
	laterLock  = 20 * time.Millisecond  // in a shared batch, after the first conflict
	sideLock   = 500 * time.Millisecond // in a side lane, for each attempt
)

// postgresSettings returns the settings of new connections, unless the URL sets them. With these settings, the server
// ends a transaction that a paused node left open, and closes a connection whose client acknowledges nothing.
func postgresSettings(options Options) map[string]string {
	return map[string]string{
		"application_name":                    "verdict",
		"statement_timeout":                   millis(options.Timeout),
		"lock_timeout":                        millis(options.Timeout / 2),
		"idle_in_transaction_session_timeout": millis(options.Timeout / 2),
		"tcp_user_timeout":                    millis(options.Timeout / 2),
	}
}

func millis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

func (postgres) class(err error) class {
	var refused *pgconn.ConnectError
	if errors.As(err, &refused) { // whatever the reason of the refusal
		return classRefused
	}
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		if pgconn.SafeToRetry(err) { // the connection was lost before anything was sent
			return classLost
		}
		return commonClass(err)
	}
	switch e.Code {
	case "23505": // unique_violation
		return classUnique
	case "40001", "40P01", "55P03": // serialization_failure, deadlock_detected, lock_not_available
		return classConflict
	case "57014": // query_canceled, for instance by statement_timeout
		return classTimeout
	// read_only_sql_transaction (a standby after a failover),
	// idle_in_transaction_session_timeout, invalid_catalog_name
	case "25006", "25P03", "3D000":
		return classLost
	}
	switch e.Code[:min(2, len(e.Code))] {
	case "53": // insufficient_resources: disk, memory, connections
		return classFull
	case "08", "57", "58", "28", "F0", "XX": // connection, operator, system, login, configuration, corruption
		return classLost
	default:
		return classOther
	}
}

// logText omits the detail and the hint, and the message of a data exception (class 22),
// because these can quote values of rows.
func (postgres) logText(err error) string {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return err.Error()
	}
	text := "SQLSTATE " + e.Code
	if !strings.HasPrefix(e.Code, "22") { // the messages of data exceptions quote the data
		text += ": " + e.Message
	}
	return text
}

// insertMany sends each column as one array, so one statement inserts any
// number of rows.
func (postgres) insertMany(
	s *transaction, t *bulkTable, first []any, rows [][]any, read func(scan func(...any) error) error,
) error {
	return s.run(read, t.many, append(slices.Clip(first), t.arrays(rows)...))
}
