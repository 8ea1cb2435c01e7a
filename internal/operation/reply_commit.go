package operation

import (
	"context"

	"verdict/internal/store"
)

// Commit runs the function do in one transaction, and stores the record of the answer in the same transaction.
type Commit[T any] func(ctx context.Context, do func(*store.Tx) (T, error)) (T, error)

// WriteInSteps runs the function work once for an Idempotency-Key. This function may run several transactions, and
// must store its result with the Commit that it gets. If an earlier request with the same Idempotency-Key has
// succeeded, the result is the zero value and the reply has the earlier answer.
func WriteInSteps[T any](
	ctx context.Context, s *Core, scope *store.Scope, r *Reply[T], work func(Commit[T]) (T, error),
) (result T, err error) {
	attempt, done, err := r.Begin(ctx, s, scope)
	if err != nil || done {
		return result, err
	}
	defer attempt.End()
	result, err = work(func(ctx context.Context, do func(*store.Tx) (T, error)) (made T, err error) {
		err = scope.Write(ctx, func(tx *store.Tx) (err error) {
			if made, err = do(tx); err != nil {
				return err
			}
			if r != nil {
				r.written = false // the transaction may be tried again
			}
			record := attempt.Record(r.encode(made))
			if record == nil {
				return nil
			}
			return tx.Answers().Insert(*record)
		})
		return made, err
	})
	return settle(ctx, r, attempt, result, err)
}
