package store

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// unconfirmedWrites remembers the names of rows whose commit may not be durable:
// the outcome is unknown to this node, or the synchronous standby did not
// acknowledge the commit. Such a row may be visible and still be lost in a
// failover. So it is returned only after a later commit was acknowledged
// (Scope.ReadOf).
type unconfirmedWrites struct {
	now   func() time.Time // time.Now if it is nil
	any   atomic.Bool      // lets readers skip the lock if nothing is unconfirmed
	mu    sync.Mutex
	until map[writeName]time.Time
	all   time.Time // the time until which every row counts as unconfirmed, because there were too many names
}

// writeName names a row of a scope: the id of a decision or a run, or an
// idempotency key.
type writeName struct {
	scope rlsScope
	name  string
}

const (
	// unconfirmedFor is how long a row counts as unconfirmed if nothing
	// confirms it.
	unconfirmedFor = 10 * time.Minute
	// maxUnconfirmed limits how many names are remembered.
	maxUnconfirmed = 100_000
)

func answerName(scope rlsScope, key IdempotencyKey) writeName {
	return writeName{scope, key.Route + "\x00" + key.Name}
}

// decisionNames returns the names of the rows that a decision's write stores.
func decisionNames(scope rlsScope, w *DecisionWrite) []writeName {
	named := []writeName{{scope, w.Decision.ID}}
	if w.Answer != nil {
		named = append(named, answerName(scope, w.Answer.Key))
	}
	return named
}

// clock returns the current time.
func (d *unconfirmedWrites) clock() time.Time {
	if d.now == nil {
		return time.Now()
	}
	return d.now()
}

func (d *unconfirmedWrites) add(named ...writeName) {
	if len(named) == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.clock()
	if d.until == nil {
		d.until = map[writeName]time.Time{}
	}
	if len(d.until)+len(named) > maxUnconfirmed {
		for name, until := range d.until {
			if !now.Before(until) {
				delete(d.until, name)
			}
		}
	}
	if len(d.until)+len(named) > maxUnconfirmed {
		d.all = now.Add(unconfirmedFor)
	} else {
		for _, name := range named {
			d.until[name] = now.Add(unconfirmedFor)
		}
	}
	d.any.Store(true)
}

func (d *unconfirmedWrites) has(name writeName) bool {
	if !d.any.Load() {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.clock()
	until, there := d.until[name]
	if there && !now.Before(until) {
		delete(d.until, name)
		there = false
	}
	everything := now.Before(d.all)
	if len(d.until) == 0 && !everything {
		d.any.Store(false)
	}
	return there || everything
}

func (d *unconfirmedWrites) settle(name writeName) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.until, name)
}

// errUnacknowledged is the error of a commit that succeeded on the primary and
// was not acknowledged by its synchronous standby.
var errUnacknowledged = errors.New("the synchronous standby did not acknowledge the commit")

// acknowledgements counts the commits of a pool for which PostgreSQL stopped
// waiting for the standby. The server then sends a warning and still reports
// success.
type acknowledgements struct{ missing atomic.Int64 }

func (a *acknowledgements) notice(_ *pgconn.PgConn, n *pgconn.Notice) {
	if n.Routine == "SyncRepWaitForLSN" { // the message itself depends on the server's language
		a.missing.Add(1)
	}
}

// count returns the number of commits that were not acknowledged.
func (a *acknowledgements) count() int64 {
	if a == nil {
		return 0
	}
	return a.missing.Load()
}

// commit commits a transaction. It returns errUnacknowledged if the standby did
// not acknowledge the commit.
func (p pool) commit(s *transaction) error {
	before := p.standby.count()
	err := s.tx.Commit()
	if err == nil && p.standby.count() != before {
		return errUnacknowledged
	}
	return err
}

// mayHaveCommitted reports whether a commit that returned err may have
// succeeded. If the server itself refused the commit, the server has rolled the
// transaction back.
func (db *DB) mayHaveCommitted(err error) bool {
	if err == nil || db.dialect.fence == "" {
		return false
	}
	var refused *pgconn.PgError
	return !errors.As(err, &refused) || db.dialect.class(err).breaks()
}

// noteWritten records the id of a row that the transaction stores.
func (tx *Tx) noteWritten(id string) { tx.transaction.noteWritten(writeName{tx.rls, id}) }

// noteWritten records the name of a row that the transaction stores.
func (s *transaction) noteWritten(name writeName) {
	if s.db.dialect.fence != "" {
		s.written = append(s.written, name)
	}
}

// fence makes the commit of this transaction wait for the synchronous standby,
// whose acknowledgement covers all earlier commits too. Without fence, a
// transaction that writes nothing does not wait.
func (s *transaction) fence() error {
	statement := s.db.dialect.fence
	if statement == "" {
		return nil
	}
	_, err := s.exec(statement)
	return err
}

// ReadOf runs fn like Read, for a row with the given id. If this node does not
// know whether the row is durable, fn runs in a transaction that the standby must
// acknowledge; ReadOf returns Unavailable if the acknowledgement fails. That
// transaction may share its commit with other writes. fn must only read.
func (s *Scope) ReadOf(ctx context.Context, id string, fn func(tx *Tx) error) error {
	name := writeName{s.rlsScope(), id}
	if !s.db.unconfirmed.has(name) {
		return s.Read(ctx, fn)
	}
	return s.fenced(ctx, name, fn)
}

// fenced runs fn, which only reads, in a transaction that the standby
// acknowledges.
func (s *Scope) fenced(ctx context.Context, name writeName, fn func(tx *Tx) error) error {
	err := s.Write(ctx, func(tx *Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return tx.transaction.fence()
	})
	if err == nil {
		s.db.unconfirmed.settle(name)
	}
	return err
}

// lookupFenced looks up an answer that may not be durable, in a transaction
// that the standby acknowledges.
func (s *Scope) lookupFenced(
	ctx context.Context, key IdempotencyKey, requestHash RequestHash, nowMicros int64,
) (*Stored, error) {
	var stored *Stored
	err := s.fenced(ctx, answerName(s.rlsScope(), key), func(tx *Tx) (err error) {
		stored, err = tx.Answers().Lookup(key, requestHash, nowMicros)
		return err
	})
	if err != nil {
		return nil, err
	}
	return stored, nil
}

// confirmed returns the error of a write. If the error is *AlreadyAnswered with an answer that may not be durable,
// confirmed first looks up the answer again in a transaction that the standby acknowledges.
func (s *Scope) confirmed(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var before *AlreadyAnswered
	if !errors.As(err, &before) || !before.unconfirmed {
		return err
	}
	stored, err := s.lookupFenced(ctx, before.of.Key, before.of.RequestHash, before.of.NowMicros)
	switch {
	case err != nil:
		return err
	case stored == nil:
		return unavailable("it is not known yet whether the earlier answer to this Idempotency-Key was stored durably")
	}
	return &AlreadyAnswered{Stored: *stored, of: before.of}
}
