package decisioning

import (
	"context"
	"errors"
	"time"

	"verdict/internal/fault"
	"verdict/internal/loan"
	"verdict/internal/operation"
	"verdict/internal/store"
)

// maxOfferDays is the maximum of a policy's offer_validity_days.
const maxOfferDays = 365

// MaxOfferLife is longer than any offer is valid: maxOfferDays are working days.
const MaxOfferLife = 2 * maxOfferDays * 24 * time.Hour

// OfferDays returns for how many working days an offer under a stored rule set is valid. If the rule set
// cannot be read, it returns the most that a rule set can say, so that no offer seems to have ended early.
func (s *Service) OfferDays(ctx context.Context, scope *store.Scope, ruleSetID string) (int, error) {
	policy, err := s.desk.Policy(ctx, scope, ruleSetID)
	var unreadable operation.Defect
	switch {
	case errors.As(err, &unreadable), fault.KindOf(err) == fault.NotFound:
		return maxOfferDays, nil
	case err != nil:
		return 0, err
	}
	return policy.Plan.Policy().OfferValidityDays, nil
}

// OfferEnd returns the time in microseconds at which an offer ends that was made at a time and is valid for
// a number of working days. It is the end of the last second in which the answer says that it is valid.
func OfferEnd(madeMicros int64, days int) int64 {
	return loan.ValidUntil(time.UnixMicro(madeMicros), days).Add(time.Second).UnixMicro()
}
