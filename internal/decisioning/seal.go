package decisioning

import (
	"context"
	"errors"
	"time"

	"verdict/internal/store"
	"verdict/internal/tenant"
)

// SealOlder encrypts the documents of decisions that were stored readable, the oldest of each
// tenant first, and returns their number. The service can keep running, on several nodes too.
// If SealOlder is interrupted, the next call goes on where it ended. progress, unless nil, is
// called with the number of decisions that are done.
//
// A decision without a journal entry stays readable; Backfill must add the entry first.
func (s *Service) SealOlder(ctx context.Context, progress func(done int64)) (done int64, err error) {
	a := auditor{s}
	ids, err := a.core.TenantIDs(ctx, "")
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		for _, e := range tenant.Environments() {
			err := a.sealScope(ctx, s.core.DB.Scope(id, string(e)), func(n int64) {
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

// sealScope encrypts the readable documents of a scope in batches, and calls tell with the
// size of each batch.
func (a auditor) sealScope(ctx context.Context, scope *store.Scope, tell func(n int64)) error {
	for after := ""; ; {
		rows, next, err := scope.Decisions(ctx).WithReadable(after, backfillBatch)
		if err != nil {
			return err
		}
		if len(rows) > 0 {
			n, err := a.sealRows(ctx, scope, rows)
			if err != nil {
				return err
			}
			tell(n)
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(backfillPause):
			}
		}
		if after = next; after == "" {
			return nil
		}
	}
}

// sealRows encrypts the documents of a few decisions, and returns how many had an entry.
func (a auditor) sealRows(ctx context.Context, scope *store.Scope, rows []store.Decision) (int64, error) {
	tree, err := a.core.Keys.Tree(ctx, scope.Tenant())
	if err != nil {
		return 0, err
	}
	var writes []*store.DecisionWrite
	for i := range rows {
		if rows[i].Leaf < 0 {
			continue
		}
		w := &store.DecisionWrite{Decision: rows[i]}
		if w.Features, err = featuresOf(ctx, scope, rows[i].ID); err != nil {
			return 0, err
		}
		if err := a.core.Keys.SealStored(ctx, tree, scope.Environment(), w); err != nil {
			return 0, err
		}
		writes = append(writes, w)
	}
	if len(writes) == 0 {
		return 0, nil
	}
	err = scope.Write(ctx, func(tx *store.Tx) error { return tx.Decisions().SealDocuments(writes) })
	if errors.Is(err, store.ErrKeysChanged) {
		// Somebody was erased in the meantime. The next pass seals the rows that are still readable.
		_, err = a.core.Keys.Reload(ctx, scope.Tenant())
	}
	return int64(len(writes)), err
}
