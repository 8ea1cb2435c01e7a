package decisioning

import (
	"context"
	"errors"
	"time"

	"verdict/internal/admission"
	"verdict/internal/application"
	"verdict/internal/civil"
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/journal"
	"verdict/internal/loan"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// The names of the endpoints in usage records and stored decisions.
const (
	EndpointEvaluate    = "POST /v1/evaluate"
	EndpointDecisions   = "POST /v1/decisions"
	EndpointPreview     = "POST /v1/decisions/preview"
	EndpointEligibility = "POST /v1/eligibility"
)

// Decided is a stored decision. The operation.Reply has the answer as it was stored.
type Decided struct {
	ID       string
	Status   string
	Grade    string
	Policy   PolicyRef // the policy that decided
	AlertIDs []string  // the fraud alerts that the decision opened or was added to
}

// PolicyRef names a version of a policy.
type PolicyRef struct {
	Key     string
	ID      string // the id of the rule set
	Version int64
}

// Decide decides an application. It returns after the decision, its facts, its usage and
// its entry in the journal are committed together.
func (s *Service) Decide(
	ctx context.Context, p tenant.Principal, request application.Request, r *operation.Reply[Decided],
) (Decided, error) {
	return s.decide(ctx, p, EndpointDecisions, request, nil, r)
}

// Evaluate decides from a bureau report and optional blocks. It stores the decision as
// Decide does, together with the feature vector if there is one.
func (s *Service) Evaluate(
	ctx context.Context, p tenant.Principal, request application.Request, r *operation.Reply[Decided],
) (Decided, error) {
	return s.decide(ctx, p, EndpointEvaluate, request, nil, r)
}

// Permit returns an error if the application of a person must not be decided. reference is the caller's reference of
// the person, or "" if the request has none.
type Permit func(reference string) error

// permitted calls permit for each person of a case, and returns the first error.
func (c *creditCase) permitted(permit Permit) error {
	if err := permit(c.applicantRef()); err != nil {
		return err
	}
	for _, other := range c.app.Others {
		if err := permit(other.Ref); err != nil {
			return err
		}
	}
	return nil
}

// DecideFor does the same as Decide or Evaluate, as the endpoint requires. It decides only if permit returns no
// error for any person of the application.
func (s *Service) DecideFor(
	ctx context.Context, p tenant.Principal, endpoint string, request application.Request, permit Permit,
	r *operation.Reply[Decided],
) (Decided, error) {
	return s.decide(ctx, p, endpoint, request, permit, r)
}

// decide reads the request, computes the features, searches the block list, decides and stores. An application is
// counted if one of its people is counted for fraud signals, or if the policy reads earlier decisions of the lender.
// A counted application is decided inside the transaction that counts it. Any other application is decided before the
// transaction.
func (s *Service) decide(
	ctx context.Context, p tenant.Principal, endpoint string, request application.Request, permit Permit,
	r *operation.Reply[Decided],
) (Decided, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return Decided{}, err
	}
	scope := s.core.Scope(p)
	attempt, done, err := r.Begin(ctx, s.core, scope)
	if err != nil || done {
		return Decided{}, err
	}
	defer attempt.End()

	options := application.Options{Today: civil.DayAt(s.core.Now()), Include: true}
	c, err := s.newCase(ctx, p, endpoint, request, options)
	if err != nil {
		return Decided{}, err
	}
	defer c.release()
	if permit != nil {
		if err := c.permitted(permit); err != nil {
			return Decided{}, err
		}
	}
	if err := c.lookUp(ctx, scope, s.core.Moment()); err != nil {
		return Decided{}, err
	}
	if err := s.prepareToStore(ctx, p, c); err != nil {
		return Decided{}, err
	}

	o := borrow()
	defer o.Release()
	c.name(s.core)
	var answer operation.Answer
	for tries := 0; ; tries++ {
		if c.counted() || c.own != nil {
			answer, err = s.persistCounted(ctx, p, scope, c, o, attempt)
		} else {
			answer, err = s.persist(ctx, p, scope, c, o, attempt)
		}
		var again bool
		if again, err = s.lookUpAgain(ctx, scope, c, tries, err); !again {
			break
		}
	}
	if done, err := r.Finish(ctx, attempt, answer, err); err != nil || done {
		return Decided{}, err
	}
	s.decided(p, c, o)
	return c.decided(o), nil
}

