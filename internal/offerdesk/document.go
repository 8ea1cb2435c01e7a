package offerdesk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"verdict/internal/civil"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/journal"
	"verdict/internal/offer"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// maxAheadDays limits how far the disbursal may be in the future.
const maxAheadDays = 366

// overturned is the outcome of a review that decides differently from the engine.
const overturned = "overturned"

// Wanted says how a document is made.
type Wanted struct {
	Language string // a tag of offer.Languages; "" for the default

	// DisbursedOn is the day of the disbursement in a key facts statement. civil.NoDay means today, or the day of the
	// decision if that is later.
	DisbursedOn civil.Day
}

// KFS returns the key facts statement of an approved offer.
func (s *Service) KFS(ctx context.Context, p tenant.Principal, decisionID string, want Wanted) (*offer.KFS, error) {
	decided, scope, err := s.decided(ctx, p, decisionID)
	if err != nil {
		return nil, err
	}
	language, err := languageOf(want)
	if err != nil {
		return nil, err
	}
	if !decided.HasOffer() {
		return nil, noOffer(&decided.Decided)
	}
	profile, err := s.profileOf(ctx, scope, &decided)
	if err != nil {
		return nil, err
	}
	now := s.core.Now()
	if decided.Expired(&profile.Profile, now) {
		return nil, expired(decided.AcceptableUntil(profile.Calendar()))
	}
	if gone, err := s.Replaced(ctx, scope, &decided.stored); err != nil || gone {
		return nil, cmp.Or(err, replaced())
	}
	today := civil.DayAt(now)
	disbursedOn := max(decided.On, today)
	if want.DisbursedOn.Known() {
		disbursedOn = want.DisbursedOn
		if err := checkDisbursal(disbursedOn, today); err != nil {
			return nil, err
		}
	}
	statement, err := offer.MakeKFS(&decided.Decided, &profile.Profile, profile.Version, disbursedOn, language)
	if err != nil {
		return nil, operation.AsDefect(err)
	}
	return statement, nil
}

// State is what the borrower is told about a decision.
type State struct {
	// ValidUntil is the last second in which the borrower can accept the offer, as the documents state it. It is the
	// zero time if there is no offer, if a person has declined it, if a later offer replaced it, or if the decision was
	// erased. An offer that waits for a person has the validity that it would have without a review.
	ValidUntil time.Time
	Replaced   bool     // a later offer replaced this one
	Reasons    []string // the reasons of a decline by a person, as the letter states them in English
}

// State returns what the borrower is told about a decision.
func (s *Service) State(ctx context.Context, p tenant.Principal, decisionID string) (state State, err error) {
	decided, scope, err := s.decided(ctx, p, decisionID)
	switch {
	case fault.CodeOf(err) == fault.CodeErased:
		return state, nil
	case err != nil:
		return state, err
	case decided.DeclinedByPerson():
		state.Reasons, err = s.declineReasons(ctx, scope, &decided)
		return state, err
	case !decided.Answer.Offer.Made || decided.Declined:
		return state, nil
	case decided.HasOffer():
		if state.Replaced, err = s.Replaced(ctx, scope, &decided.stored); err != nil || state.Replaced {
			return state, err
		}
	}
	calendar, err := s.Calendar(ctx, operation.ScopeOf(p), decided.profile)
	if err != nil {
		return state, err
	}
	state.ValidUntil = decided.AcceptableUntil(calendar)
	return state, nil
}

// declineReasons returns the reasons of the letter about a decline by a person.
func (s *Service) declineReasons(
	ctx context.Context, scope *store.Scope, d *decidedWith,
) (reasons []string, err error) {
	profile, err := s.profileOf(ctx, scope, d)
	if err != nil && fault.CodeOf(err) != fault.CodeLenderProfileMissing {
		return nil, err
	}
	if d.NeedsPolicy() {
		if d.PolicyMessage, err = s.policyMessage(ctx, scope, d); err != nil {
			return nil, err
		}
	}
	language, _ := offer.LanguageOf(offer.DefaultLanguage)
	letter, _ := offer.MakeLetter(&d.Decided, &profile.Profile, profile.Version, language)
	return letter.Reasons, nil
}

