package decisioning

import (
	"context"
	"time"

	"verdict/internal/operation"
	"verdict/internal/tenant"
)

// Referral is a decision that waits for a person.
type Referral struct {
	DecisionSummary
	Reason      string // the code of the first reason; "" for none
	AskedMicros int64  // when more information was last asked for, 0 for never
}

// Referrals lists the decisions that were referred and have no final review,
// oldest first whatever is asked for. Times do not narrow it: what waits must
// not be hidden by a filter.
func (s *Service) Referrals(ctx context.Context, p tenant.Principal, l operation.List) (operation.Page[Referral], error) {
	if err := p.Require(tenant.Read); err != nil {
		return operation.Page[Referral]{}, err
	}
	l.Ascending, l.From, l.To = true, time.Time{}, time.Time{}
	page, err := l.Page(p, "referrals")
	if err != nil {
		return operation.Page[Referral]{}, err
	}
	rows, more, err := s.core.Scope(p).Decisions(ctx).Referrals(page)
	if err != nil {
		return operation.Page[Referral]{}, err
	}
	list := make([]Referral, len(rows))
	for i, r := range rows {
		list[i] = Referral{summaryOf(&r.Decision), s.firstReason(r.Response), r.AskedMicros}
	}
	return operation.Paged(l, p, list, more, func(r Referral) (int64, string) { return r.CreatedMicros, r.ID }, "referrals"), nil
}

// firstReason returns the code of the first reason of an answer, "" for none.
func (s *Service) firstReason(response []byte) string {
	answer, err := s.options.Decode(response)
	if err != nil || len(answer.Reasons) == 0 {
		return ""
	}
	return answer.Reasons[0].Code
}
