package exposuredesk

import (
	"context"
	"errors"
	"time"

	"verdict/internal/store"
	"verdict/internal/tenant"
)

const (
	sealBatch = 50                    // exposures in one transaction; other writes wait for it
	sealPause = 10 * time.Millisecond // the pause after each transaction
)

// SealOlder encrypts the exposures that were stored before the database had a master key, and returns their number. It
// can be interrupted.
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
	for page := (store.Page{Limit: sealBatch}); ; {
		rows, more, err := scope.Exposures(ctx).List("", page)
		if err != nil {
			return done, err
		}
		sealed, err := s.sealRows(ctx, scope, rows)
		if done += sealed; err != nil || !more {
			return done, err
		}
		page.AfterMicros, page.AfterID = rows[len(rows)-1].CreatedMicros, rows[len(rows)-1].ID
	}
}

// sealRows encrypts those of some exposures that are readable, and returns their number.
func (s *Service) sealRows(ctx context.Context, scope *store.Scope, rows []store.Exposure) (int64, error) {
	tree, err := s.core.Keys.Tree(ctx, scope.Tenant())
	if err != nil {
		return 0, err
	}
	var readable []store.Exposure
	for i := range rows {
		if row := rows[i]; tree.SealStoredExposure(scope.Environment(), &row) {
			readable = append(readable, row)
		}
	}
	if len(readable) == 0 {
		return 0, nil
	}
	changes := tree.Changes(scope.Environment())
	err = scope.Write(ctx, func(tx *store.Tx) error { return tx.Exposures().SealDocuments(readable, changes) })
	if errors.Is(err, store.ErrKeysChanged) {
		// Somebody was erased in the meantime. The next pass seals the exposures that are still readable.
		_, err = s.core.Keys.Reload(ctx, scope.Tenant())
	}
	if err != nil {
		return 0, err
	}
	select {
	case <-ctx.Done():
		return int64(len(readable)), ctx.Err()
	case <-time.After(sealPause):
		return int64(len(readable)), nil
	}
}