// ValidUntil returns until when the borrower can accept the offer of a decision: see State.
func (s *Service) ValidUntil(ctx context.Context, p tenant.Principal, decisionID string) (time.Time, error) {
	state, err := s.State(ctx, p, decisionID)
	return state.ValidUntil, err
}

func checkDisbursal(day, today civil.Day) error {
	switch {
	case day < today:
		return operation.Invalid("?disbursed_on", fault.CodeOutOfRange, "must not be a day in the past")
	case day > today+maxAheadDays:
		return operation.Invalid("?disbursed_on", fault.CodeOutOfRange,
			fmt.Sprintf("must not be more than %d days ahead", maxAheadDays))
	}
	return nil
}

// Letter returns the letter about a decline or a counter-offer.
func (s *Service) Letter(
	ctx context.Context, p tenant.Principal, decisionID string, want Wanted,
) (*offer.Letter, error) {
	decided, scope, err := s.decided(ctx, p, decisionID)
	if err != nil {
		return nil, err
	}
	language, err := languageOf(want)
	if err != nil {
		return nil, err
	}
	if !decided.HasLetter() {
		return nil, noLetter(&decided.Decided)
	}
	profile, err := s.profileOf(ctx, scope, &decided)
	if err != nil {
		return nil, err
	}
	if decided.NeedsPolicy() {
		if decided.PolicyMessage, err = s.policyMessage(ctx, scope, &decided); err != nil {
			return nil, err
		}
	}
	if decided.NeedsCap() {
		if decided.Cap, err = s.capReason(ctx, scope, &decided); err != nil {
			return nil, err
		}
	}
	letter, _ := offer.MakeLetter(&decided.Decided, &profile.Profile, profile.Version, language)
	if !letter.IsCounterOffer() {
		return letter, nil
	}
	if decided.Expired(&profile.Profile, s.core.Now()) {
		return nil, expired(decided.AcceptableUntil(profile.Calendar()))
	}
	if gone, err := s.Replaced(ctx, scope, &decided.stored); err != nil || gone {
		return nil, cmp.Or(err, replaced())
	}
	return letter, nil
}

// policyMessage returns the text that the policy of a decision has for the reason of a review. It returns "" if
// the policy cannot be read.
func (s *Service) policyMessage(ctx context.Context, scope *store.Scope, d *decidedWith) (string, error) {
	policy, err := s.policies.Policy(ctx, scope, d.stored.PolicyID)
	var unreadable operation.Defect
	switch {
	case errors.As(err, &unreadable), fault.KindOf(err) == fault.NotFound:
		return "", nil
	case err != nil:
		return "", err
	}
	return policy.Plan.Policy().ApplicantMessage(d.ReviewCode), nil
}

// capReason returns the reason of the policy's limit cap that determined the amount. It returns the zero value if
// the policy cannot be read.
func (s *Service) capReason(
	ctx context.Context, scope *store.Scope, d *decidedWith,
) (reason engine.AnswerReason, err error) {
	policy, err := s.policies.Policy(ctx, scope, d.stored.PolicyID)
	var unreadable operation.Defect
	switch {
	case errors.As(err, &unreadable), fault.KindOf(err) == fault.NotFound:
		return reason, nil
	case err != nil:
		return reason, err
	}
	for _, c := range policy.Plan.Policy().LimitCaps {
		if c.ID == d.Answer.Offer.LimitCapID {
			reason = engine.AnswerReason{Code: c.ReasonCode, Message: c.ApplicantMessage}
		}
	}
	return reason, nil
}

func languageOf(want Wanted) (*offer.Language, error) {
	tag := want.Language
	if tag == "" {
		tag = offer.DefaultLanguage
	}
	language, ok := offer.LanguageOf(tag)
	if !ok {
		return nil, operation.Invalid("?lang", fault.CodeInvalidField, "must be a language that the service has")
	}
	return language, nil
}

