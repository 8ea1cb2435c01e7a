package decisioning

import (
	"context"
	"slices"
	"time"

	"verdict/internal/fault"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Referral is a decision that waits for a review.
type Referral struct {
	DecisionSummary
	Reason      string // the code of the first reason; "" if there is no reason
	AskedMicros int64  // when a review last asked for more information; 0 for never
	Assignee    string // the user who works on it; "" for nobody
}

// ReferralFilter selects referrals.
type ReferralFilter struct {
	Mine   bool      // only those that the caller works on
	Nobody bool      // only those that nobody works on
	Before time.Time // only those that were decided before this time; no bound if zero
}

// Referrals lists the referred decisions that have no final review. It ignores the order
// and the times of l: the oldest decision always comes first, and no time filter may
// hide a waiting decision.
func (d *ReviewDesk) Referrals(
	ctx context.Context, p tenant.Principal, l operation.List,
) (operation.Page[Referral], error) {
	return d.ReferralsOf(ctx, p, ReferralFilter{}, l)
}

// ReferralsOf lists referrals like Referrals, with a filter.
func (d *ReviewDesk) ReferralsOf(
	ctx context.Context, p tenant.Principal, f ReferralFilter, l operation.List,
) (operation.Page[Referral], error) {
	if err := p.Require(tenant.Read); err != nil {
		return operation.Page[Referral]{}, err
	}
	l.Ascending, l.From, l.To = true, time.Time{}, time.Time{}
	marks := f.marks(p)
	page, err := l.Page(p, marks...)
	if err != nil {
		return operation.Page[Referral]{}, err
	}
	scope := d.core.Scope(p)
	stored := store.ReferralFilter{ByAssignee: f.Mine || f.Nobody}
	if f.Mine {
		stored.Assignee = p.UserID
	}
	if !f.Before.IsZero() {
		stored.BeforeID = tenant.FirstID(tenant.KindDecision, f.Before)
	}
	rows, more, err := scope.Decisions(ctx).ReferralsOf(stored, page)
	if err != nil {
		return operation.Page[Referral]{}, err
	}
	list := make([]Referral, len(rows))
	for i := range rows {
		r := &rows[i]
		// If an answer cannot be decrypted, its reason stays empty. The error is reported when the decision is read.
		_ = d.core.OpenDecision(ctx, scope, &r.Decision, nil)
		list[i] = Referral{summaryOf(&r.Decision), d.firstReason(&r.Decision), r.AskedMicros, r.Assignee}
	}
	key := func(r Referral) (int64, string) { return r.CreatedMicros, r.ID }
	return operation.Paged(l, p, list, more, key, marks...), nil
}

// marks returns the texts for which a cursor of the list is valid. The field Before is not one of these texts,
// because it changes with the clock. The cursor does not need it: a cursor is the last decision of the previous page,
// and older decisions come first.
func (f ReferralFilter) marks(p tenant.Principal) []string {
	marks := []string{"referrals"}
	switch {
	case f.Mine:
		marks = append(marks, "mine", p.UserID)
	case f.Nobody:
		marks = append(marks, "nobody")
	}
	return marks
}

// MaxTaken is the maximum number of referrals that are taken or released in one call.
const MaxTaken = 50

// Take assigns referrals to the person who calls, so that no two people work on the same referral. It takes a
// referral only if nobody works on it, or if the access of the person who works on it is disabled. Take returns the
// number of referrals that it took.
func (d *ReviewDesk) Take(ctx context.Context, p tenant.Principal, ids []string) (int, error) {
	return d.assign(ctx, p, ids, "", p.UserID, operation.ActionReferralTaken)
}

// Release ends the caller's work on referrals, so that anybody can take them. It returns the number of released
// referrals.
func (d *ReviewDesk) Release(ctx context.Context, p tenant.Principal, ids []string) (int, error) {
	return d.assign(ctx, p, ids, p.UserID, "", operation.ActionReferralReleased)
}

func (d *ReviewDesk) assign(
	ctx context.Context, p tenant.Principal, ids []string, from, to, action string,
) (assigned int, err error) {
	if err := p.Require(tenant.Decide); err != nil {
		return 0, err
	}
	var faults fault.List
	switch {
	case p.UserID == "":
		return 0, fault.New(fault.Forbidden, fault.CodeInsufficientScope, "only a person can work on a referral")
	case len(ids) == 0:
		faults.Add("/decision", fault.CodeRequired, "select at least one referral")
	case len(ids) > MaxTaken:
		faults.Add("/decision", fault.CodeOutOfRange, "select at most %d referrals", MaxTaken)
	}
	for _, id := range ids {
		if !tenant.Valid(tenant.KindDecision, id) {
			faults.Add("/decision", fault.CodeInvalidField, "must be ids of decisions")
			break
		}
	}
	if err := faults.Err(); err != nil {
		return 0, err
	}
	err = d.core.Scope(p).Write(ctx, func(tx *store.Tx) error {
		assigned = 0 // a transaction may run again
		for _, id := range ids {
			holder, err := holderOf(tx, id, from)
			if err != nil {
				return err
			}
			changed, err := tx.Decisions().Assign(id, holder, to)
			if err != nil {
				return err
			}
			if !changed {
				continue
			}
			assigned++
			if err := tx.Audit().Add(d.core.Audit(p, d.core.Now(), action, id, "")); err != nil {
				return err
			}
		}
		return nil
	})
	return assigned, err
}

// holderOf returns the person from whom a referral is taken or released. If the argument "from" is not "", holderOf
// returns it. Otherwise it returns the person who works on the referral, but only if the access of that person is
// disabled, because nobody else could release the referral.
func holderOf(tx *store.Tx, id, from string) (string, error) {
	if from != "" {
		return from, nil
	}
	holder, err := tx.Decisions().Assignee(id)
	if err != nil || holder == "" {
		return "", err
	}
	people, err := tx.People()
	gone := slices.ContainsFunc(people, func(u store.User) bool { return u.ID == holder && u.DisabledMicros != 0 })
	if err != nil || !gone {
		return "", err
	}
	return holder, nil
}

// firstReason returns the code of the first reason of a decision, or "" if there is none.
func (d *ReviewDesk) firstReason(stored *store.Decision) string {
	if len(stored.Response) == 0 { // the answer was erased
		kept, _, err := journal.ReadPlain(stored.Plain)
		if err != nil || len(kept.Reasons) == 0 {
			return "" // the error is reported when the decision is read
		}
		return kept.Reasons[0]
	}
	answer, err := d.decode(stored.Response)
	if err != nil || len(answer.Reasons) == 0 {
		return ""
	}
	return answer.Reasons[0].Code
}
