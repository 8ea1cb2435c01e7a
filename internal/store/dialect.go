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

// dialect is everything in which the two databases differ.
type dialect interface {
	name() string
	// embedded reports whether the database runs in this process.
	embedded() bool
	// class says what kind of thing went wrong, whatever the database calls it.
	class(err error) class
	// words is what a log may hear of an error: never a value of a row.
	words(err error) string
	// forUpdate locks the rows that a SELECT in a write transaction reads.
	forUpdate() string
	// lockScope makes a write transaction wait for others that hold the same
	// scope, with the scope as $1 and $2; "" where there is one writer.
	lockScope() string
	// readOptions begin a transaction that sees one moment of the database.
	readOptions() *sql.TxOptions
	// lockMigrations is run first in the transaction that migrates, so that
	// one node at a time does.
	lockMigrations() []string
	// hasTable asks, with the table's name as $1, for one row if it exists.
	hasTable() string
	// announce tells the database for whom the following statements speak, so
	// that its own wall holds; "" where there is no such wall.
	announce() string
	// hurry has the rest of a transaction wait less for locks; "" where a
	// transaction waits for none.
	hurry() string
	// standbys is an expression for the synchronous standbys that a commit
	// waits for, '' if there are none.
	standbys() string
	// fence writes something that means nothing, so that the transaction's
	// commit is acknowledged like any other; "" where every commit is.
	fence() string
	// unhurried is run first in a transaction that may take long.
	unhurried() []string
	// claim is run first in the transaction that fills an empty database, so
	// that nobody else begins to.
	claim() []string
	// survey is run last in that transaction, so that the planner knows what
	// the tables hold before the first query comes.
	survey() []string
	// catalogue asks for the table, name and type of every column there is.
	catalogue() string
	// patience is the context of a batch, which is not to take longer.
	patience(timeout time.Duration) (context.Context, context.CancelFunc)
	// insertWhole stores the decisions of one scope, with all that belongs to
	// them, in a transaction of its own and in fewer steps than one by one, if
	// there is a way to. When stored is false nothing was done: without an
	// error, the usual way is to be tried; with one, there is no point.
	insertWhole(ctx context.Context, db *DB, on pool, v voice, writes []*DecisionWrite) (stored bool, err error)
	// insertMany inserts rows into a table, each with the same first values.
	// Rows that the statement returns go to read, if there is one.
	insertMany(s *session, t *bulkTable, first []any, rows [][]any, read func(scan func(...any) error) error) error
}

// class is a kind of database failure that is treated in a way of its own.
type class uint8

const (
	classOther    class = iota
	classUnique         // a row with this key is there already
	classConflict       // another transaction was in the way; trying again may do
	classTimeout        // it took too long and was stopped
	classFull           // no room on the disk or no resources
	classLost           // the connection to the database is gone
	classRefused        // no connection is to be had
)

// breaks tells whether a transaction in which this happened cannot be relied
// upon any more: SQLite rolls all of it back by itself when the disk is full.
func (c class) breaks() bool { return c >= classTimeout }

// commonClass knows the errors of database/sql itself.
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

// Every write is on the disk before it is answered (synchronous=FULL; in WAL
// mode that is one fsync for each commit).
// What a savepoint may need again is kept in memory and not in a file.
var (
	sqliteWriterPragmas = []string{
		"journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "trusted_schema(0)",
		"cache_size(-32768)", "temp_store(MEMORY)", "wal_autocheckpoint(2000)", "journal_size_limit(67108864)",
	}
	sqliteReaderPragmas = []string{"query_only(1)", "foreign_keys(1)", "trusted_schema(0)", "cache_size(-8192)"}
)

func (sqlite) name() string                { return "sqlite" }
func (sqlite) embedded() bool              { return true }
func (sqlite) forUpdate() string           { return "" } // there is one writer
func (sqlite) lockScope() string           { return "" }
func (sqlite) readOptions() *sql.TxOptions { return &sql.TxOptions{ReadOnly: true} }
func (sqlite) lockMigrations() []string    { return nil } // the transaction began immediate
func (sqlite) announce() string            { return "" }
func (sqlite) hurry() string               { return "" }
func (sqlite) standbys() string            { return "''" }
func (sqlite) fence() string               { return "" }
func (sqlite) unhurried() []string         { return nil } // only our contexts hurry it
func (sqlite) claim() []string             { return nil }
func (sqlite) survey() []string            { return nil } // every list has its index, whatever there is in it

