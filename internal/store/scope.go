package store

import (
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"
	"time"

	"verdict/internal/admission"
)

// Scope is a handle on the data of one tenant in one environment. It cannot
// reach the data of another tenant or environment. It is cheap to make and holds
// no resources.
type Scope struct {
	db                  *DB
	tenant, environment string
}

// Scope returns a handle that is bound to one tenant and environment, and is valid until db is closed. It does not
// check that they exist.
func (db *DB) Scope(tenantID, environment string) *Scope {
	return &Scope{db: db, tenant: tenantID, environment: environment}
}

// Tenant returns the id of the scope's tenant.
func (s *Scope) Tenant() string { return s.tenant }

// Environment returns the scope's environment.
func (s *Scope) Environment() string { return s.environment }

func (s *Scope) rlsScope() rlsScope { return rlsScope{tenant: s.tenant, environment: s.environment} }

// Tx is a transaction of one Scope. Its methods, and those of the values that it returns, are valid only inside the
// function that received it.
type Tx struct {
	transaction *transaction
	rls         rlsScope
}

// Tenant returns the id of the tenant whose data the transaction sees.
func (tx *Tx) Tenant() string { return tx.rls.tenant }

// Environment returns the environment whose data the transaction sees.
func (tx *Tx) Environment() string { return tx.rls.environment }

// Write runs fn in a transaction and returns after the commit is durable. Other
// callers' writes may share the commit, but not the outcome: if fn returns an
// error, only its own changes are undone, and the error is returned.
//
// fn runs on another goroutine and has returned when Write returns. While fn runs, the
// writes of every tenant wait, so fn must do only work that has to be in the
// transaction. fn may be called again after a conflict with another transaction. It
// must not call Write or Read. If ctx ends before fn begins, fn does not run; once fn
// has begun, Write waits for the outcome.
//
// Unavailable means that the database did not confirm the write. Usually nothing was written, but if the connection was
// lost during the commit, the outcome is unknown. Such writes are remembered as unconfirmed; see ReadOf.
func (s *Scope) Write(ctx context.Context, fn func(tx *Tx) error) error {
	write := &job{rls: s.rlsScope(), scope: s.rlsScope(), run: func(t *transaction) error {
		return fn(&Tx{transaction: t, rls: s.rlsScope()})
	}}
	return s.confirmed(ctx, s.db.submit(ctx, write))
}

// Read runs fn in a read-only transaction that sees one snapshot of the database. Read never waits for writers. fn may
// be called again if the connection is lost.
func (s *Scope) Read(ctx context.Context, fn func(tx *Tx) error) error {
	return s.db.read(ctx, func(t *transaction) error {
		return fn(&Tx{transaction: t, rls: s.rlsScope()})
	})
}

// exec, each and one run a statement with the tenant as $1 and the environment
// as $2. PostgreSQL refuses a statement that does not use both (a parameter
// without a type), so the tests fail if a statement omits one.
func (tx *Tx) exec(query string, args ...any) (int64, error) {
	if err := tx.transaction.setRLS(tx.rls); err != nil {
		return 0, err
	}
	return tx.transaction.exec(query, tx.rls.args(args)...)
}

func (tx *Tx) each(read func(scan func(...any) error) error, query string, args ...any) error {
	if err := tx.transaction.setRLS(tx.rls); err != nil {
		return err
	}
	return tx.transaction.each(read, query, tx.rls.args(args)...)
}

func (tx *Tx) one(dest []any, query string, args ...any) error {
	if err := tx.transaction.setRLS(tx.rls); err != nil {
		return err
	}
	return tx.transaction.one(dest, query, tx.rls.args(args)...)
}

// Lock locks the scope until the transaction ends. A function that counts objects and
// then adds one must lock the scope first: otherwise two nodes could count at the same
// time, and both add the last object that the limit allows.
//
// Lock waits for any other transaction that holds the lock.
func (tx *Tx) Lock() error {
	lock := tx.transaction.db.dialect.lockScope
	if lock == "" {
		return nil
	}
	_, err := tx.exec(lock)
	return err
}

// read runs fn in a read transaction. It retries if the connection turns out to be
// dead.
func (db *DB) read(ctx context.Context, fn func(*transaction) error) error {
	slot := admission.SlotOf(ctx)
	if db.dialect.embedded {
		// An embedded database computes on the processors of this process. So keep the admission entry, and release
		// only the slot for long work.
		slot.PauseLong()
		defer slot.Resume()
	} else {
		slot.BeginRead(ctx)
		defer slot.EndRead()
	}
	err := db.retryDeadConnections(func() error { return db.readOnce(ctx, fn) })
	return db.failure("read", err)
}

