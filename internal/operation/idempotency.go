package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"verdict/internal/fault"
	"verdict/internal/journal"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Idempotency identifies a request that must be executed only once, however often it
// is sent. It holds the Idempotency-Key, the route and the hash of the request.
type Idempotency struct {
	Route string
	Key   string
	Hash  string
	// Keep is how long the answer is stored; 0 means RememberFor. LookedUp says that the caller has looked for an
	// earlier answer and found none.
	Keep     time.Duration
	LookedUp bool
}

// Answer is the answer to a request.
type Answer struct {
	Status   int
	Location string // the path of the created resource, "" if none was created
	Body     []byte
	Replayed bool // the body is the stored answer to an earlier request with the same Idempotency-Key

	lent *[]byte // the buffer of Body, for Release
}

// The HTTP statuses of answers. They are stored with the answers to idempotent
// requests. The status of a declined decision is StatusOK too.
const (
	StatusOK        = 200
	StatusCreated   = 201
	StatusAccepted  = 202
	StatusNoContent = 204
)

// bodies holds buffers for answers, for reuse.
var bodies = sync.Pool{New: func() any {
	buf := make([]byte, 0, 8<<10)
	return &buf
}}

// BorrowBody returns a buffer for the body of an answer.
func BorrowBody() *[]byte {
	lent, _ := bodies.Get().(*[]byte) // the pool holds nothing else
	return lent
}

// PooledAnswer returns an answer whose body is in a buffer from BorrowBody.
func PooledAnswer(status int, body []byte, lent *[]byte) Answer {
	return Answer{Status: status, Body: body, lent: lent}
}

// WithBody returns the answer with another body, which is not in a borrowed
// buffer.
func (a Answer) WithBody(body []byte) Answer {
	a.Body, a.lent = body, nil
	return a
}

// keepBody is the capacity up to which a buffer is reused, in bytes.
const keepBody = 64 << 10

// Release returns the body's buffer for reuse. Body must not be used
// afterwards, because another answer may reuse the buffer. An answer that is
// never released is garbage-collected.
func (a *Answer) Release() {
	if a.lent != nil && cap(a.Body) <= keepBody {
		*a.lent = a.Body[:0]
		bodies.Put(a.lent)
	}
	a.Body, a.lent = nil, nil
}

// RememberFor is how long an Idempotency-Key is stored.
const RememberFor = 24 * time.Hour

// flights holds the requests with an Idempotency-Key that this node is
// executing. A second request with the same key is refused immediately; between
// nodes the database ensures that only one request stores its changes.
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

// Attempt is a request in progress that may have an Idempotency-Key. The zero value is the attempt
// of a request without an Idempotency-Key.
type Attempt struct {
	core        *Core
	idempotency *Idempotency
	scope       *store.Scope
	keys        *journal.Tree                   // the keys of the tenant
	keyed       func(kind, value string) string // the keyed hashes of the scope
	flight      flight
	now         int64
}

// attempt begins a request. If an earlier request with the same Idempotency-Key was answered, it
// returns that answer. If it returns neither an answer nor an error, the caller must call End.
func (s *Core) attempt(ctx context.Context, scope *store.Scope, o *Idempotency) (Attempt, *Answer, error) {
	if o == nil {
		return Attempt{}, nil, nil
	}
	keys, err := s.Keys.Tree(ctx, scope.Tenant())
	if err != nil {
		return Attempt{}, nil, err
	}
	keyed, err := s.Keyed(ctx, ScopeID{Tenant: scope.Tenant(), Environment: scope.Environment()})
	if err != nil {
		return Attempt{}, nil, err
	}
	a := Attempt{
		core:        s,
		idempotency: o,
		scope:       scope,
		keys:        keys,
		keyed:       keyed,
		flight:      flight{scope.Tenant(), scope.Environment(), o.Route, o.Key},
		now:         s.Now().UnixMicro(),
	}
	if !s.flights.enter(a.flight) {
		return Attempt{}, nil, fault.New(fault.Conflict, fault.CodeIdempotencyInProgress,
			"a request with this Idempotency-Key is still in progress")
	}
	begun := false
	defer func() {
		if !begun { // true also if the lookup has panicked
			a.End()
		}
	}()
	if o.LookedUp {
		begun = true
		return a, nil, nil
	}
	stored, err := scope.Answers(ctx).Lookup(a.key(), a.hash(), a.now)
	if err != nil || stored == nil {
		begun = err == nil
		return a, nil, err
	}
	earlier, err := a.replay(ctx, stored)
	return Attempt{}, earlier, err
}

func (a Attempt) key() store.IdempotencyKey {
	return store.IdempotencyKey{Route: a.idempotency.Route, Name: a.idempotency.Key}
}

// hash returns the hash of the request. It is empty if the request has none, like a row of a batch.
func (a Attempt) hash() store.RequestHash {
	plain := a.idempotency.Hash
	if plain == "" {
		return store.RequestHash{}
	}
	return store.RequestHash{Keyed: a.keyed("request of an Idempotency-Key", plain), Plain: plain}
}

