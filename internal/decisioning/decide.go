package decisioning

import (
	"context"
	"sync"
	"time"

	"verdict/internal/admission"
	"verdict/internal/application"
	"verdict/internal/civil"
	"verdict/internal/engine"
	"verdict/internal/loan"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Endpoints, as usage and stored decisions name them.
const (
	EndpointEvaluate    = "POST /v1/evaluate"
	EndpointDecisions   = "POST /v1/decisions"
	EndpointPreview     = "POST /v1/decisions/preview"
	EndpointEligibility = "POST /v1/eligibility"
)

// decisions are used again: one that has decided holds the memory for the next.
var decisions = sync.Pool{New: func() any { return new(engine.Decision) }}

// borrow takes one out of the pool, to be put back.
func borrow() *engine.Decision {
	d, _ := decisions.Get().(*engine.Decision)
	return d
}

// Decide decides an application, and answers when that is durable: the
// decision, its facts, its bill and its audit record are stored together.
func (s *Service) Decide(ctx context.Context, p tenant.Principal, body wire.Value, o *operation.Once, how ...Option) (operation.Answer, error) {
	return s.decide(ctx, p, body, o, EndpointDecisions, application.ReadDecision, all(how))
}

// Evaluate decides from a bureau report and the optional blocks beside it, and
// stores the decision as Decide does, with the feature vector if one was asked
// for.
func (s *Service) Evaluate(ctx context.Context, p tenant.Principal, body wire.Value, o *operation.Once, how ...Option) (operation.Answer, error) {
	return s.decide(ctx, p, body, o, EndpointEvaluate, application.ReadEvaluate, all(how))
}

func (s *Service) decide(
	ctx context.Context, p tenant.Principal, body wire.Value, o *operation.Once, endpoint string, read reader, how Option,
) (operation.Answer, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return operation.Answer{}, err
	}
	scope := s.core.Scope(p)
	return s.core.Once(ctx, scope, o, func(keep operation.Keep) (operation.Answer, error) {
		options := application.Options{Today: civil.DayAt(s.core.Now()), Include: true, Strict: how&Strict != 0}
		policy, c, err := s.newCase(ctx, p, body, endpoint, options,
			func(o application.Options) (*policydesk.Policy, *application.Application, error) {
				return s.read(ctx, p, body, o, read)
			})
		if err != nil {
			return operation.Answer{}, err
		}
		defer c.release()
		if c.counted() {
			return s.persistCounted(ctx, p, scope, policy, c, keep)
		}
		if err := c.lookUp(ctx, scope, s.core.Moment()); err != nil {
			return operation.Answer{}, err
		}
		return s.persist(ctx, p, scope, policy, c, keep)
	})
}

// persist decides and stores.
func (s *Service) persist(
	ctx context.Context, p tenant.Principal, scope *store.Scope, policy *policydesk.Policy, c *creditCase, keep operation.Keep,
) (operation.Answer, error) {
	d := borrow()
	defer decisions.Put(d)
	now := s.core.Moment()
	id, made := s.core.NewID(tenant.KindDecision, now)
	answer, write := s.conclude(p, policy, c, d, id, made, now)
	write.Answer = keep(answer)
	if len(answer.Body) > longAnswer {
		if err := admission.Checkpoint(ctx); err != nil {
			return operation.Answer{}, err
		}
	}
	if err := scope.InsertDecision(ctx, write); err != nil {
		return operation.Answer{}, err
	}
	s.decided(policy, d)
	return answer, nil
}

// longAnswer is how many bytes of an answer take half a millisecond to write.
const longAnswer = 64 << 10

// persistCounted is persist for an application that is counted: it is
// observed, decided and stored in one transaction, so that of two with one
// account at the same time the second knows of the first.
func (s *Service) persistCounted(
	ctx context.Context, p tenant.Principal, scope *store.Scope, policy *policydesk.Policy, c *creditCase, keep operation.Keep,
) (operation.Answer, error) {
	d := borrow()
	defer decisions.Put(d)
	now := s.core.Moment()
	id, made := s.core.NewID(tenant.KindDecision, now)
	var answer operation.Answer
	err := scope.Write(ctx, func(tx *store.Tx) error {
		if _, err := c.observe(tx, id, now); err != nil {
			return err
		}
		if err := s.raise(tx, c, id, now); err != nil {
			return err
		}
		var write *store.DecisionWrite
		answer, write = s.conclude(p, policy, c, d, id, made, now)
		write.Answer = keep(answer)
		return tx.Decisions().Insert(write)
	})
	if err != nil {
		return operation.Answer{}, err
	}
	s.decided(policy, d)
	return answer, nil
}

