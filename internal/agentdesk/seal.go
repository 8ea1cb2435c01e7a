package agentdesk

import (
	"context"
	"time"

	"verdict/internal/operation"
	"verdict/internal/store"
)

const (
	sealBatch = 50                    // the number of runs in one transaction, for which other writes wait
	sealPause = 10 * time.Millisecond // the pause after each transaction
)

// SealOlder encrypts the requests and responses of runs that were stored unencrypted, and
// returns the number of runs. Like decisioning.Auditor.SealOlder, it can be interrupted.
func (s *Service) SealOlder(ctx context.Context) (done int64, err error) {
	return operation.SealOlder(ctx, s.core, sealPause, s.sealSome, nil)
}

// sealSome encrypts up to sealBatch runs that were stored unencrypted, beginning after the position "after". It
// returns their number and the position for the next call.
func (s *Service) sealSome(ctx context.Context, scope *store.Scope, after string) (int64, string, error) {
	rows, next, err := scope.Runs(ctx).WithUnencrypted(after, sealBatch)
	if err != nil || len(rows) == 0 {
		return 0, next, err
	}
	tree, err := s.core.Keys.Tree(ctx, scope.Tenant())
	if err != nil {
		return 0, "", err
	}
	for i := range rows {
		tree.SealRun(scope.Environment(), &rows[i])
	}
	changes := tree.Changes(scope.Environment())
	err = s.core.WriteSealed(ctx, scope, func(tx *store.Tx) error { return tx.Runs().SealDocuments(rows, changes) })
	return int64(len(rows)), next, err
}
