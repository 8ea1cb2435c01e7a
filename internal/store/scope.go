package store

import (
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"

	"verdict/internal/admission"
)

// Scope is a handle on the data of one tenant in one environment. It cannot
// reach anything else; it costs nothing to make and holds nothing.
type Scope struct {
	db                  *DB
	tenant, environment string
}

// Scope makes the handle of a tenant and environment.
func (db *DB) Scope(tenantID, environment string) *Scope {
	return &Scope{db: db, tenant: tenantID, environment: environment}
}

// Tenant is the id of the tenant whose data this is.
func (s *Scope) Tenant() string { return s.tenant }

// Environment is the environment whose data this is.
func (s *Scope) Environment() string { return s.environment }

func (s *Scope) voice() voice { return voice{tenant: s.tenant, environment: s.environment} }

// Tx is a transaction of one Scope. Its methods, and those of the subjects that
// it hands out, are valid only inside the function it was handed to.
type Tx struct {
	session *session
	voice   voice
}

// Tenant is the id of the tenant whose data the transaction sees.
func (tx *Tx) Tenant() string { return tx.voice.tenant }

// Environment is the environment whose data the transaction sees.
func (tx *Tx) Environment() string { return tx.voice.environment }

// Write runs fn in a transaction and returns when that is durable. Other
// callers' writes may share the commit, but not the outcome: if fn returns an
// error its own changes are undone, and the error is returned.
//
// fn may be run more than once, when another transaction was in the way, and
// must not start a Write or Read of its own. It runs on another goroutine,
// and is over when Write returns: while it runs, every tenant's writes wait, so
// it does nothing but what must be in the transaction. A ctx that ends before fn
// begins prevents it; once begun, the outcome is waited for.
//
// Unavailable means that the database did not confirm: usually nothing was
// written, but a connection lost during the commit leaves it open. What may
// have been written is then in doubt (ReadOf).
func (s *Scope) Write(ctx context.Context, fn func(tx *Tx) error) error {
	return s.confirmed(ctx, s.db.submit(ctx, &job{voice: s.voice(), scope: s.voice(), run: func(session *session) error {
		return fn(&Tx{session: session, voice: s.voice()})
	}}))
}

// Read runs fn in a transaction that sees one moment of the database and
// changes nothing. It never waits for writers.
func (s *Scope) Read(ctx context.Context, fn func(tx *Tx) error) error {
	return s.db.read(ctx, func(session *session) error {
		return fn(&Tx{session: session, voice: s.voice()})
	})
}

// exec, each and one run a statement with the tenant as $1 and the environment
// as $2. A statement that leaves either out is refused by PostgreSQL (a
// parameter without a type), so the suite cannot pass with one.
func (tx *Tx) exec(query string, args ...any) (int64, error) {
	if err := tx.session.as(tx.voice); err != nil {
		return 0, err
	}
	return tx.session.exec(query, tx.scoped(args)...)
}

func (tx *Tx) each(read func(scan func(...any) error) error, query string, args ...any) error {
	if err := tx.session.as(tx.voice); err != nil {
		return err
	}
	return tx.session.each(read, query, tx.scoped(args)...)
}

func (tx *Tx) one(dest []any, query string, args ...any) error {
	if err := tx.session.as(tx.voice); err != nil {
		return err
	}
	return tx.session.one(dest, query, tx.scoped(args)...)
}

// lockScope makes the transaction wait until no other holds the scope, and
// others wait until this one ends.
func (tx *Tx) lockScope() error {
	lock := tx.session.db.dialect.lockScope()
	if lock == "" {
		return nil
	}
	_, err := tx.exec(lock)
	return err
}

func (tx *Tx) scoped(args []any) []any {
	return append([]any{tx.voice.tenant, tx.voice.environment}, args...)
}

// read runs fn in a reading transaction, which can be repeated without asking.
func (db *DB) read(ctx context.Context, fn func(*session) error) error {
	slot := admission.SlotOf(ctx)
	if db.dialect.embedded() {
		slot.PauseLong() // the database computes on the same processors
	} else {
		slot.Pause()
	}
	defer slot.Resume()
	err := db.pastDeadConnections(func() error { return db.readOnce(ctx, fn) })
	return db.failure("read", err)
}

// pastDeadConnections repeats what finds its connection gone: a server that was
// restarted leaves a whole pool of them. It ends with a connection that works
// or with the refusal of a new one.
func (db *DB) pastDeadConnections(try func() error) error {
	err := try()
	for range max(db.options.Connections, postgresWriters) {
		if db.dialect.class(err) != classLost {
			break
		}
		err = try()
	}
	return err
}

func (db *DB) readOnce(ctx context.Context, fn func(*session) error) error {
	ctx, cancel := context.WithTimeout(ctx, db.options.Timeout)
	defer cancel()
	check := db.primary.check()
	err := db.readWithin(ctx, db.dialect.embedded(), fn)
	if !check.passed(ctx) {
		return cmp.Or(ctx.Err(), errStale)
	}
	return err
}

// errStale is the error of a read from a server that is no longer the primary. It
// is tried again like one whose connection was lost.
var errStale = fmt.Errorf("another server was promoted: %w", driver.ErrBadConn)

// submit hands a write to the committer. A refusal commits nothing, so no standby
// confirms it: it is checked like a read that the server was still the primary.
func (db *DB) submit(ctx context.Context, j *job) error {
	began := db.primary.current()
	err := db.commits.submit(ctx, j)
	if err == nil || !isRefusal(err) || isUnavailable(err) {
		return err
	}
	if check := db.primary.check(); check.since(began).passed(ctx) {
		return err
	}
	return db.commits.submit(ctx, &job{voice: j.voice, scope: j.scope, run: j.run, decision: j.decision})
}

// readLong is read without a time limit but the caller's, and is not repeated:
// fn may have passed on what it read.
func (db *DB) readLong(ctx context.Context, fn func(*session) error) error {
	err := db.readWithin(ctx, false, func(s *session) error {
		for _, setting := range db.dialect.unhurried() {
			if _, err := s.exec(setting); err != nil {
				return err
			}
		}
		return fn(s)
	})
	return db.failure("read", err)
}

// readWithin runs fn in a reading transaction. When the statements are brief, the
// context is looked at between them and not during each: SQLite's driver starts a
// goroutine for every statement under a context that can end, and a flood of those
// delays everything else that is ready to run.
func (db *DB) readWithin(ctx context.Context, brief bool, fn func(*session) error) error {
	tx, err := db.reader.BeginTx(ctx, db.dialect.readOptions())
	if err != nil {
		return err
	}
	defer db.reader.prepared.settle(ctx)
	// There is nothing to keep, and rolling back does not fail in a new way.
	defer func() { _ = tx.Rollback() }()
	s := &session{db: db, ctx: ctx, tx: tx, prepared: db.reader.prepared}
	if brief {
		s.ctx, s.caller = context.WithoutCancel(ctx), ctx
	}
	return fn(s)
}
