package operation

import (
	"context"
	"errors"
	"sync"
	"time"

	"verdict/internal/fault"
	"verdict/internal/store"
)

// Once is a caller's wish that a request be done once, however often it is
// sent: the Idempotency-Key, for one route, with the hash of what was sent.
type Once struct {
	Route string
	Key   string
	Hash  string
}

// Answer is what a request is answered with.
type Answer struct {
	Status   int
	Location string // where the new thing is, "" when there is none
	Body     []byte
	Replayed bool // an earlier request with this Idempotency-Key had this answer

	lent *[]byte // the memory of Body, to be given back
}

// bodies are the memory of answers, used again and again.
var bodies = sync.Pool{New: func() any {
	buf := make([]byte, 0, 8<<10)
	return &buf
}}

// BorrowBody returns memory for the body of an answer.
func BorrowBody() *[]byte {
	lent, _ := bodies.Get().(*[]byte) // the pool holds nothing else
	return lent
}

// LentAnswer returns an answer whose body was written into borrowed memory.
func LentAnswer(status int, body []byte, lent *[]byte) Answer {
	return Answer{Status: status, Body: body, lent: lent}
}

// WithBody returns the answer with another body, which is not borrowed.
func (a Answer) WithBody(body []byte) Answer {
	a.Body, a.lent = body, nil
	return a
}

// keepBody is how large an answer's memory may have grown to be kept.
const keepBody = 64 << 10

// Release gives the body's memory back. Nobody may look at Body afterwards; an
// answer that is never released is only garbage.
func (a *Answer) Release() {
	if a.lent != nil && cap(a.Body) <= keepBody {
		*a.lent = a.Body[:0]
		bodies.Put(a.lent)
	}
	a.Body, a.lent = nil, nil
}

// rememberFor is how long a key is remembered.
const rememberFor = 24 * time.Hour

// flights are the requests with an Idempotency-Key that this node is busy
// with. A second one is refused immediately; between two nodes the database
// sees to it that only one is done.
type flights struct {
	mu    sync.Mutex
	under map[flight]struct{}
}

type flight struct{ tenant, environment, route, key string }

func (f *flights) enter(which flight) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, busy := f.under[which]; busy {
		return false
	}
	f.under[which] = struct{}{}
	return true
}

func (f *flights) leave(which flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.under, which)
}

// Keep makes the record of an answer, to be stored in the transaction of what
// is answered; nil when nobody asked for it.
type Keep func(Answer) *store.IdempotencyAnswer

// Once does something once. What do stores must include what keep gives, in
// the same transaction. A refusal is not remembered: it did nothing, and the
// same request may succeed later.
func (s *Core) Once(ctx context.Context, scope *store.Scope, o *Once, do func(Keep) (Answer, error)) (Answer, error) {
	if o == nil {
		return do(func(Answer) *store.IdempotencyAnswer { return nil })
	}
	this := flight{scope.Tenant(), scope.Environment(), o.Route, o.Key}
	if !s.flights.enter(this) {
		return Answer{}, fault.New(fault.Conflict, fault.CodeIdempotencyInProgress,
			"a request with this Idempotency-Key is under way")
	}
	defer s.flights.leave(this)
	key := store.IdempotencyKey{Route: o.Route, Name: o.Key}
	now := s.Now().UnixMicro()
	stored, err := scope.Answers(ctx).Lookup(key, o.Hash, now)
	if err != nil {
		return Answer{}, err
	}
	if stored != nil {
		return replay(*stored), nil
	}
	answer, err := do(func(a Answer) *store.IdempotencyAnswer {
		return &store.IdempotencyAnswer{
			Key: key, RequestHash: o.Hash, Status: int64(a.Status), Header: a.Location, Body: a.Body,
			NowMicros: now, ExpiresMicros: now + rememberFor.Microseconds(),
		}
	})
	var already *store.AlreadyAnswered
	if errors.As(err, &already) {
		return replay(already.Stored), nil
	}
	return answer, err
}

func replay(stored store.Stored) Answer {
	return Answer{Status: int(stored.Status), Location: stored.Header, Body: stored.Body, Replayed: true}
}

// Write does something once that is one transaction.
func (s *Core) Write(ctx context.Context, scope *store.Scope, o *Once, fn func(*store.Tx) (Answer, error)) (Answer, error) {
	return s.Once(ctx, scope, o, func(keep Keep) (Answer, error) { return s.Commit(ctx, scope, keep, fn) })
}

// Commit runs fn, which changes something and says what to answer, in one
// transaction with the answer's record.
func (s *Core) Commit(ctx context.Context, scope *store.Scope, keep Keep, fn func(*store.Tx) (Answer, error)) (Answer, error) {
	var answer Answer
	err := scope.Write(ctx, func(tx *store.Tx) (err error) {
		if answer, err = fn(tx); err != nil {
			return err
		}
		if record := keep(answer); record != nil {
			return tx.Answers().Insert(*record)
		}
		return nil
	})
	return answer, err
}

// Remember works out an answer that changes nothing, and keeps it for whoever
// repeats the request and wants to hear the same.
func (s *Core) Remember(ctx context.Context, scope *store.Scope, o *Once, work func() (Answer, error)) (Answer, error) {
	return s.Once(ctx, scope, o, func(keep Keep) (Answer, error) {
		answer, err := work()
		record := keep(answer)
		if err != nil || record == nil {
			return answer, err
		}
		return answer, scope.Write(ctx, func(tx *store.Tx) error { return tx.Answers().Insert(*record) })
	})
}
