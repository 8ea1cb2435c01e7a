package store

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// doubts remembers what commits held whose outcome this node does not know, or
// which the synchronous standby did not acknowledge. Such a row may be there
// for everybody to see and yet be lost by a failover, so it is answered only
// after a later commit was acknowledged (Scope.ReadOf).
type doubts struct {
	any   atomic.Bool // spares everybody else the lock
	mu    sync.Mutex
	until map[doubt]time.Time
	all   time.Time // until when everything is in doubt, because there was too much of it
}

// doubt names something of a scope: the id of a decision or a run, or an
// idempotency key.
type doubt struct {
	scope voice
	name  string
}

const (
	// doubtFor is how long a doubt lasts if nothing settles it.
	doubtFor = 10 * time.Minute
	// maxDoubts bounds the memory of them.
	maxDoubts = 100_000
)

func keyDoubt(scope voice, key IdempotencyKey) doubt {
	return doubt{scope, key.Route + "\x00" + key.Name}
}

// doubtsOf names what a decision's write stores.
func doubtsOf(scope voice, w *DecisionWrite) []doubt {
	named := []doubt{{scope, w.Decision.ID}}
	if w.Answer != nil {
		named = append(named, keyDoubt(scope, w.Answer.Key))
	}
	return named
}

func (d *doubts) add(named ...doubt) {
	if len(named) == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	if d.until == nil {
		d.until = map[doubt]time.Time{}
	}
	if len(d.until)+len(named) > maxDoubts {
		for name, until := range d.until {
			if !now.Before(until) {
				delete(d.until, name)
			}
		}
	}
	if len(d.until)+len(named) > maxDoubts {
		d.all = now.Add(doubtFor)
	} else {
		for _, name := range named {
			d.until[name] = now.Add(doubtFor)
		}
	}
	d.any.Store(true)
}

func (d *doubts) has(name doubt) bool {
	if !d.any.Load() {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
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

func (d *doubts) settle(name doubt) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.until, name)
}

// errUnacknowledged is a commit that is on the primary and not confirmed by
// its synchronous standby.
var errUnacknowledged = errors.New("the synchronous standby did not acknowledge the commit")

// acknowledgements counts the commits of a pool for which PostgreSQL gave up
// waiting for the standby. It says so in a warning and reports success.
type acknowledgements struct{ missing atomic.Int64 }

func (a *acknowledgements) notice(_ *pgconn.PgConn, n *pgconn.Notice) {
	if n.Routine == "SyncRepWaitForLSN" { // the text is in the server's language
		a.missing.Add(1)
	}
}

// count returns how many commits of the pool were not acknowledged.
func (a *acknowledgements) count() int64 {
	if a == nil {
		return 0
	}
	return a.missing.Load()
}

// acknowledged commits a transaction, which fails if the standby does not
// confirm it.
func (p pool) acknowledged(s *session) error {
	before := p.standby.count()
	err := s.tx.Commit()
	if err == nil && p.standby.count() != before {
		return errUnacknowledged
	}
	return err
}

// uncertain tells whether a commit that ended with this error may have been
// done. What the server refuses it has rolled back.
func (db *DB) uncertain(err error) bool {
	if err == nil || db.dialect.fence() == "" {
		return false
	}
	var refused *pgconn.PgError
	return !errors.As(err, &refused) || db.dialect.class(err).breaks()
}

// wrote notes what a transaction stores that may be asked for by its name.
func (tx *Tx) wrote(id string) {
	if s := tx.session; s.db.dialect.fence() != "" {
		s.written = append(s.written, doubt{tx.voice, id})
	}
}

// wroteAnswer notes the key of an answer.
func (tx *Tx) wroteAnswer(key IdempotencyKey) {
	if s := tx.session; s.db.dialect.fence() != "" {
		s.written = append(s.written, keyDoubt(tx.voice, key))
	}
}

// fence makes the transaction one that a synchronous standby must acknowledge,
// and with it everything that was committed before. One that writes nothing
// waits for nobody.
func (tx *Tx) fence() error {
	statement := tx.session.db.dialect.fence()
	if statement == "" {
		return nil
	}
	_, err := tx.session.exec(statement)
	return err
}

// ReadOf is Read for something that is named by its id. If this node does not
// know whether what it stored under that id is durable, fn runs in a
// transaction that is acknowledged before ReadOf returns, together with those
// of others who wait; it is Unavailable if that fails. fn must only read.
func (s *Scope) ReadOf(ctx context.Context, id string, fn func(tx *Tx) error) error {
	name := doubt{s.voice(), id}
	if !s.db.doubts.has(name) {
		return s.Read(ctx, fn)
	}
	return s.fenced(ctx, name, fn)
}

// fenced runs fn, which reads, in a transaction that is acknowledged.
func (s *Scope) fenced(ctx context.Context, name doubt, fn func(tx *Tx) error) error {
	err := s.Write(ctx, func(tx *Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return tx.fence()
	})
	if err == nil {
		s.db.doubts.settle(name)
	}
	return err
}

// lookupFenced is Lookup for an answer that may not be durable.
func (s *Scope) lookupFenced(
	ctx context.Context, key IdempotencyKey, requestHash string, nowMicros int64,
) (*Stored, error) {
	var stored *Stored
	err := s.fenced(ctx, keyDoubt(s.voice(), key), func(tx *Tx) (err error) {
		stored, err = tx.Answers().Lookup(key, requestHash, nowMicros)
		return err
	})
	if err != nil {
		return nil, err
	}
	return stored, nil
}

// confirmed passes the outcome of a write on. An earlier answer that may not be
// durable is looked up again first, in a transaction that is acknowledged.
func (s *Scope) confirmed(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var before *AlreadyAnswered
	if !errors.As(err, &before) || !before.unsure {
		return err
	}
	stored, err := s.lookupFenced(ctx, before.of.Key, before.of.RequestHash, before.of.NowMicros)
	switch {
	case err != nil:
		return err
	case stored == nil:
		return unavailable("the earlier answer to this Idempotency-Key is not confirmed")
	}
	return &AlreadyAnswered{Stored: *stored, of: before.of}
}
