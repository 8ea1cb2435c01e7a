package decisioning

import (
	"context"
	"time"

	"verdict/internal/application"
	"verdict/internal/civil"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// previewMembers are what a preview reads besides an application.
var previewMembers = []string{"rule_set_id", "overrides", "compare"}

// whatIf is what a preview asks for.
type whatIf struct {
	ruleSetID string
	overrides wire.Value
	compare   bool
	strict    bool
}

// Preview decides without storing anything: with another rule set, with other
// values, or both, and side by side with the application as it was sent.
func (s *Service) Preview(ctx context.Context, p tenant.Principal, body wire.Value, how ...Option) (operation.Answer, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return operation.Answer{}, err
	}
	ask, err := readWhatIf(body)
	if err != nil {
		return operation.Answer{}, err
	}
	ask.strict = all(how)&Strict != 0
	now := s.core.Moment()
	variant, err := s.variant(ctx, p, body, ask, now)
	if err != nil {
		return operation.Answer{}, err
	}
	if ask.compare {
		baseline, err := s.variant(ctx, p, body, whatIf{strict: ask.strict}, now)
		if err != nil {
			return operation.Answer{}, err
		}
		both, err := compared(baseline.Body, variant.Body)
		if err != nil {
			return operation.Answer{}, err
		}
		baseline.Release()
		variant.Release()
		variant = operation.Answer{Status: operation.StatusOK, Body: both}
	}
	s.meterUnbilled(p, EndpointPreview)
	return variant, nil
}

func readWhatIf(body wire.Value) (whatIf, error) {
	var faults fault.List
	var ask whatIf
	if v := body.Get("rule_set_id"); v.Given() {
		if ask.ruleSetID = v.Text(); ask.ruleSetID == "" || v.Kind() != wire.String {
			faults.Add(v.Pointer(), fault.CodeWrongType, "must be the id of a rule set")
		}
	}
	if v := body.Get("overrides"); v.Given() {
		if ask.overrides = v; v.Kind() != wire.Object {
			faults.Add(v.Pointer(), fault.CodeWrongType, "must be an object of request paths and values")
		}
	}
	if v := body.Get("compare"); v.Given() {
		if ask.compare = v.IsTrue(); v.Kind() != wire.Bool {
			faults.Add(v.Pointer(), fault.CodeWrongType, "must be true or false")
		}
	}
	return ask, faults.Err()
}

// variant is the preview of one what-if.
func (s *Service) variant(ctx context.Context, p tenant.Principal, body wire.Value, ask whatIf, now time.Time) (operation.Answer, error) {
	if ask.overrides.Given() {
		var err error
		if body, err = overridden(body, ask.overrides); err != nil {
			return operation.Answer{}, err
		}
	}
	options := application.Options{Members: previewMembers, Today: civil.DayAt(now), Include: true, Strict: ask.strict}
	policy, c, err := s.newCase(ctx, p, body, EndpointPreview, options,
		func(o application.Options) (*policydesk.Policy, *application.Application, error) {
			return s.previewed(ctx, p, body, ask.ruleSetID, o)
		})
	if err != nil {
		return operation.Answer{}, err
	}
	defer c.release()
	if err := s.peek(ctx, s.core.Scope(p), c, now); err != nil {
		return operation.Answer{}, err
	}
	d := borrow()
	defer decisions.Put(d)
	policy.Plan.Decide(c.app.Facts, d)
	c.keepRead(policy)
	d.AddDerived(c.app.Facts)
	mask(c.app.Facts)
	return render(d, policy, &engine.Envelope{
		Preview: true, Environment: string(p.Environment), Facts: c.app.Facts, Warnings: c.warnings(d),
		Blocks: c.blocks(d, policy), TenurePointer: c.tenurePointer(d),
	}, now), nil
}

// previewed is the policy that a preview asks for, the rule set it names, a
// draft or a retired one too, or the active one; and the body read with it.
func (s *Service) previewed(
	ctx context.Context, p tenant.Principal, body wire.Value, ruleSetID string, o application.Options,
) (*policydesk.Policy, *application.Application, error) {
	if ruleSetID == "" {
		return s.read(ctx, p, body, o, application.Read)
	}
	if !tenant.Valid(tenant.KindPolicy, ruleSetID) {
		return nil, nil, operation.Missing("rule set")
	}
	policy, err := s.desk.Policy(ctx, s.core.Scope(p), ruleSetID)
	if err != nil {
		return nil, nil, err
	}
	app, err := application.Read(body, policy.Options(o))
	return policy, app, err
}

// compared puts two previews beside each other, with what differs.
func compared(baseline, variant []byte) ([]byte, error) {
	b, err := wire.Parse(baseline)
	if err != nil {
		return nil, err
	}
	v, err := wire.Parse(variant)
	if err != nil {
		return nil, err
	}
	w := wire.Writer{Buf: make([]byte, 0, len(baseline)+len(variant)+1<<10)}
	w.Object().Key("preview").Bool(true).Key("baseline").Raw(baseline).Key("variant").Raw(variant)
	w.Key("diff").Array()
	for _, name := range []string{"status", "grade", "offer", "explanation", "reasons"} {
		difference(&w, "/"+name, b.Get(name), v.Get(name))
	}
	w.EndArray().EndObject()
	return w.Buf, nil
}
