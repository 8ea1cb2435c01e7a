package decisioning

import (
	"context"
	"errors"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// backfillBatch is the number of decisions that get their journal entries in one
// transaction. It is small, because other writes of the tenant wait for it.
const backfillBatch = 50

// Backfill adds journal entries for the decisions that were stored before the journal
// existed, the oldest of each tenant first, and returns their number. The service can
// keep running, on several nodes too. If Backfill is interrupted, the next call goes on
// where it ended. progress, unless nil, is called with the number of decisions that are
// done.
func (s *Service) Backfill(ctx context.Context, progress func(done int64)) (done int64, err error) {
	system := s.core.DB.System()
	complete, err := system.JournalComplete(ctx)
	if err != nil || complete {
		return 0, err
	}
	ids, err := s.tenants(ctx, "")
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		for _, e := range tenant.Environments() {
			err := s.backfillScope(ctx, s.core.DB.Scope(id, string(e)), func(n int64) {
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
	return done, system.SetJournalComplete(ctx)
}

// backfillScope adds the entries of a scope, a few at a time, and tells how many.
func (s *Service) backfillScope(ctx context.Context, scope *store.Scope, tell func(n int64)) error {
	for after := ""; ; {
		rows, err := scope.Decisions(ctx).WithoutLeaf(after, backfillBatch)
		if err != nil || len(rows) == 0 {
			return err
		}
		switch err = s.backfillRows(ctx, scope, rows); {
		case errors.Is(err, store.ErrHasLeaf):
			continue // another node was faster; read again what is left
		case err != nil:
			return err
		}
		after = rows[len(rows)-1].ID
		tell(int64(len(rows)))
	}
}

// backfillRows adds the entries of a few decisions.
func (s *Service) backfillRows(ctx context.Context, scope *store.Scope, rows []store.Decision) error {
	tree, err := s.keys.Tree(ctx, scope.Tenant())
	if err != nil {
		return err
	}
	writes := make([]*store.DecisionWrite, len(rows))
	for i := range rows {
		w := &store.DecisionWrite{Decision: rows[i]}
		if w.Features, err = featuresOf(ctx, scope, rows[i].ID); err != nil {
			return err
		}
		o, err := s.storedOutcome(ctx, scope, &rows[i])
		if err != nil {
			return err
		}
		journal.Backfill(tree, journal.Scope{Tenant: scope.Tenant(), Environment: scope.Environment()}, w, o)
		writes[i] = w
	}
	now := s.core.Moment().UnixMicro()
	return scope.Write(ctx, func(tx *store.Tx) error { return tx.Decisions().AddLeaves(writes, now) })
}

// featuresOf returns the stored feature vector of a decision, nil if there is none.
func featuresOf(ctx context.Context, scope *store.Scope, id string) (*store.Features, error) {
	f, err := scope.Decisions(ctx).Features(id)
	if operation.IsKind(err, fault.NotFound) {
		return nil, nil //nolint:nilnil // most decisions have none
	}
	return &f, err
}

// storedOutcome returns the outcome of a stored decision for the journal. What the
// stored answer or the facts no longer tell is left out.
func (s *Service) storedOutcome(ctx context.Context, scope *store.Scope, d *store.Decision) (*journal.Outcome, error) {
	o := &journal.Outcome{}
	if a, err := s.options.Decode(d.Response); err == nil {
		o.Score, o.LimitPaise, o.RateBP = a.FinalScore, a.Offer.LimitPaise, a.Offer.RateBP
		for _, r := range a.Reasons {
			o.Reasons = append(o.Reasons, r.Code)
		}
	}
	policy, facts, why, err := s.replayable(ctx, scope, d)
	if err != nil {
		return nil, err
	}
	if why == "" {
		o.Asked = facts.Get(field.RequestedAmount).Number()
		o.Semantics = policy.Plan.Policy().Semantics
	}
	return o, nil
}
