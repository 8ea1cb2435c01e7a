package operation

import (
	"context"

	"verdict/internal/store"
)

// Commit runs do in one transaction, and stores the record of the answer in the same transaction.
type Commit[T any] func(ctx context.Context, do func(*store.Tx) (T, error)) (T, error)

// WriteInSteps runs work once for an Idempotency-Key. work may run several transactions and must
// store its result with the Commit that it is given. If an earlier request with the same
// Idempotency-Key has succeeded, the result is the zero value and the reply has the earlier answer.
func WriteInSteps[T any](
	ctx context.Context, s *Core, scope *store.Scope, r *Reply[T], work func(Commit[T]) (T, error),
) (T, error) {
	var result T
	answer, err := s.RunOnce(ctx, scope, r.idempotency(), func(record Recorder) (answer Answer, err error) {
		result, err = work(func(ctx context.Context, do func(*store.Tx) (T, error)) (made T, err error) {
			answer, err = s.Commit(ctx, scope, record, func(tx *store.Tx) (_ Answer, err error) {
				if made, err = do(tx); err != nil {
					return Answer{}, err
				}
				if r != nil {
					r.written = false // the transaction may be tried again
				}
				return r.encode(made), nil
			})
			return made, err
		})
		return answer, err
	})
	return r.settle(result, answer), err
}
