package operation

import (
	"context"
	"errors"
	"time"

	"verdict/internal/store"
	"verdict/internal/tenant"
)

// SealStep encrypts the unencrypted documents of the next few rows of a scope, those after a place. It returns the
// number of rows that it encrypted and the place after which the next step begins. The place is the zero value if the
// scope is done.
type SealStep[Place comparable] func(ctx context.Context, scope *store.Scope, after Place) (int64, Place, error)

// SealOlder encrypts documents that were stored unencrypted, scope by scope. It pauses after each step that has
// encrypted something, because other writes wait for the step. It returns the number of rows, even with an error. If it
// is interrupted, the next call encrypts the rows that are still unencrypted. progress, unless nil, is called with the
// number so far.
func SealOlder[Place comparable](
	ctx context.Context, core *Core, pause time.Duration, step SealStep[Place], progress func(done int64),
) (done int64, err error) {
	ids, err := core.TenantIDs(ctx, "")
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		for _, e := range tenant.Environments() {
			err := sealScope(ctx, core.DB.Scope(id, string(e)), pause, step, func(n int64) {
				done += n
				if progress != nil {
					progress(done)
				}
			})
			if err != nil {
				return done, err
			}
		}
	}
	return done, nil
}

func sealScope[Place comparable](
	ctx context.Context, scope *store.Scope, pause time.Duration, step SealStep[Place], sealed func(n int64),
) error {
	var begin Place
	for after := begin; ; {
		n, next, err := step(ctx, scope, after)
		if err != nil {
			return err
		}
		if n > 0 {
			sealed(n)
			if err := Sleep(ctx, pause); err != nil {
				return err
			}
		}
		if after = next; after == begin {
			return nil
		}
	}
}

// WriteSealed runs the transaction that stores the ciphertexts of rows. If somebody was erased since the keys were
// read, it stores nothing and reads the keys again; the next pass encrypts the rows that are still unencrypted.
func (s *Core) WriteSealed(ctx context.Context, scope *store.Scope, write func(*store.Tx) error) error {
	err := scope.Write(ctx, write)
	if errors.Is(err, store.ErrKeysChanged) {
		_, err = s.Keys.Reload(ctx, scope.Tenant())
	}
	return err
}
