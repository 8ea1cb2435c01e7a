package operation

import (
	"context"

	"verdict/internal/store"
)

// Reply says how the result of an operation is answered to a caller who wants
// bytes. Encode writes the result. If the caller sent an Idempotency-Key, Once has
// what Encode wrote stored in the transaction of what it answers. A nil Reply is
// for a caller in this process, who uses the result as it is.
type Reply[T any] struct {
	Once   *Once
	Encode func(T) Answer

	answer  Answer
	written bool
}

// Answer returns what to send for a result: what an earlier request with the same
// Idempotency-Key was sent, or the result as Encode writes it.
func (r *Reply[T]) Answer(result T) Answer {
	if !r.written {
		r.answer, r.written = r.Encode(result), true
	}
	return r.answer
}

// once returns what the caller wishes to be done once, nil for nothing.
func (r *Reply[T]) once() *Once {
	if r == nil {
		return nil
	}
	return r.Once
}

// encode writes a result if its bytes are to be stored.
func (r *Reply[T]) encode(result T) Answer {
	if r == nil || r.Once == nil {
		return Answer{}
	}
	return r.Answer(result)
}

// keep remembers the answer that a request is to be sent.
func (r *Reply[T]) keep(a Answer) {
	if r != nil && a.Replayed {
		r.answer, r.written = a, true
	}
}

// Write does something once that is one transaction. If an earlier request with
// the same Idempotency-Key has done it, the result is the zero value and the reply
// has the earlier answer.
func Write[T any](ctx context.Context, s *Core, scope *store.Scope, r *Reply[T], do func(*store.Tx) (T, error)) (T, error) {
	return Prepared(ctx, s, scope, r, func() (func(*store.Tx) (T, error), error) { return do, nil })
}

// Prepared is Write with work before the transaction, which is done once too:
// prepare does it, and returns what to do in the transaction.
func Prepared[T any](
	ctx context.Context, s *Core, scope *store.Scope, r *Reply[T], prepare func() (func(*store.Tx) (T, error), error),
) (T, error) {
	var result T
	answer, err := s.Once(ctx, scope, r.once(), func(keep Keep) (Answer, error) {
		do, err := prepare()
		if err != nil {
			return Answer{}, err
		}
		return s.Commit(ctx, scope, keep, func(tx *store.Tx) (_ Answer, err error) {
			if result, err = do(tx); err != nil {
				return Answer{}, err
			}
			if r != nil {
				r.written = false // the transaction may be tried again
			}
			return r.encode(result), nil
		})
	})
	r.keep(answer)
	return result, err
}

// Remember computes a result that changes nothing, and stores its answer for a
// request that is repeated.
func Remember[T any](ctx context.Context, s *Core, scope *store.Scope, r *Reply[T], compute func() (T, error)) (T, error) {
	var result T
	answer, err := s.Remember(ctx, scope, r.once(), func() (_ Answer, err error) {
		if result, err = compute(); err != nil {
			return Answer{}, err
		}
		return r.encode(result), nil
	})
	r.keep(answer)
	return result, err
}