// decidedWith is a decision with its stored row and with the version of the lender profile that it was stored with. The
// version is 0 if there was no profile.
type decidedWith struct {
	offer.Decided
	profile int64
	stored  store.Decision
}

// decided reads a decision with its reviews. It returns NotFound if there is none, and Gone erased if its answer was
// erased.
func (s *Service) decided(
	ctx context.Context, p tenant.Principal, id string,
) (d decidedWith, scope *store.Scope, err error) {
	if err := p.Require(tenant.Read); err != nil {
		return d, nil, err
	}
	if !tenant.Valid(tenant.KindDecision, id) {
		return d, nil, fault.Missing("decision")
	}
	scope = s.core.Scope(p)
	var stored store.Decision
	var reviews []store.Review
	err = scope.ReadOf(ctx, id, func(tx *store.Tx) (err error) {
		if stored, err = tx.Decisions().Get(id); err != nil {
			return err
		}
		reviews, err = tx.Decisions().Reviews(id)
		return err
	})
	if err != nil {
		return d, nil, err
	}
	if len(stored.Response) == 0 {
		return d, nil, operation.Erased("decision")
	}
	if stored.Plain != "" { // "" for a decision from before the journal, when there was no profile either
		outcome, _, err := journal.ReadPlain(stored.Plain)
		if err != nil {
			return d, nil, operation.AsDefect(fmt.Errorf("decision %s: %w", id, err))
		}
		d.profile = outcome.Profile
	}
	if err := s.core.OpenDecision(ctx, scope, &stored, nil); err != nil {
		return d, nil, err
	}
	d.stored = stored
	d.Decided, err = readDecided(&stored, reviews)
	d.Sandbox = p.Environment == tenant.Sandbox
	return d, scope, err
}

// readDecided reads the answer of a decision, and how the decision ended.
func readDecided(stored *store.Decision, reviews []store.Review) (d offer.Decided, err error) {
	response, err := wire.Parse(stored.Response)
	if err != nil {
		return d, operation.AsDefect(fmt.Errorf("answer of decision %s: %w", stored.ID, err))
	}
	answer := engine.ReadAnswer(response)
	d = offer.Decided{
		ID: stored.ID, PolicyKey: stored.PolicyKey, On: civil.DayAt(time.UnixMicro(stored.CreatedMicros)),
		Answer: &answer,
	}
	if answer.ValidUntil != "" {
		if d.ValidUntil, err = time.Parse(time.RFC3339, answer.ValidUntil); err != nil {
			return d, operation.AsDefect(fmt.Errorf("validity of decision %s: %w", stored.ID, err))
		}
	}
	d.Approved = answer.Status == engine.Approved.String()
	d.Declined = answer.Status == engine.Declined.String()
	for _, r := range slices.Backward(reviews) {
		if r.Outcome == store.OutcomeAsks {
			continue
		}
		d.ReviewCode = r.ReasonCode
		if r.Outcome == overturned || !d.Approved && !d.Declined {
			d.ReviewedOn = civil.DayAt(time.UnixMicro(r.CreatedMicros))
		}
		switch referred := !d.Approved && !d.Declined; {
		case r.Outcome != overturned && referred: // a referral that a person upheld is a decline
			d.Declined = true
		case r.Outcome == overturned && referred:
			d.Approved = true
		case r.Outcome == overturned:
			d.Approved, d.Declined = d.Declined, d.Approved
		}
		break
	}
	return d, nil
}

// profileOf returns the profile with which a decision was stored, or the first profile if there was none at the time.
func (s *Service) profileOf(ctx context.Context, scope *store.Scope, d *decidedWith) (Profile, error) {
	profile, err := s.profile(ctx, scope, max(d.profile, 1))
	if fault.KindOf(err) == fault.NotFound && d.profile == 0 {
		return Profile{}, fault.New(fault.Conflict, fault.CodeLenderProfileMissing,
			"documents state the name and the terms of the lender; store them with PUT /v1/lender-profile first")
	}
	return profile, operation.MissingIsDefect(err)
}