// prepareToStore reads the data with which a case is stored: the version of the lender profile, and the keys of the
// tenant.
func (s *Service) prepareToStore(ctx context.Context, p tenant.Principal, c *creditCase) (err error) {
	id := operation.ScopeOf(p)
	if c.profile, err = s.offers.Version(ctx, id); err != nil {
		return err
	}
	if c.own != nil { // saves a lookup, because most earlier decisions have the same profile
		calendar, err := s.offers.Calendar(ctx, id, c.profile)
		if err != nil {
			return err
		}
		c.own.terms.AddCalendar(c.profile, calendar)
	}
	c.keys, err = s.core.Keys.Tree(ctx, p.TenantID)
	return err
}

// lookUpAgain looks up the data that was missing when a transaction was refused with err. tries is the number of
// earlier refusals. lookUpAgain reports whether the transaction can be tried again; if not, it returns the error of
// the case.
func (s *Service) lookUpAgain(
	ctx context.Context, scope *store.Scope, c *creditCase, tries int, err error,
) (again bool, _ error) {
	switch {
	case errors.Is(err, store.ErrKeysChanged):
		err = s.reloadKeys(ctx, c, scope.Tenant(), tries)
	case errors.Is(err, errNotPrepared):
		err = s.prepareOwn(ctx, scope, c)
	default:
		return false, err
	}
	return err == nil, err
}

// reloadKeys reads the keys of a case again. The store has refused the case, because somebody was erased, on any
// node, after the keys were read. tries is the number of earlier refusals.
func (s *Service) reloadKeys(ctx context.Context, c *creditCase, tenantID string, tries int) (err error) {
	if tries == operation.MaxKeyTries {
		return operation.KeysBusy()
	}
	if err := admission.Checkpoint(ctx); err != nil { // wait for the processor slot that the write gave up
		return err
	}
	c.keys, err = s.core.Keys.Reload(ctx, tenantID)
	if c.own != nil {
		c.own.keys = nil // so that c.keys decrypts the exposures
	}
	return err
}

// name sets the id and the time of the decision.
func (c *creditCase) name(core *operation.Core) {
	c.now = core.Moment()
	c.id, c.made = core.NewID(tenant.KindDecision, c.now)
}

// persist decides and stores an application that is not counted.
func (s *Service) persist(
	ctx context.Context, p tenant.Principal, scope *store.Scope, c *creditCase, o *Outcome, attempt operation.Attempt,
) (operation.Answer, error) {
	made := s.conclude(p, c, o)
	answer, write := made.answer, made.write
	write.Answer = made.record(attempt, c.keys)
	if len(answer.Body) > longAnswer {
		if err := admission.Checkpoint(ctx); err != nil {
			return operation.Answer{}, err
		}
	}
	return answer, scope.InsertDecision(ctx, write)
}

// longAnswer is the size in bytes of an answer that takes about half a millisecond to
// write.
const longAnswer = 64 << 10

// persistCounted records, counts, decides and stores an application in one transaction.
// So if two applications arrive at the same time and share an account or a person, the second one counts the first.
func (s *Service) persistCounted(
	ctx context.Context, p tenant.Principal, scope *store.Scope, c *creditCase, o *Outcome, attempt operation.Attempt,
) (answer operation.Answer, err error) {
	err = scope.Write(ctx, func(tx *store.Tx) error {
		if c.counted() {
			if _, err := c.observe(tx); err != nil {
				return err
			}
			if err := s.raise(tx, c); err != nil {
				return err
			}
		}
		if err := c.countOwn(tx); err != nil {
			return err
		}
		made := s.conclude(p, c, o)
		answer, made.write.Answer = made.answer, made.record(attempt, c.keys)
		if err := tx.Decisions().Insert(made.write); err != nil {
			return err
		}
		return c.rememberOwn(tx)
	})
	return answer, err
}

// concluded is a decision that is about to be stored.
type concluded struct {
	answer operation.Answer
	facts  []byte               // the encoded facts of all people, before encryption
	write  *store.DecisionWrite // has the documents in their stored form
	own    bool                 // the answer to the client differs from the stored answer
}

// record returns the record from which a repetition of the request is answered, or nil if the request has no
// Idempotency-Key. keys are the keys that encrypt the decision.
func (m *concluded) record(attempt operation.Attempt, keys *journal.Tree) *store.IdempotencyAnswer {
	if m.own {
		return attempt.RecordAbout(keys, &m.write.Decision, m.answer)
	}
	return attempt.RecordOf(m.write.Decision.ID, m.answer)
}

