package decisioning

import (
	"context"
	"errors"
	"slices"
	"time"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// backfillBatch is the number of decisions that get their journal entries in one
// transaction. It is small, because other writes wait for the transaction.
const backfillBatch = 50

// Backfill adds the missing journal entries of data that was stored before the journal: decisions, reviews, rule
// sets, activations, settings, scorecards, the block list and exposures. It starts with the oldest data of each
// tenant, and returns the number of entries that it added. The service can keep running, on several nodes too. If
// Backfill is interrupted, the next call continues where it ended. progress, unless nil, is called with the number of
// entries so far.
func (a *Auditor) Backfill(ctx context.Context, progress func(done int64)) (done int64, err error) {
	tell := func(n int64) {
		done += n
		if progress != nil {
			progress(done)
		}
	}
	older, err := a.beforeJournal(ctx)
	if err != nil {
		return 0, err
	}
	err = a.backfillPart(ctx, store.BackfilledDecisions, func(scope *store.Scope) error {
		return a.backfillScope(ctx, scope, older, tell)
	})
	if err != nil {
		return done, err
	}
	for _, part := range []store.Backfilled{
		store.BackfilledRecords, store.BackfilledLists, store.BackfilledExposures,
	} {
		since, err := a.core.DB.System().JournalSince(ctx, part)
		if err != nil {
			return done, err
		}
		err = a.backfillPart(ctx, part, func(scope *store.Scope) error {
			return a.backfillRecords(ctx, scope, part, since+clocks, tell)
		})
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// backfillPart calls fill for every scope. If no call fails, it records that the part is complete. It does nothing
// if the part is already complete.
func (a *Auditor) backfillPart(ctx context.Context, part store.Backfilled, fill func(*store.Scope) error) error {
	system := a.core.DB.System()
	complete, err := system.JournalComplete(ctx, part)
	if err != nil || complete {
		return err
	}
	ids, err := a.core.TenantIDs(ctx, "")
	if err != nil {
		return err
	}
	var failed error
	for _, id := range ids {
		for _, e := range tenant.Environments() {
			err := fill(a.core.DB.Scope(id, string(e)))
			if ctx.Err() != nil {
				return err
			}
			failed = errors.Join(failed, err) // continue with the other scopes
		}
	}
	if failed != nil {
		return failed
	}
	return system.SetJournalComplete(ctx, part)
}

// backfillPause is the pause after each transaction, so that other writes have their
// turn.
const backfillPause = 10 * time.Millisecond

// backfillScope adds the missing journal entries of a scope in batches, and calls progress with the size of each batch.
// It adds an entry for a decision only if older returns true. A newer decision should already have an entry; if it
// has none, somebody has inserted the decision into the database.
func (a *Auditor) backfillScope(
	ctx context.Context, scope *store.Scope, older func(*store.Decision) bool, progress func(n int64),
) error {
	for after := ""; ; {
		rows, next, err := scope.Decisions(ctx).WithoutLeaf(after, backfillBatch)
		if err != nil {
			return err
		}
		rows = slices.DeleteFunc(rows, func(d store.Decision) bool { return !older(&d) })
		if len(rows) > 0 {
			err := a.backfillRows(ctx, scope, rows)
			if errors.Is(err, store.ErrKeysChanged) {
				_, err = a.core.Keys.Reload(ctx, scope.Tenant())
				if err == nil {
					continue // somebody was erased in the meantime; read the remaining rows again
				}
			}
			if errors.Is(err, store.ErrHasLeaf) {
				continue // another node was faster; read the remaining rows again
			}
			if err != nil {
				return err
			}
			progress(int64(len(rows)))
			if err := operation.Sleep(ctx, backfillPause); err != nil {
				return err
			}
		}
		if after = next; after == "" {
			return nil
		}
	}
}

// AddEntries adds the journal entries of the given decisions if they have none. Backfill does the same for all
// decisions; AddEntries is for decisions that cannot wait for Backfill.
func (a *Auditor) AddEntries(ctx context.Context, scope *store.Scope, ids []string) error {
	var rows []store.Decision
	for _, id := range ids {
		d, err := scope.Decisions(ctx).Get(id)
		if err != nil {
			return err
		}
		if d.Leaf < 0 {
			rows = append(rows, d)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	err := a.backfillRows(ctx, scope, rows)
	if errors.Is(err, store.ErrHasLeaf) {
		return nil // another node was faster
	}
	return err
}

// backfillRows adds the entries of a few decisions.
func (a *Auditor) backfillRows(ctx context.Context, scope *store.Scope, rows []store.Decision) error {
	tree, err := a.core.Keys.Tree(ctx, scope.Tenant())
	if err != nil {
		return err
	}
	writes := make([]*store.DecisionWrite, len(rows))
	for i := range rows {
		w := &store.DecisionWrite{Decision: rows[i]}
		if w.Features, err = featuresOf(ctx, scope, rows[i].ID); err != nil {
			return err
		}
		if tree, err = a.core.Keys.OpenDecision(ctx, scope, &w.Decision, w.Features); err != nil {
			return err
		}
		o, err := a.storedOutcome(ctx, scope, &w.Decision)
		if err != nil {
			return err
		}
		journal.Backfill(tree, journal.Scope{Tenant: scope.Tenant(), Environment: scope.Environment()}, w, o)
		writes[i] = w
	}
	now := a.core.Moment().UnixMicro()
	return scope.Write(ctx, func(tx *store.Tx) error { return tx.Decisions().AddLeaves(writes, now) })
}

// featuresOf returns the stored feature vector of a decision, or nil if there is none.
func featuresOf(ctx context.Context, scope *store.Scope, id string) (*store.Features, error) {
	f, err := scope.Decisions(ctx).Features(id)
	if fault.KindOf(err) == fault.NotFound {
		return nil, nil //nolint:nilnil // most decisions have none
	}
	return &f, err
}

// storedOutcome returns the outcome of a stored decision for the journal. Values that
// can no longer be read from the stored answer or the facts stay zero.
func (a *Auditor) storedOutcome(ctx context.Context, scope *store.Scope, d *store.Decision) (*journal.Outcome, error) {
	o := &journal.Outcome{}
	if answer, err := a.decode(d.Response); err == nil {
		o.Score, o.LimitPaise, o.RateBP = answer.FinalScore, answer.Offer.LimitPaise, answer.Offer.RateBP
		for _, r := range answer.Reasons {
			o.Reasons = append(o.Reasons, r.Code)
		}
	}
	policy, facts, why, err := replayable(ctx, a.desk, scope, d)
	if err != nil {
		return nil, err
	}
	if why == "" {
		o.AskedRupees = facts.Get(field.RequestedAmount).Number()
		o.Semantics = policy.Plan.Policy().Semantics
	}
	return o, nil
}
