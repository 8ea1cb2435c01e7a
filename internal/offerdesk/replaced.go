package offerdesk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"verdict/internal/exposure"
	"verdict/internal/fault"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Replaced reports whether a later offer has ended the offer of a decision. This is so if the applicant has a
// newer offer under the same policy_key that has not ended, and no loan was made on the earlier offer. Offers are
// replaced only under a policy that reads what the lender has offered before. Under any other policy the result
// is false (ADR 26).
func (s *Service) Replaced(ctx context.Context, scope *store.Scope, d *store.Decision) (bool, error) {
	if d.ApplicantRef == "" || operation.IsReplacement(d.ApplicantRef) {
		return false, nil
	}
	policy, err := s.policies.Policy(ctx, scope, d.PolicyID)
	var unreadable operation.Defect
	switch {
	case errors.As(err, &unreadable), fault.KindOf(err) == fault.NotFound:
		return false, nil
	case err != nil:
		return false, err
	case !policy.Plan.UsesOwn():
		return false, nil
	}
	read, err := scope.Exposures(ctx).Own(store.OwnQuery{
		ApplicantRef: d.ApplicantRef,
		SinceID:      tenant.FirstID(tenant.KindDecision, time.UnixMicro(d.CreatedMicros)), // includes d itself
	})
	if err != nil {
		return false, err
	}
	var person exposure.Person
	var terms Terms
	for i := range read.Decisions {
		own := &read.Decisions[i]
		if own.Role != "" || own.PolicyKey != d.PolicyKey || own.Plain == "" {
			continue
		}
		outcome, _, err := journal.ReadPlain(own.Plain)
		if err != nil {
			return false, operation.AsDefect(fmt.Errorf("decision %s: %w", own.ID, err))
		}
		made := MadeOffer{own.PolicyID, outcome.Profile, own.CreatedMicros, own.ApprovedMicros}
		if err := s.AddTerms(ctx, scope, &terms, &made); err != nil {
			return false, err
		}
		end, _ := terms.End(&made)
		person.Decisions = append(person.Decisions, exposure.Decision{
			ID: own.ID, AtMicros: own.CreatedMicros, Status: own.Status, Review: own.Review, PolicyKey: own.PolicyKey,
			LimitPaise: outcome.LimitPaise, EndMicros: end, Booked: own.Booked,
		})
	}
	return person.Replaced(s.core.Now(), d.ID), nil
}

func replaced() error {
	return fault.New(fault.Gone, fault.CodeOfferReplaced,
		"a newer offer to the same applicant under the same policy_key has replaced this one; use the newest decision")
}
