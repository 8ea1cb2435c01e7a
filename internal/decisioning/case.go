package decisioning

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"verdict/internal/admission"
	"verdict/internal/application"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/feature"
	"verdict/internal/field"
	"verdict/internal/frauddesk"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/report"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// creditCase is an application on its way to a decision, with what its blocks
// bring besides facts.
type creditCase struct {
	endpoint string
	policy   *policydesk.Policy
	app      *application.Application
	vector   *feature.Vector // nil unless features take part
	hash     string          // the vector's, "" until somebody asks
	fraud    *fraudCase      // nil when the block was not sent

	id        string    // of the decision, once it is about to be stored
	made, now time.Time // now is the moment of the request, made when the id was given
}

// vectors are used again: each is some 28 KB.
var vectors = sync.Pool{New: func() any { return new(feature.Vector) }}

// newCase reads a request with the tenant's settings and the active policy that it
// names. It computes the features that were asked for, by the request or by the
// policy, and adds to the facts those that the policy names and no other: what a
// policy does not name cannot matter.
func (s *Service) newCase(
	ctx context.Context, p tenant.Principal, endpoint string, request application.Request, o application.Options,
) (*creditCase, error) {
	return s.caseUnder(ctx, p, endpoint, request, "", o)
}

// caseUnder is newCase with another policy: that of a rule set, unless the id is "".
func (s *Service) caseUnder(
	ctx context.Context, p tenant.Principal, endpoint string, request application.Request, ruleSetID string, o application.Options,
) (*creditCase, error) {
	var settings *frauddesk.Settings
	var err error
	if request.HasSignals() {
		if o.Signals, settings, err = s.fraud.Signals(ctx, p); err != nil {
			return nil, err
		}
	}
	policy, err := s.policyFor(ctx, p, request, ruleSetID, o)
	if err != nil {
		return nil, err
	}
	app, err := request.Read(policy.Options(o))
	if err != nil {
		return nil, err
	}
	if err := admission.CheckpointIfLong(ctx); err != nil { // a long statement takes milliseconds to read
		return nil, err
	}

	c := &creditCase{endpoint: endpoint, policy: policy, app: app}
	c.measure()
	app.WarnBank(policy.Plan.Policy().AbsentBankFigures(app.Facts))
	if app.Endpoint == application.Evaluate && request.HasFraud() {
		err = s.newFraudCase(ctx, p, c, settings)
	}
	return c, err
}

// policyFor finds the policy that decides a request. A policy_key that is none is
// refused along with all else that is wrong.
func (s *Service) policyFor(
	ctx context.Context, p tenant.Principal, request application.Request, ruleSetID string, o application.Options,
) (*policydesk.Policy, error) {
	if ruleSetID != "" {
		return s.ruleSet(ctx, p, ruleSetID)
	}
	key, ok := request.PolicyKey()
	if !ok {
		if _, err := request.Read(o); err != nil {
			return nil, err
		}
		return nil, operation.Invalid("/policy_key", fault.CodeInvalidField, "must be a policy_key")
	}
	return s.desk.ActivePolicy(ctx, p, cmp.Or(key, field.DefaultPolicyKey))
}

func (c *creditCase) measure() {
	named := c.policy.Features
	if c.endpoint == EndpointEligibility {
		named = c.policy.Stage1Features // it runs no other rules
	}
	c.app.WarnNotMeasured(named)
	if !c.app.MeasuresFeatures {
		return
	}
	c.vector, _ = vectors.Get().(*feature.Vector) // the pool holds nothing else
	c.app.Measure(c.policy.Catalogue, c.policy.Features, c.vector)
}

// vectorHash is the vector's hash. It costs more than measuring the vector, so
// it is computed only for what is stored or shown.
func (c *creditCase) vectorHash() string {
	if c.hash == "" {
		c.hash = c.vector.Hash()
	}
	return c.hash
}

// release gives back what the case borrowed.
func (c *creditCase) release() {
	if c.vector != nil {
		vectors.Put(c.vector)
		c.vector = nil
	}
}

// applicantRef names the applicant, as far as the request does.
func (c *creditCase) applicantRef() string {
	return cmp.Or(c.app.ApplicantID, c.app.Facts.Get("fraud.applicant_ref").Text())
}

// storedFacts are the facts that are kept with the decision. What identifies,
// and what a caller sent that nobody knows, is left out unless the policy
// reads it: with it alone the decision could not be repeated, and the rest
// would be kept about a person for no purpose.
func (c *creditCase) storedFacts() []byte {
	c.keepRead()
	w := wire.Writer{Buf: make([]byte, 0, 1<<10)}
	c.app.Facts.Write(&w)
	return w.Buf
}