// patience has no end: for a context that has one the driver starts a goroutine
// with every statement. Nobody but the disk can make a batch wait here; a file
// that somebody else has locked is waited for no longer than _busy_timeout.
func (sqlite) patience(time.Duration) (context.Context, context.CancelFunc) {
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
	const primary = 0xff // the rest of a result code tells more about the same
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

// SQLite's messages name tables, columns and result codes only.
func (sqlite) words(err error) string { return err.Error() }

// insertWhole gains nothing where a statement is a call of a function.
func (sqlite) insertWhole(context.Context, *DB, pool, voice, []*DecisionWrite) (bool, error) {
	return false, nil
}

// insertMany is one prepared statement for each row: the driver looks every
// parameter up among all, so rows joined into one statement gain nothing.
func (sqlite) insertMany(s *session, t *bulkTable, first []any, rows [][]any, read func(scan func(...any) error) error) error {
	args := make([]any, len(first)+len(t.columns))
	copy(args, first)
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

func (postgres) patience(timeout time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), timeout)
}

func (postgres) forUpdate() string { return " FOR UPDATE" }

func (postgres) embedded() bool { return false }

// lockScope takes a lock that ends with the transaction. Two scopes that share
// a hash wait for each other and are otherwise not harmed.
func (postgres) lockScope() string {
	return "SELECT pg_advisory_xact_lock(4, hashtext(CAST($1 AS TEXT) || '/' || CAST($2 AS TEXT)))"
}

func (postgres) readOptions() *sql.TxOptions {
	return &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead}
}

// lockMigrations takes a lock of our own that ends with the transaction; a
// migration may take longer than a request's statement.
func (postgres) lockMigrations() []string {
	return append(postgres{}.unhurried(), "SELECT pg_advisory_xact_lock(8462133094617352)")
}

func (postgres) hurry() string { return "SET LOCAL lock_timeout = " + millis(hurriedLock) }

func (postgres) standbys() string { return "current_setting('synchronous_standby_names')" }

func (postgres) fence() string { return "SELECT pg_logical_emit_message(true, 'verdict', 'fence')" }

func (postgres) unhurried() []string {
	return []string{
		"SET LOCAL statement_timeout = 0",
		"SET LOCAL lock_timeout = 0",
		"SET LOCAL idle_in_transaction_session_timeout = 0",
	}
}

// claim makes signups wait: with no tenant there, nothing else can be written.
func (postgres) claim() []string {
	return []string{"LOCK TABLE tenants IN SHARE ROW EXCLUSIVE MODE"}
}

// survey does not wait for autovacuum: until then a first page of a list would
// be sorted out of all rows.
func (postgres) survey() []string { return []string{"ANALYZE"} }

func (postgres) catalogue() string {
	return `SELECT c.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod)
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
		ORDER BY c.relname COLLATE "C", a.attnum`
}

func (postgres) hasTable() string {
	return "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1"
}

func (postgres) announce() string {
	return "SELECT set_config('verdict.role', $1, true), set_config('verdict.tenant', $2, true), set_config('verdict.environment', $3, true)"
}

// How long a transaction waits for a lock that another one holds.
const (
	sharedLock  = 150 * time.Millisecond // in a shared batch, the first time
	hurriedLock = 20 * time.Millisecond  // and after that
	sideLock    = 500 * time.Millisecond // in a side lane, at a time
)

// postgresSettings are set when a connection begins, unless the URL sets them.
// The server ends a transaction that a paused node left open, and gives up a
// connection whose other side acknowledges nothing.
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
	if errors.As(err, &refused) { // whatever the reason
		return classRefused
	}
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		if pgconn.SafeToRetry(err) { // the connection broke before anything was sent
			return classLost
		}
		return commonClass(err)
	}
	switch e.Code {
	case "23505": // unique_violation
		return classUnique
	case "40001", "40P01", "55P03": // serialization_failure, deadlock_detected, lock_not_available
		return classConflict
	case "57014": // query_canceled, by statement_timeout
		return classTimeout
	case "25006", "25P03", "3D000": // read-only (a standby after a failover), left open too long, no such database
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

// words leaves out detail and hint, which repeat values, and the message of
// those classes that repeat them too.
func (postgres) words(err error) string {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return err.Error()
	}
	text := "SQLSTATE " + e.Code
	if !strings.HasPrefix(e.Code, "22") { // data exceptions quote the data
		text += ": " + e.Message
	}
	return text
}

// insertMany sends each column as one array: one statement however many rows.
func (postgres) insertMany(s *session, t *bulkTable, first []any, rows [][]any, read func(scan func(...any) error) error) error {
	return s.run(read, t.many, append(slices.Clip(first), t.arrays(rows)...))
}