// conclude decides, and returns the answer and the rows to store.
func (s *Service) conclude(p tenant.Principal, c *creditCase, o *Outcome) concluded {
	d := &o.Decision
	c.policy.Plan.Decide(c.app.Facts, d)
	o.Envelope = engine.Envelope{
		DecisionID:  c.id,
		Environment: string(p.Environment),
		CreatedAt:   c.made.Format(operation.ClockFormat),
	}
	c.surround(o)
	made := concluded{answer: s.options.encode(o), facts: c.storedFacts()}
	facts, people := c.splitFacts(made.facts)
	made.write = &store.DecisionWrite{
		Decision: store.Decision{
			ID:            c.id,
			CreatedMicros: c.made.UnixMicro(),
			ApplicantRef:  c.applicantRef(),
			Status:        d.Status.String(),
			Grade:         d.Grade,
			PolicyKey:     c.policy.Key,
			PolicyID:      c.policy.ID,
			PolicyVersion: c.policy.Version,
			Endpoint:      c.endpoint,
			EngineVersion: engine.Version,
			Hash:          d.Hash(),
			Actor:         operation.Actor(p),
			Response:      made.answer.Body,
			Facts:         facts,
			People:        people,
		},
		Features: c.storedFeatures(),
		Meter:    s.Usage.billed(p, c.endpoint, 1, c.now),
	}
	scope := journal.Scope{Tenant: p.TenantID, Environment: string(p.Environment)}
	journal.Complete(c.keys, scope, made.write, c.outcome(o))
	if c.app.IncludeFacts {
		made.answer, made.own = s.options.withFacts(made.answer, made.facts, d), true
	}
	return made
}

// outcome returns the fields of a decision that the journal stores. Before the call, surround must have completed the
// argument "from".
func (c *creditCase) outcome(from *Outcome) *journal.Outcome {
	d := &from.Decision
	o := &journal.Outcome{
		Score:       d.FinalScore,
		AskedRupees: c.app.Facts.Get(field.RequestedAmount).Number(),
		LimitPaise:  d.Offer.LimitPaise,
		RateBP:      d.Offer.RateBP,
		Semantics:   d.Plan().Policy().Semantics,
		Lists:       from.Envelope.Lists,
		Tables:      from.Envelope.Tables,
		Profile:     c.profile,
	}
	if len(d.Reasons) > 0 {
		o.Reasons = make([]string, len(d.Reasons))
		for i, r := range d.Reasons {
			o.Reasons[i] = r.Code
		}
	}
	return o
}

// surround completes the envelope of a decision, and adds the features and the fraud
// assessment of the case.
func (c *creditCase) surround(o *Outcome) {
	env, d := &o.Envelope, &o.Decision
	env.PolicyID, env.PolicyVersion = c.policy.ID, int(c.policy.Version)
	if d.Offer.Made {
		env.ValidUntil = loan.ValidUntil(c.now, c.policy.Plan.Policy().OfferValidityDays).Format(time.RFC3339)
	}
	env.Warnings, env.TenurePointer = c.warnings(d), c.tenurePointer(d)
	env.Lists = engine.ListVersions(c.policy.Lookups, c.app.Facts)
	env.Tables = engine.TableVersions(c.policy.Plan.Tables(), c.app.Facts)
	o.Features = c.featureBlock(d)
	if c.fraud != nil {
		o.Fraud = &c.fraud.found
	}
}

// encode writes a decision into a pooled buffer.
func (o *Options) encode(made *Outcome) operation.Answer {
	lent := operation.BorrowBody()
	return operation.PooledAnswer(operation.StatusOK, o.Encode((*lent)[:0], made), lent)
}

// decided counts a stored decision, for the policy's counters, for the statistics and for metrics.
func (s *Service) decided(p tenant.Principal, c *creditCase, o *Outcome) {
	c.policy.Count(&o.Decision)
	s.Statistics.decided(p, c.made, &o.Decision)
	if tell := s.options.Decided; tell != nil {
		tell(o.Decision.Status.String())
	}
}

func (c *creditCase) decided(o *Outcome) Decided {
	out := Decided{
		ID:     c.id,
		Status: o.Decision.Status.String(),
		Grade:  o.Decision.Grade,
		Policy: PolicyRef{Key: c.policy.Key, ID: c.policy.ID, Version: c.policy.Version},
	}
	if c.fraud != nil {
		out.AlertIDs = c.fraud.found.AlertIDs
	}
	return out
}