// keepRead takes away the facts that identify and those of members that nobody
// knows, unless the policy reads them. It comes after the decision.
func (c *creditCase) keepRead() {
	c.forget()
	c.app.Facts.KeepOthers(func(name string) bool {
		_, declared := c.policy.Inputs[name]
		return declared
	})
}

// forget takes away the facts that identify and that the policy does not read.
func (c *creditCase) forget() {
	if c.app.Endpoint != application.Evaluate {
		return
	}
	for _, name := range field.Identifying {
		if id, ok := field.Catalogue().Lookup(name); ok && !c.policy.Plan.Reads(id) {
			c.app.Facts.Set(name, rule.Value{})
		}
	}
}

// warnings are what the reader of the request said, and what the policy names
// and did not get.
func (c *creditCase) warnings(d *engine.Decision) []fault.Item {
	return c.app.WarnAbsent(d.AbsentInputs())
}

// tenurePointer is where the request has the tenure, if the answer warns of it.
func (c *creditCase) tenurePointer(d *engine.Decision) string {
	if !d.Offer.TenureNotAvailable {
		return ""
	}
	return c.app.TenurePointer()
}

// storedFeatures are the vector in its compact form and the history it came
// from.
func (c *creditCase) storedFeatures() *store.Features {
	if c.vector == nil {
		return nil
	}
	return &store.Features{
		AsOf: c.app.AsOf.String(), Hash: c.vectorHash(), Vector: c.vector.Encode(nil),
		Source: report.Archive(c.app.History, c.app.Statement),
	}
}

// featureBlock is what the answer says of features; nil unless they were asked for.
func (c *creditCase) featureBlock(d *engine.Decision) *FeatureBlock {
	if c.vector == nil || !c.app.WantsFeatures {
		return nil
	}
	return &FeatureBlock{
		Count:     feature.Count,
		Catalogue: int(c.vector.Catalogue()),
		Populated: c.vector.Populated(),
		Hash:      c.vectorHash(),
		AsOf:      c.app.AsOf.String(),
		Top:       c.top(d),
		Used:      c.policy.Features,
	}
}

// maxContributors is how many are shown.
const maxContributors = 10

// top lists the features that the policy names, those that decided first: what
// a knockout that hit names, then what earned or cost points, most first. Then
// come the features that lie farthest from what is usual.
func (c *creditCase) top(d *engine.Decision) []Contributor {
	points, hits := d.PointsByField(), hitFeatures(c.policy, d)
	var list []weighed
	for _, f := range c.policy.Features {
		value, known := c.vector.Get(f.Index)
		if !known {
			continue
		}
		earned, scored := points[f.Name]
		hit := hits[f.Name]
		list = append(list, weighed{weight: hit.weight, Contributor: Contributor{
			Feature:   f.Name,
			Value:     value,
			HasPoints: scored || hit.delta != 0,
			Points:    earned + hit.delta,
			Used:      true,
		}})
	}
	slices.SortStableFunc(list, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(magnitude(b.Points), magnitude(a.Points)))
	})
	list = list[:min(len(list), maxContributors)]
	top := make([]Contributor, 0, maxContributors)
	shown := map[string]bool{}
	for _, t := range list {
		t.Direction = t.direction()
		top = append(top, t.Contributor)
		shown[t.Feature] = true
	}
	others := feature.Top(c.vector, maxContributors-len(list), func(index int) bool { return shown[feature.NameAt(index)] })
	for _, index := range others {
		value, _ := c.vector.Get(index)
		used := slices.ContainsFunc(c.policy.Features, func(f application.Feature) bool { return f.Index == index })
		top = append(top, Contributor{Feature: feature.NameAt(index), Value: value, Used: used})
	}
	return top
}

// weighed is a contributor with what the rules that hit did with it.
type weighed struct {
	Contributor
	weight hitWeight
}

func (t weighed) direction() string {
	switch {
	case t.HasPoints && t.Points > 0:
		return "favourable"
	case t.HasPoints && t.Points == 0:
		return "neutral"
	case t.HasPoints || t.weight > noHit:
		return "adverse"
	}
	return ""
}

func magnitude(n rule.Number) rule.Number { return max(n, -n) }

// FeaturePlaces is how many decimals a feature's value has at most.
const FeaturePlaces = 4
