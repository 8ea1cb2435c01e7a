package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// newPostgres returns the dialect of PostgreSQL.
func newPostgres() *dialect {
	noTimeouts := []string{
		"SET LOCAL statement_timeout = 0",
		"SET LOCAL lock_timeout = 0",
		"SET LOCAL idle_in_transaction_session_timeout = 0",
	}
	return &dialect{
		operations:     postgres{},
		name:           "postgres",
		hasHeads:       true,
		readOptions:    &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead},
		forUpdate:      " FOR UPDATE",
		forNoKeyUpdate: " FOR NO KEY UPDATE",

		// Lock the head of the scope's journal, and create the head if there is none. Then take the advisory lock with
		// which nodes of version 0.1 lock a scope, so that they can run beside this version during an upgrade.
		lockScope: `INSERT INTO journal_heads (tenant_id, environment, size) VALUES ($1, $2, coalesce((` +
			nextEntry + `), 0))
		ON CONFLICT (tenant_id, environment) DO UPDATE SET size = journal_heads.size
		RETURNING pg_advisory_xact_lock(4, hashtext(CAST($1 AS TEXT) || '/' || CAST($2 AS TEXT)))`,

		setRLS:           postgresSetRLS,
		shortLockTimeout: "SET LOCAL lock_timeout = " + millis(laterLock),
		standbys:         "current_setting('synchronous_standby_names')",
		fence:            "SELECT pg_logical_emit_message(true, 'verdict', 'fence')",
		noTimeouts:       noTimeouts,

		// The advisory lock ends with the transaction. A migration may take longer than the statement of a request,
		// so the timeouts are off.
		lockMigrations: append(slices.Clip(noTimeouts), "SELECT pg_advisory_xact_lock(8462133094617352)"),

		hasTable: "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1",
		catalogue: `SELECT c.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod)
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') ` +
			`AND a.attnum > 0 AND NOT a.attisdropped
		ORDER BY c.relname COLLATE "C", a.attnum`,

		// The lock makes signups wait. As long as there is no tenant, no data of tenants can be written.
		lockTenants:  []string{"LOCK TABLE tenants IN SHARE ROW EXCLUSIVE MODE"},
		leafCheckOff: "ALTER TABLE decisions DROP CONSTRAINT decisions_have_leaf",
		leafCheckOn:  "ALTER TABLE decisions ADD CONSTRAINT decisions_have_leaf CHECK (leaf >= 0) NOT VALID",

		// Do not wait for autovacuum. Without statistics, the planner would sort all rows for the first page of a list.
		analyze: []string{"ANALYZE"},
	}
}

// postgresSetRLS sets the row-level security scope of the following statements.
const postgresSetRLS = "SELECT set_config('verdict.role', $1, true), set_config('verdict.tenant', $2, true), " +
	"set_config('verdict.environment', $3, true)"

// How long a transaction waits for another transaction's lock.
const (
	sharedLock = 150 * time.Millisecond // in a shared batch, until the first conflict
	laterLock  = 20 * time.Millisecond  // in a shared batch, after the first conflict
	sideLock   = 500 * time.Millisecond // in a side lane, for each attempt
)

// postgresSettings returns the default settings of new connections, which the URL can override. With these
// settings, the server ends a transaction that a paused node left open, and closes a connection whose client
// acknowledges nothing.
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

// postgres has the operations of PostgreSQL. pipeline.go has insertPipelined.
type postgres struct{}

func (postgres) batchContext(timeout time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), timeout)
}

func (postgres) class(err error) class {
	var refused *pgconn.ConnectError
	if errors.As(err, &refused) { // the connection was refused, for any reason
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
	case "08", "57", "58", "28", "F0", "XX": // connection, operator, system, login, configuration and corruption errors
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
