package decisioning

import (
	"context"

	"verdict/internal/application"
	"verdict/internal/civil"
	"verdict/internal/engine"
	"verdict/internal/operation"
	"verdict/internal/tenant"
)

// Eligibility is the result of the Stage 1 rules, with the envelope of its answer.
type Eligibility struct {
	Result   engine.Eligibility
	Envelope engine.Envelope
}

// Eligibility runs only the Stage 1 rules on a request. The request has the form of a
// decision request or an evaluate request. Eligibility stores nothing except the answer
// to a request with an Idempotency-Key.
func (s *Service) Eligibility(
	ctx context.Context, p tenant.Principal, request application.Request, r *operation.Reply[*Eligibility],
) (*Eligibility, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return nil, err
	}
	return operation.ComputeOnce(ctx, s.core, p, r, func() (*Eligibility, error) {
		return s.eligible(ctx, p, request)
	})
}

func (s *Service) eligible(ctx context.Context, p tenant.Principal, request application.Request) (*Eligibility, error) {
	now := s.core.Moment()
	options := application.Options{ScoreOptional: true, Today: civil.DayAt(now)}
	c, err := s.newCase(ctx, p, EndpointEligibility, request, options)
	if err != nil {
		return nil, err
	}
	defer c.release()
	if err := s.peek(ctx, s.core.Scope(p), c, now); err != nil {
		return nil, err
	}
	e := &Eligibility{Envelope: engine.Envelope{
		PolicyID:      c.policy.ID,
		PolicyVersion: int(c.policy.Version),
		Environment:   string(p.Environment),
		Warnings:      c.app.Warnings,
		Lists:         engine.ListVersions(c.policy.Lookups, c.app.Facts),
		Tables:        engine.TableVersions(c.policy.Plan.Tables(), c.app.Facts),
	}}
	c.policy.Plan.Eligible(c.app.Facts, &e.Result)
	s.Usage.countFree(p, EndpointEligibility)
	return e, nil
}
