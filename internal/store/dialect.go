package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"time"
)

// dialect has all differences between the two databases: texts of SQL, settings, and operations. sqlite.go and
// postgres.go have one dialect each.
type dialect struct {
	operations

	name string
	// embedded is set if the database runs in this process.
	embedded bool
	// hasHeads is set if the table journal_heads also holds the size of each journal. A transaction locks a journal by
	// locking its row in this table. SQLite, which has one writer, has no such table.
	hasHeads bool
	// readOptions are the options of a read transaction that sees one snapshot.
	readOptions *sql.TxOptions

	// forUpdate is the clause with which a SELECT in a write transaction locks the rows it reads.
	forUpdate string
	// forNoKeyUpdate is a clause like forUpdate, for rows whose key will not change. Other transactions can still
	// insert rows that refer to them by a foreign key.
	forNoKeyUpdate string
	// lockScope locks a scope until the transaction ends, with the scope as $1 and $2; "" on SQLite, which has one
	// writer.
	lockScope string
	// setRLS sets the row-level security scope of the following statements; "" if there is no row-level security.
	setRLS string
	// shortLockTimeout shortens the lock timeout for the rest of a transaction; "" on SQLite, whose transactions wait
	// for no locks.
	shortLockTimeout string
	// standbys is an SQL expression for the names of the synchronous standbys that a commit waits for. Its value is ''
	// if there are none.
	standbys string
	// fence writes a message to the write-ahead log, so that a transaction without changes waits for the standby's
	// acknowledgement too; "" on SQLite, which has no standby.
	fence string
	// noTimeouts are the first statements of a transaction that may take long. They switch the timeouts off.
	noTimeouts []string
	// lockMigrations are the first statements of a migration. They ensure that one node at a time migrates.
	lockMigrations []string
	// hasTable returns one row if the table named $1 exists.
	hasTable string
	// catalogue returns the table, name and type of every column.
	catalogue string

	// lockTenants keeps others from writing while a restore fills an empty database.
	lockTenants []string
	// leafCheckOff and leafCheckOn switch a check constraint off and on again. The constraint requires that every new
	// decision has a journal entry. A restore switches it off, because a backup may contain decisions without an entry.
	leafCheckOff, leafCheckOn string
	// analyze are the last statements of a restore. They update the planner's statistics before the first query.
	analyze []string
}

// operations are what the two databases do in different ways.
type operations interface {
	// class classifies an error of the database.
	class(err error) class
	// logText returns the text of an error for logs. It never contains a value
	// of a row.
	logText(err error) string
	// batchContext returns the context of a batch that may take as long as
	// timeout.
	batchContext(timeout time.Duration) (context.Context, context.CancelFunc)
	// insertPipelined stores decisions, with everything that belongs to them, in a transaction of its own with fewer
	// round trips, if the database supports it. It reports for each job whether the decision was stored; the caller
	// stores the others with ordinary statements. If it returns nil, nothing was stored. If err is a *lockedScope,
	// nothing was stored because of this scope. After any other error the caller gives up; the outcome may be unknown.
	insertPipelined(ctx context.Context, db *DB, on pool, jobs []*job) (stored []bool, err error)
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
