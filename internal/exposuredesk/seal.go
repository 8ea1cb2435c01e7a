package exposuredesk

import (
	"context"
	"time"

	"verdict/internal/operation"
	"verdict/internal/store"
)

const (
	sealBatch = 50                    // exposures in one transaction; other writes wait for it
	sealPause = 10 * time.Millisecond // the pause after each transaction
)

// SealOlder encrypts the exposures that were stored before the database had a master key, and returns their number. It
// can be interrupted.
func (s *Service) SealOlder(ctx context.Context) (done int64, err error) {
	return operation.SealOlder(ctx, s.core, sealPause, s.sealSome, nil)
}

// sealSome encrypts the unencrypted exposures of the next page.
func (s *Service) sealSome(ctx context.Context, scope *store.Scope, after store.Page) (int64, store.Page, error) {
	after.Limit = sealBatch
	rows, more, err := scope.Exposures(ctx).List("", after)
	if err != nil || len(rows) == 0 {
		return 0, store.Page{}, err
	}
	var next store.Page
	if more {
		next = store.Page{AfterMicros: rows[len(rows)-1].CreatedMicros, AfterID: rows[len(rows)-1].ID}
	}
	tree, err := s.core.Keys.Tree(ctx, scope.Tenant())
	if err != nil {
		return 0, store.Page{}, err
	}
	var readable []store.Exposure
	for i := range rows {
		if row := rows[i]; tree.SealStoredExposure(scope.Environment(), &row) {
			readable = append(readable, row)
		}
	}
	if len(readable) == 0 {
		return 0, next, nil
	}
	changes := tree.Changes(scope.Environment())
	err = s.core.WriteSealed(ctx, scope, func(tx *store.Tx) error {
		return tx.Exposures().SealDocuments(readable, changes, s.core.Moment().UnixMicro())
	})
	return int64(len(readable)), next, err
}