// retryDeadConnections calls try again if its connection was dead. After a server
// restart all connections of a pool may be dead. It stops when a connection works or
// when a new connection is refused.
func (db *DB) retryDeadConnections(try func() error) error {
	err := try()
	for range max(db.options.Connections, postgresWriters) {
		if db.dialect.class(err) != classLost {
			break
		}
		err = try()
	}
	return err
}

func (db *DB) readOnce(ctx context.Context, fn func(*transaction) error) error {
	ctx, cancel := context.WithTimeout(ctx, db.options.Timeout)
	defer cancel()
	check := db.primary.check()
	err := db.readWithin(ctx, db.dialect.embedded, fn)
	if !check.passed(ctx) {
		return cmp.Or(ctx.Err(), errStale)
	}
	return err
}

// errStale is the error of a read from a server that is no longer the primary. The read
// is retried, as after a lost connection.
var errStale = fmt.Errorf("another server was promoted: %w", driver.ErrBadConn)

// submit passes a write to the committer. A refused write commits nothing, so no
// standby confirms that the refusal came from the current primary. For a refusal,
// submit therefore checks, as for a read, that the server was still the primary. If it
// was not, submit submits the write again, a few times at most.
func (db *DB) submit(ctx context.Context, j *job) error {
	const tries = 3 // promotions are rare, so a few tries are enough
	for range tries {
		began := db.primary.current()
		err := db.commits.submit(ctx, j)
		if err == nil || !isRefusal(err) || isUnavailable(err) {
			return err
		}
		if check := db.primary.check(); check.since(began).passed(ctx) {
			return err
		}
		j = &job{rls: j.rls, scope: j.scope, run: j.run, decision: j.decision, deadline: j.deadline}
	}
	return unavailable("another database server is becoming the primary")
}

// readLong runs fn like read, but only ctx limits the time, and readLong does not
// retry: fn may already have passed on the data that it read.
func (db *DB) readLong(ctx context.Context, fn func(*transaction) error) error {
	err := db.readWithin(ctx, false, func(s *transaction) error {
		for _, setting := range db.dialect.noTimeouts {
			if _, err := s.exec(setting); err != nil {
				return err
			}
		}
		return fn(s)
	})
	return db.failure("read", err)
}

// readCharge returns the maximum time that a read adds to the processor time of its owner. Each round trip adds a
// quarter of a millisecond; two round trips begin and end the transaction. Each MiB of documents adds 10 ms, because
// PostgreSQL decompresses, copies and sends them. received also includes an estimate for rows that the read only
// counts.
func readCharge(statements, received int) time.Duration {
	const perTrip, perByte = 250 * time.Microsecond, 10 * time.Nanosecond
	return time.Duration(statements+2)*perTrip + time.Duration(received)*perByte
}

// readWithin runs fn in a read transaction. If brief is set, ctx is checked before each
// statement and not during it. The reason is that SQLite's driver starts a goroutine
// for every statement whose context can end, and very many goroutines delay each other.
func (db *DB) readWithin(ctx context.Context, brief bool, fn func(*transaction) error) (err error) {
	tx, err := db.reader.BeginTx(ctx, db.dialect.readOptions)
	if err != nil {
		return err
	}
	defer db.reader.prepared.prepareWanted(ctx)
	// There is nothing to commit, and a failed rollback needs no handling.
	defer func() { _ = tx.Rollback() }()
	s := &transaction{db: db, ctx: ctx, tx: tx, prepared: db.reader.prepared, counts: !db.dialect.embedded}
	if !db.dialect.embedded {
		// Charge the owner for the time of the transaction, but no more than readCharge. While the transaction is
		// open, the database server computes for the owner, on processors that all owners share. If the transaction
		// takes longer than readCharge allows, it is unknown how much of the time the server computed: the server may
		// be far away, or wait for a lock.
		begun := time.Now()
		defer func() {
			admission.SlotOf(ctx).Charge(min(time.Since(begun), readCharge(s.statements, s.received)))
		}()
	}
	if brief {
		s.ctx, s.caller = context.WithoutCancel(ctx), ctx
	}
	return fn(s)
}
