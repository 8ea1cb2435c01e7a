package decisioning

import (
	"context"
	"time"

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
}

// Referrals lists the referred decisions that have no final review. It ignores the order
// and the times of l: the oldest decision always comes first, and no time filter may
// hide a waiting decision.
func (s *Service) Referrals(
	ctx context.Context, p tenant.Principal, l operation.List,
) (operation.Page[Referral], error) {
	if err := p.Require(tenant.Read); err != nil {
		return operation.Page[Referral]{}, err
	}
	l.Ascending, l.From, l.To = true, time.Time{}, time.Time{}
	page, err := l.Page(p, "referrals")
	if err != nil {
		return operation.Page[Referral]{}, err
	}
	scope := s.core.Scope(p)
	rows, more, err := scope.Decisions(ctx).Referrals(page)
	if err != nil {
		return operation.Page[Referral]{}, err
	}
	list := make([]Referral, len(rows))
	for i := range rows {
		r := &rows[i]
		// An answer that cannot be decrypted has no reason here; reading the decision says why.
		_ = s.core.OpenDecision(ctx, scope, &r.Decision, nil)
		list[i] = Referral{summaryOf(&r.Decision), s.firstReason(&r.Decision), r.AskedMicros}
	}
	key := func(r Referral) (int64, string) { return r.CreatedMicros, r.ID }
	return operation.Paged(l, p, list, more, key, "referrals"), nil
}

// firstReason returns the code of the first reason of a decision, "" for none.
func (s *Service) firstReason(d *store.Decision) string {
	if len(d.Response) == 0 { // it was erased
		kept, _, err := journal.ReadPlain(d.Plain)
		if err != nil || len(kept.Reasons) == 0 {
			return "" // reading the decision says that its outcome cannot be read
		}
		return kept.Reasons[0]
	}
	answer, err := s.options.Decode(d.Response)
	if err != nil || len(answer.Reasons) == 0 {
		return ""
	}
	return answer.Reasons[0].Code
}
