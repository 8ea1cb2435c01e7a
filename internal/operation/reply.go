package operation

import (
	"context"

	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Reply says how the result of an operation is encoded for a caller that needs
// bytes. Encode encodes the result. If Idempotency is set, the encoded answer is
// stored in the same transaction as the changes. A nil Reply is for a caller in
// this process, which uses the result itself.
type Reply[T any] struct {
	Idempotency *Idempotency
	Encode      func(T) Answer

	answer  Answer
	written bool
}

// Answer returns the answer for a result: the stored answer to an earlier
// request with the same Idempotency-Key, or the encoded result.
func (r *Reply[T]) Answer(result T) Answer {
	if !r.written {
		r.answer, r.written = r.Encode(result), true
	}
	return r.answer
}

// idempotency returns r.Idempotency, or nil for a nil Reply.
func (r *Reply[T]) idempotency() *Idempotency {
	if r == nil {
		return nil
	}
	return r.Idempotency
}

// encode encodes a result if the answer must be stored. Otherwise it returns the zero Answer.
func (r *Reply[T]) encode(result T) Answer {
	if r == nil || r.Idempotency == nil {
		return Answer{}
	}
	return r.Answer(result)
}

// keep sets the answer of the reply.
func (r *Reply[T]) keep(a Answer) { r.answer, r.written = a, true }

// Write runs the function do once for an Idempotency-Key, in one transaction. If an earlier request with the same
// Idempotency-Key has succeeded, the result is the zero value and the reply has the earlier answer.
func Write[T any](
	ctx context.Context, s *Core, scope *store.Scope, r *Reply[T], do func(*store.Tx) (T, error),
) (T, error) {
	return WritePrepared(ctx, s, scope, r, func() (func(*store.Tx) (T, error), error) { return do, nil })
}

// WritePrepared is like Write, but first calls the function prepare, outside of the transaction. prepare is also
// called only once for an Idempotency-Key. It returns the function to run in the transaction.
func WritePrepared[T any](
	ctx context.Context, s *Core, scope *store.Scope, r *Reply[T], prepare func() (func(*store.Tx) (T, error), error),
) (T, error) {
	return WriteInSteps(ctx, s, scope, r, func(commit Commit[T]) (T, error) {
		do, err := prepare()
		if err != nil {
			var none T
			return none, err
		}
		return commit(ctx, do)
	})
}

// ComputeOnce calls the function compute, which changes no stored data. It stores the answer, so that repetitions
// of the request get the same answer. It returns cap_reached if the plan does not allow the caller to store the
// answer.
func ComputeOnce[T any](
	ctx context.Context, s *Core, p tenant.Principal, r *Reply[T], compute func() (T, error),
) (result T, err error) {
	scope := s.Scope(p)
	attempt, done, err := r.Begin(ctx, s, scope)
	if err != nil || done {
		return result, err
	}
	defer attempt.End()
	if result, err = compute(); err != nil {
		return result, err
	}
	// Encode and encrypt the answer here, because other writes wait while the transaction runs.
	record := attempt.Record(r.encode(result))
	if record == nil {
		return result, nil
	}
	err = scope.Write(ctx, func(tx *store.Tx) error {
		if err := tx.Answers().Insert(*record); err != nil {
			return err
		}
		return CheckStored(tx, p.Plan)
	})
	return settle(ctx, r, attempt, result, err)
}

// Begin begins an operation that stores the record of its answer itself. If an earlier request with
// the same Idempotency-Key was answered, the reply has that answer and done is true. If done is
// false and err is nil, the caller must end the attempt. Refusals are not stored: they changed
// nothing, and the same request may succeed later.
func (r *Reply[T]) Begin(ctx context.Context, s *Core, scope *store.Scope) (a Attempt, done bool, err error) {
	a, earlier, err := s.attempt(ctx, scope, r.idempotency())
	if earlier != nil {
		r.keep(*earlier)
	}
	return a, earlier != nil, err
}

// Finish sets the answer of an operation that Begin began. answer is the stored answer, or err says
// why nothing was stored. done is true if another request with the same Idempotency-Key was answered
// first; the reply then has the answer to that request.
func (r *Reply[T]) Finish(ctx context.Context, a Attempt, answer Answer, err error) (done bool, _ error) {
	done, err = r.lost(ctx, a, err)
	if r != nil && err == nil && !done {
		r.keep(answer)
	}
	return done, err
}

// lost reports whether err says that another request with the same Idempotency-Key was answered
// first. The reply then has the answer to that request. Otherwise lost returns err.
func (r *Reply[T]) lost(ctx context.Context, a Attempt, err error) (bool, error) {
	earlier, failed := a.earlier(ctx, err)
	if failed != nil {
		return false, failed
	}
	if earlier == nil {
		return false, err
	}
	r.keep(*earlier)
	return true, nil
}

// settle returns the result of an operation that Begin began. If another request with the same
// Idempotency-Key was answered first, it returns the zero value, because result was not stored.
func settle[T any](ctx context.Context, r *Reply[T], a Attempt, result T, err error) (T, error) {
	done, err := r.lost(ctx, a, err)
	if done {
		var none T
		return none, nil
	}
	return result, err
}
