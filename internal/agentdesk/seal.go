package agentdesk

import (
	"context"
	"errors"
	"time"

	"verdict/internal/store"
	"verdict/internal/tenant"
)

const (
	sealBatch = 50                    // runs in one transaction; other writes wait for it
	sealPause = 10 * time.Millisecond // the pause after each transaction
)

// SealOlder encrypts the requests and responses of runs that were stored readable, and
// returns the number of runs. Like decisioning.Service.SealOlder, it can be interrupted.
func (s *Service) SealOlder(ctx context.Context) (done int64, err error) {
	ids, err := s.core.TenantIDs(ctx, "")
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		for _, e := range tenant.Environments() {
			n, err := s.sealScope(ctx, s.core.DB.Scope(id, string(e)))
			if done += n; err != nil {
				return done, err
			}
		}
	}
	return done, nil
}

func (s *Service) sealScope(ctx context.Context, scope *store.Scope) (done int64, err error) {
	for after := ""; ; {
		rows, next, err := scope.Runs(ctx).WithReadable(after, sealBatch)
		if err != nil {
			return done, err
		}
		if len(rows) > 0 {
			tree, err := s.core.Keys.Tree(ctx, scope.Tenant())
			if err != nil {
				return done, err
			}
			for i := range rows {
				tree.SealRun(scope.Environment(), &rows[i])
			}
			changes := tree.Changes(scope.Environment())
			err = scope.Write(ctx, func(tx *store.Tx) error { return tx.Runs().SealDocuments(rows, changes) })
			if errors.Is(err, store.ErrKeysChanged) {
				// Somebody was erased in the meantime. The next pass seals the runs that are still readable.
				_, err = s.core.Keys.Reload(ctx, scope.Tenant())
			}
			if err != nil {
				return done, err
			}
			done += int64(len(rows))
			select {
			case <-ctx.Done():
				return done, ctx.Err()
			case <-time.After(sealPause):
			}
		}
		if after = next; after == "" {
			return done, nil
		}
	}
}
