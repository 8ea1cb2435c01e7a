package decisioning

import (
	"context"

	"verdict/internal/operation"
	"verdict/internal/store"
)

// SealOlder encrypts the documents of decisions that were stored unencrypted, the oldest of each tenant first. It
// returns the number of these decisions. The service can keep running, on several nodes too. If SealOlder is
// interrupted, the next call continues where it ended. progress, unless nil, is called with the number of decisions
// encrypted so far.
//
// A decision without a journal entry stays unencrypted; Backfill must add the entry first.
func (a *Auditor) SealOlder(ctx context.Context, progress func(done int64)) (done int64, err error) {
	return operation.SealOlder(ctx, a.core, backfillPause, a.sealSome, progress)
}

// sealSome encrypts the unencrypted documents of a few decisions.
func (a *Auditor) sealSome(ctx context.Context, scope *store.Scope, after string) (int64, string, error) {
	rows, next, err := scope.Decisions(ctx).WithUnencrypted(after, backfillBatch)
	if err != nil || len(rows) == 0 {
		return 0, next, err
	}
	n, err := a.sealRows(ctx, scope, rows)
	return n, next, err
}

// sealRows encrypts the documents of a few decisions, and returns how many had an entry.
func (a *Auditor) sealRows(ctx context.Context, scope *store.Scope, rows []store.Decision) (int64, error) {
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
	err = a.core.WriteSealed(ctx, scope, func(tx *store.Tx) error { return tx.Decisions().SealDocuments(writes) })
	return int64(len(writes)), err
}
