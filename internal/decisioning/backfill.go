package decisioning

import (
	"context"
	"errors"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/store"
)

// backfillBatch is the number of decisions that get their journal entries in one
// transaction. It is small, because other writes of the tenant wait for it.
const backfillBatch = 50

// Backfill adds journal entries for the decisions that were stored before the journal
// existed, the oldest first, and returns their number. The service can keep running, on
// several nodes too. If Backfill is interrupted, the next call goes on where it ended.
// progress, unless nil, is called with the number of decisions that are done.
func (s *Service) Backfill(ctx context.Context, progress func(done int64)) (done int64, err error) {
	scopes, _, err := s.scopes(ctx, "")
	if err != nil {
		return 0, err
	}
	for _, scope := range scopes {
		for {
			n, err := s.backfillSome(ctx, scope)
			if err != nil {
				return done, err
			}
			if n == 0 {
				break
			}
			done += int64(n)
			if progress != nil {
				progress(done)
			}
		}
	}
	return done, nil
}

// backfillSome adds the entries of a few decisions. It returns how many decisions it
// looked at, 0 if every decision has an entry.
func (s *Service) backfillSome(ctx context.Context, scope *store.Scope) (int, error) {
	rows, err := scope.Decisions(ctx).WithoutLeaf(backfillBatch)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	tree, err := s.keys.Tree(ctx, scope.Tenant())
	if err != nil {
		return 0, err
	}
	writes := make([]*store.DecisionWrite, len(rows))
	for i := range rows {
		w := &store.DecisionWrite{Decision: rows[i]}
		if w.Features, err = featuresOf(ctx, scope, rows[i].ID); err != nil {
			return 0, err
		}
		o, err := s.storedOutcome(ctx, scope, &rows[i])
		if err != nil {
			return 0, err
		}
		journal.Backfill(tree, journal.Scope{Tenant: scope.Tenant(), Environment: scope.Environment()}, w, o)
		writes[i] = w
	}
	err = scope.Write(ctx, func(tx *store.Tx) error {
		return tx.Decisions().AddLeaves(writes, s.core.Moment().UnixMicro())
	})
	if errors.Is(err, store.ErrHasLeaf) {
		err = nil // another node was faster; the next call reads what is left
	}
	return len(rows), err
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