// End lets the next request with the same Idempotency-Key begin.
func (a Attempt) End() {
	if a.idempotency != nil {
		a.core.flights.leave(a.flight)
	}
}

// Record returns the record of an answer, which must be stored in the transaction of the changes.
// It returns nil if the request has no Idempotency-Key.
func (a Attempt) Record(answer Answer) *store.IdempotencyAnswer {
	if a.idempotency == nil {
		return nil
	}
	r := a.record(answer)
	r.Body = a.keys.SealAnswer(a.scope.Environment(), r.Key, nil, answer.Body)
	return r
}

// RecordOf returns the record of an answer whose body is the stored answer of a decision or a
// run with the given id. The record names that object instead of storing the body again.
func (a Attempt) RecordOf(id string, answer Answer) *store.IdempotencyAnswer {
	if a.idempotency == nil {
		return nil
	}
	r := a.record(answer)
	r.Subject = id
	return r
}

// RecordAbout returns the record of an answer about a decision whose body differs from the stored answer of the
// decision. The body is sealed with the decision's key from keys, and is erased together with the decision.
func (a Attempt) RecordAbout(keys *journal.Tree, d *store.Decision, answer Answer) *store.IdempotencyAnswer {
	if a.idempotency == nil {
		return nil
	}
	r := a.record(answer)
	r.Subject, r.Body = d.ID, keys.SealAnswer(a.scope.Environment(), r.Key, d, answer.Body)
	return r
}

// record returns the record of an answer without its body.
func (a Attempt) record(answer Answer) *store.IdempotencyAnswer {
	return &store.IdempotencyAnswer{
		Key:           a.key(),
		RequestHash:   a.hash(),
		Status:        int64(answer.Status),
		Header:        answer.Location,
		NowMicros:     a.now,
		ExpiresMicros: a.now + cmp.Or(a.idempotency.Keep, RememberFor).Microseconds(),
	}
}

// earlier returns the stored answer to another request with the same Idempotency-Key. The parameter failed is the
// error of this request. earlier looks for the answer if that error says that the other request was answered first,
// or if the changes of the other request may have caused the error. It returns nil if there is no such answer.
func (a Attempt) earlier(ctx context.Context, failed error) (*Answer, error) {
	var already *store.AlreadyAnswered
	if errors.As(failed, &already) {
		return a.replay(ctx, &already.Stored)
	}
	switch fault.KindOf(failed) {
	case fault.Conflict, fault.NotFound, fault.Gone, fault.Precondition:
	default: // other refusals do not depend on what is stored
		return nil, nil //nolint:nilnil // there is no earlier answer
	}
	if a.idempotency == nil {
		return nil, nil //nolint:nilnil // there is no earlier answer
	}
	// Another node may have executed the same request since this node looked for its answer. The refusal is then
	// about what that request has changed.
	stored, err := a.scope.Answers(ctx).Lookup(a.key(), a.hash(), a.now)
	switch {
	case fault.KindOf(err) == fault.Unavailable:
		// It is not known whether the refusal is about this request, for example because a synchronous standby has not
		// confirmed the answer yet. The caller must repeat the request.
		return nil, err
	case err != nil || stored == nil:
		return nil, nil //nolint:nilerr,nilnil // the refusal stands
	}
	return a.replay(ctx, stored)
}

// replay returns a stored answer as it was given.
func (a Attempt) replay(ctx context.Context, stored *store.Stored) (*Answer, error) {
	body, err := a.storedBody(ctx, stored)
	if err != nil {
		return nil, fmt.Errorf("read the earlier answer: %w", err)
	}
	return &Answer{Status: int(stored.Status), Location: stored.Header, Body: body, Replayed: true}, nil
}

// storedBody returns the body of a stored answer.
func (a Attempt) storedBody(ctx context.Context, stored *store.Stored) ([]byte, error) {
	if tenant.Valid(tenant.KindRun, stored.Subject) {
		run, err := a.scope.Runs(ctx).Get(stored.Subject)
		if err == nil && len(run.Response) == 0 {
			return nil, Erased("request")
		}
		if err == nil {
			err = a.core.OpenRun(ctx, a.scope, &run)
		}
		return run.Response, MissingIsDefect(err)
	}
	if stored.Subject == "" {
		return a.core.OpenAnswer(ctx, a.scope, a.key(), nil, stored.Body)
	}
	d, err := a.scope.Decisions(ctx).Get(stored.Subject)
	if err != nil {
		return nil, MissingIsDefect(err)
	}
	if len(d.Response) == 0 {
		return nil, Erased("request")
	}
	if len(stored.Body) > 0 {
		return a.core.OpenAnswer(ctx, a.scope, a.key(), &d, stored.Body)
	}
	err = a.core.OpenDecision(ctx, a.scope, &d, nil)
	return d.Response, err
}
