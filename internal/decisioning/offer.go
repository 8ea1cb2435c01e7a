package decisioning

import (
	"context"

	"verdict/internal/journal"
	"verdict/internal/offerdesk"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// MaxOfferLife is longer than the validity of any offer.
const MaxOfferLife = offerdesk.MaxOfferLife

// MadeOffer has the data that determines until when the offer of a decision can be accepted.
type MadeOffer = offerdesk.MadeOffer

// OfferTerms has the data that determines how long the offers of a scope can be accepted.
type OfferTerms = offerdesk.Terms

// OfferState says what the borrower is told about the offer of a decision.
type OfferState = offerdesk.State

// ProfileOf returns the version of the lender profile with which a decision was stored. plain is the decision's
// column of that name. For a decision from before the journal, ProfileOf returns 0.
func ProfileOf(plain string) int64 {
	if outcome, _, err := journal.ReadPlain(plain); err == nil {
		return outcome.Profile
	}
	return 0
}

// AddOfferTerms looks up the terms of an offer, unless t has them already.
func (s *Service) AddOfferTerms(ctx context.Context, scope *store.Scope, t *OfferTerms, o *MadeOffer) error {
	return s.offers.AddTerms(ctx, scope, t, o)
}

// OfferState returns what the borrower is told about the offer of a decision. See offerdesk.Service.State.
func (s *Service) OfferState(ctx context.Context, p tenant.Principal, id string) (OfferState, error) {
	return s.offers.State(ctx, p, id)
}
