package decisioning

import (
	"context"
	"sync"
	"time"

	"verdict/internal/application"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/loan"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Endpoints, as usage and stored decisions name them.
const (
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
// decision, its facts, its bill and its audit entry are stored together.
func (s *Service) Decide(ctx context.Context, p tenant.Principal, body wire.Value, o *Once) (Answer, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return Answer{}, err
	}
	scope := s.scope(p)
	return s.once(ctx, scope, o, func(keep keep) (Answer, error) {
		policy, err := s.activePolicy(ctx, p, policyKeyOf(body))
		if err != nil {
			return Answer{}, err
		}
		app, err := application.ReadDecision(body, application.Options{Inputs: policy.inputs})
		if err != nil {
			return Answer{}, err
		}
		return s.persist(ctx, p, scope, policy, app, keep)
	})
}

// persist decides and stores.
func (s *Service) persist(
	ctx context.Context, p tenant.Principal, scope *store.Scope, policy *policy, app *application.Application, keep keep,
) (Answer, error) {
	d := borrow()
	defer decisions.Put(d)
	policy.plan.Decide(app.Facts, d)

	now := s.moment()
	id := s.ids.New(tenant.KindDecision, now)
	response := render(d, policy, &engine.Envelope{
		DecisionID: id, Environment: string(p.Environment), CreatedAt: now.Format(clockFormat), Warnings: app.Warnings,
	}, now)
	answer := Answer{Status: statusOK, Body: response}
	write := &store.DecisionWrite{
		Decision: store.Decision{
			ID: id, CreatedMicros: now.UnixMicro(), ApplicantRef: app.ApplicantID, Status: d.Status.String(), Grade: d.Grade,
			PolicyKey: policy.key, PolicyID: policy.id, PolicyVersion: policy.version, Endpoint: EndpointDecisions,
			EngineVersion: engine.Version, Hash: d.Hash(), Response: response, Facts: written(app.Facts),
		},
		Meter:  s.bill(p, EndpointDecisions, 1, now),
		Audit:  s.audit(p, now, actionDecided, id, ""),
		Answer: keep(answer),
	}
	if err := scope.InsertDecision(ctx, write); err != nil {
		return Answer{}, err
	}
	policy.tally.Count(d)
	if tell := s.options.Hooks.Decided; tell != nil {
		tell(write.Decision.Status)
	}
	return answer, nil
}

// statusOK is what a decision is answered with, a declined one too. It is
// stored with the answers that are to be repeated.
const (
	statusOK      = 200
	statusCreated = 201
)

// render writes a decision with what surrounds it.
func render(d *engine.Decision, policy *policy, env *engine.Envelope, now time.Time) []byte {
	env.PolicyID, env.PolicyVersion = policy.id, int(policy.version)
	if d.Offer.Made {
		env.ValidUntil = loan.ValidUntil(now, policy.plan.Policy().OfferValidityDays).Format(time.RFC3339)
	}
	w := wire.Writer{Buf: make([]byte, 0, 4<<10)}
	d.Write(&w, env)
	return w.Buf
}

func written(facts *rule.Facts) []byte {
	w := wire.Writer{Buf: make([]byte, 0, 1<<10)}
	facts.Write(&w)
	return w.Buf
}

// bill is what a request costs its tenant.
func (s *Service) bill(p tenant.Principal, endpoint string, units int64, now time.Time) store.Meter {
	quota := p.Plan.MonthlyQuota
	if p.Plan.Unmetered {
		quota = store.Unmetered
	}
	return store.Meter{
		Period: tenant.PeriodOf(now).Key(), Day: tenant.BusinessDay(now), Endpoint: endpoint,
		Units: units, Billable: true, Quota: quota,
	}
}

// Eligibility runs the Stage 1 rules alone, of a decision or an evaluate
// request. Nothing is stored.
func (s *Service) Eligibility(ctx context.Context, p tenant.Principal, body wire.Value) (Answer, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return Answer{}, err
	}
	policy, err := s.activePolicy(ctx, p, policyKeyOf(body))
	if err != nil {
		return Answer{}, err
	}
	app, err := application.Read(body, application.Options{Inputs: policy.inputs, ScoreOptional: true})
	if err != nil {
		return Answer{}, err
	}
	var e engine.Eligibility
	policy.plan.Eligible(app.Facts, &e)
	var w wire.Writer
	e.Write(&w, &engine.Envelope{
		PolicyID: policy.id, PolicyVersion: int(policy.version), Environment: string(p.Environment), Warnings: app.Warnings,
	})
	s.meterUnbilled(p, EndpointEligibility)
	return Answer{Status: statusOK, Body: w.Buf}, nil
}

// missing is the refusal of an id that is not the caller's.
func missing(what string) error {
	return fault.New(fault.NotFound, store.CodeNotFound, "there is no such %s", what)
}