// conclude decides, and puts together the answer and what is stored of it.
func (s *Service) conclude(
	p tenant.Principal, policy *policydesk.Policy, c *creditCase, d *engine.Decision, id string, made, now time.Time,
) (operation.Answer, *store.DecisionWrite) {
	policy.Plan.Decide(c.app.Facts, d)
	answer := render(d, policy, &engine.Envelope{
		DecisionID: id, Environment: string(p.Environment), CreatedAt: made.Format(operation.ClockFormat), Warnings: c.warnings(d),
		Blocks: c.blocks(d, policy), TenurePointer: c.tenurePointer(d),
	}, now)
	write := &store.DecisionWrite{
		Decision: store.Decision{
			ID: id, CreatedMicros: made.UnixMicro(), ApplicantRef: c.applicantRef(), Status: d.Status.String(), Grade: d.Grade,
			PolicyKey: policy.Key, PolicyID: policy.ID, PolicyVersion: policy.Version, Endpoint: c.endpoint,
			EngineVersion: engine.Version, Hash: d.Hash(), Actor: operation.Actor(p), Response: answer.Body, Facts: c.storedFacts(policy),
		},
		Features: c.storedFeatures(),
		Meter:    s.Bill(p, c.endpoint, 1, now),
	}
	if c.app.IncludeFacts {
		answer = withFacts(answer, write.Decision.Facts, d)
	}
	return answer, write
}

// decided notes a decision that is stored.
func (s *Service) decided(policy *policydesk.Policy, d *engine.Decision) {
	policy.Count(d)
	if tell := s.options.Decided; tell != nil {
		tell(d.Status.String())
	}
}

// render writes a decision with what surrounds it.
func render(d *engine.Decision, policy *policydesk.Policy, env *engine.Envelope, now time.Time) operation.Answer {
	env.PolicyID, env.PolicyVersion = policy.ID, int(policy.Version)
	if d.Offer.Made {
		env.ValidUntil = loan.ValidUntil(now, policy.Plan.Policy().OfferValidityDays).Format(time.RFC3339)
	}
	lent := operation.BorrowBody()
	w := wire.Writer{Buf: (*lent)[:0]}
	d.Write(&w, env)
	return operation.LentAnswer(operation.StatusOK, w.Buf, lent)
}

// Bill is what a request costs its tenant.
func (s *Service) Bill(p tenant.Principal, endpoint string, units int64, now time.Time) store.Meter {
	quota := p.Plan.MonthlyQuota
	if p.Plan.Unmetered {
		quota = store.Unmetered
	}
	today := s.today(now)
	return store.Meter{
		Period: today.period, Day: today.day, Endpoint: endpoint,
		Units: units, Billable: true, Quota: quota,
	}
}

// Eligibility runs the Stage 1 rules alone, of a decision or an evaluate
// request. Nothing is stored.
func (s *Service) Eligibility(ctx context.Context, p tenant.Principal, body wire.Value, o *operation.Once, how ...Option) (operation.Answer, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return operation.Answer{}, err
	}
	return s.core.Remember(ctx, s.core.Scope(p), o, func() (operation.Answer, error) { return s.eligible(ctx, p, body, all(how)) })
}

func (s *Service) eligible(ctx context.Context, p tenant.Principal, body wire.Value, how Option) (operation.Answer, error) {
	now := s.core.Moment()
	options := application.Options{ScoreOptional: true, Today: civil.DayAt(now), Strict: how&Strict != 0}
	policy, c, err := s.newCase(ctx, p, body, EndpointEligibility, options,
		func(o application.Options) (*policydesk.Policy, *application.Application, error) {
			return s.read(ctx, p, body, o, application.Read)
		})
	if err != nil {
		return operation.Answer{}, err
	}
	defer c.release()
	if err := s.peek(ctx, s.core.Scope(p), c, now); err != nil {
		return operation.Answer{}, err
	}
	var e engine.Eligibility
	policy.Plan.Eligible(c.app.Facts, &e)
	var w wire.Writer
	e.Write(&w, &engine.Envelope{
		PolicyID: policy.ID, PolicyVersion: int(policy.Version), Environment: string(p.Environment), Warnings: c.app.Warnings,
	})
	s.meterUnbilled(p, EndpointEligibility)
	return operation.Answer{Status: operation.StatusOK, Body: w.Buf}, nil
}

// reader reads a body into an application.
type reader func(wire.Value, application.Options) (*application.Application, error)

// read finds the active policy that a body asks for and reads the body with
// it. A policy_key that is none is refused along with all else that is wrong.
func (s *Service) read(ctx context.Context, p tenant.Principal, body wire.Value, o application.Options, read reader) (*policydesk.Policy, *application.Application, error) {
	key, ok := policydesk.KeyOf(body)
	if !ok {
		_, err := read(body, o)
		return nil, nil, err
	}
	policy, err := s.desk.ActivePolicy(ctx, p, key)
	if err != nil {
		return nil, nil, err
	}
	app, err := read(body, policy.Options(o))
	return policy, app, err
}
