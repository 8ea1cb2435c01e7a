package decisioning

import (
	"context"
	"time"

	"verdict/internal/application"
	"verdict/internal/civil"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/policydesk"
	"verdict/internal/tenant"
)

// previewMembers lists the members that the body of a preview may have in addition to
// those of an application.
var previewMembers = []string{"rule_set_id", "overrides", "compare"}

// WhatIf is a request for a preview: an application to decide with another rule set,
// with other values, or both.
type WhatIf struct {
	Request   application.Request
	RuleSetID string // "" means the active rule set
	Overrides application.Overrides
	Compare   bool // also decide the application as it was sent
}

// Previewed is the result of a preview. Release frees its memory for reuse.
type Previewed struct {
	Variant  *Outcome
	Baseline *Outcome // nil unless requested with Compare
}

// Release returns both outcomes to the pool. The outcomes must not be used afterwards,
// because other decisions may reuse their memory. If Release is not called, the
// garbage collector frees them.
func (p Previewed) Release() {
	if p.Variant != nil {
		p.Variant.Release()
	}
	if p.Baseline != nil {
		p.Baseline.Release()
	}
}

// Preview decides without storing anything: with another rule set, with other values, or
// both. With Compare it also decides the application as it was sent.
func (s *Service) Preview(ctx context.Context, p tenant.Principal, ask WhatIf) (Previewed, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return Previewed{}, err
	}
	now := s.core.Moment()
	var out Previewed
	var err error
	if out.Variant, err = s.variant(ctx, p, ask, now); err != nil {
		return Previewed{}, err
	}
	if ask.Compare {
		if out.Baseline, err = s.variant(ctx, p, WhatIf{Request: ask.Request}, now); err != nil {
			return Previewed{}, err
		}
	}
	s.Usage.countFree(p, EndpointPreview)
	return out, nil
}

// variant decides one application for a preview.
func (s *Service) variant(ctx context.Context, p tenant.Principal, ask WhatIf, now time.Time) (*Outcome, error) {
	request, err := ask.Request.With(ask.Overrides)
	if err != nil {
		return nil, err
	}
	options := application.Options{Members: previewMembers, Today: civil.DayAt(now), Include: true}
	c, err := s.caseUnder(ctx, p, EndpointPreview, request, ask.RuleSetID, options)
	if err != nil {
		return nil, err
	}
	defer c.release()
	if err := s.peek(ctx, s.core.Scope(p), c, now); err != nil {
		return nil, err
	}
	c.now = now

	o := borrow()
	c.policy.Plan.Decide(c.app.Facts, &o.Decision)
	c.keepRead()
	o.Decision.AddDerived(c.app.Facts)
	mask(c.app.Facts)
	o.Envelope = engine.Envelope{Preview: true, Environment: string(p.Environment), Facts: c.app.Facts}
	c.surround(o)
	return o, nil
}

// ruleSet returns the policy of a rule set in any state, such as draft or retired.
func (s *Service) ruleSet(ctx context.Context, p tenant.Principal, id string) (*policydesk.Policy, error) {
	if !tenant.Valid(tenant.KindPolicy, id) {
		return nil, fault.Missing("rule set")
	}
	return s.desk.Policy(ctx, s.core.Scope(p), id)
}
