package offerdesk

import (
	"context"
	"errors"
	"time"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/loan"
	"verdict/internal/operation"
	"verdict/internal/store"
)

// maxOfferDays is the maximum of a policy's offer_validity_days.
const maxOfferDays = 365

// MaxOfferLife is longer than any offer is valid. It is twice maxOfferDays, because maxOfferDays counts working days.
const MaxOfferLife = 2 * maxOfferDays * 24 * time.Hour

// MadeOffer has the data of a decision that determines until when its offer can be accepted.
type MadeOffer struct {
	RuleSetID      string
	Profile        int64 // the version of the lender profile that the decision was stored with; 0 for none
	CreatedMicros  int64
	ApprovedMicros int64 // when the lender approved: the time of the decision, or of the review of a referral
}

// Terms has the data that determines how long the offers of a scope can be accepted. Service.AddTerms fills it
// before a transaction, because a transaction must not wait for other reads.
type Terms struct {
	days      map[string]int           // by rule set: the working days for which an offer is valid
	calendars map[int64]*loan.Calendar // by the version of the lender profile
}

// End returns the time in microseconds at which an offer ends. It is the end of the last second in which the borrower
// can accept the offer. It returns false if the terms of the offer were not looked up.
func (t *Terms) End(o *MadeOffer) (endMicros int64, known bool) {
	days, known := t.days[o.RuleSetID]
	if !known {
		return 0, false
	}
	calendar, known := t.calendars[o.Profile]
	if !known {
		return 0, false
	}
	stated := loan.ValidUntil(time.UnixMicro(o.CreatedMicros), days)
	until := calendar.AcceptableUntil(stated, civil.DayAt(time.UnixMicro(o.ApprovedMicros)))
	return until.Add(time.Second).UnixMicro(), true
}

// Size returns how many terms were looked up.
func (t *Terms) Size() int { return len(t.days) + len(t.calendars) }

// AddDays adds the number of working days for which an offer under a rule set is valid, as its decisions state it.
func (t *Terms) AddDays(ruleSetID string, days int) {
	if t.days == nil {
		t.days = map[string]int{}
	}
	t.days[ruleSetID] = days
}

// AddCalendar adds the working days of a version of the lender profile.
func (t *Terms) AddCalendar(profile int64, calendar *loan.Calendar) {
	if t.calendars == nil {
		t.calendars = map[int64]*loan.Calendar{}
	}
	t.calendars[profile] = calendar
}

// AddTerms looks up the terms of an offer, unless t has them already.
func (s *Service) AddTerms(ctx context.Context, scope *store.Scope, t *Terms, o *MadeOffer) error {
	if _, known := t.days[o.RuleSetID]; !known {
		days, err := s.offerDays(ctx, scope, o.RuleSetID)
		if err != nil {
			return err
		}
		t.AddDays(o.RuleSetID, days)
	}
	if _, known := t.calendars[o.Profile]; !known {
		id := operation.ScopeID{Tenant: scope.Tenant(), Environment: scope.Environment()}
		calendar, err := s.Calendar(ctx, id, o.Profile)
		if err != nil {
			return err
		}
		t.AddCalendar(o.Profile, calendar)
	}
	return nil
}

// offerDays returns for how many working days an offer under a stored rule set is valid. If the rule set
// cannot be read, it returns the most that a rule set can say, so that no offer seems to have ended early.
func (s *Service) offerDays(ctx context.Context, scope *store.Scope, ruleSetID string) (int, error) {
	policy, err := s.policies.Policy(ctx, scope, ruleSetID)
	var unreadable operation.Defect
	switch {
	case errors.As(err, &unreadable), fault.KindOf(err) == fault.NotFound:
		return maxOfferDays, nil
	case err != nil:
		return 0, err
	}
	return policy.Plan.Policy().OfferValidityDays, nil
}
