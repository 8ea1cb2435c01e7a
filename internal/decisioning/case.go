package decisioning

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"verdict/internal/admission"
	"verdict/internal/application"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/feature"
	"verdict/internal/field"
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
	app      *application.Application
	vector   *feature.Vector // nil unless features take part
	hash     string          // the vector's, "" until somebody asks
	fraud    *fraudCase      // nil when the block was not sent
}

// vectors are used again: each is some 28 KB.
var vectors = sync.Pool{New: func() any { return new(feature.Vector) }}

// find finds the policy for a body and reads the body with it.
type find func(application.Options) (*policydesk.Policy, *application.Application, error)

// newCase reads a body with the tenant's settings. It computes the features
// that were asked for, by the request or by the policy, and adds to the facts
// those that the policy names and no other: what a policy does not name cannot
// matter.
func (s *Service) newCase(
	ctx context.Context, p tenant.Principal, body wire.Value, endpoint string, o application.Options, find find,
) (*policydesk.Policy, *creditCase, error) {
	signals, settings, err := s.fraud.Signals(ctx, p, body)
	if err != nil {
		return nil, nil, err
	}
	o.Signals = signals
	policy, app, err := find(o)
	if err != nil {
		return nil, nil, err
	}
	if err := admission.CheckpointIfLong(ctx); err != nil { // a long statement takes milliseconds to read
		return nil, nil, err
	}
	c := &creditCase{endpoint: endpoint, app: app}
	c.measure(policy)
	app.WarnBank(policy.Plan.Policy().AbsentBankFigures(app.Facts))
	if app.Endpoint == application.Evaluate && body.Get("fraud").Kind() == wire.Object {
		err = s.newFraudCase(ctx, p, c, settings)
	}
	return policy, c, err
}

func (c *creditCase) measure(policy *policydesk.Policy) {
	named := policy.Features
	if c.endpoint == EndpointEligibility {
		named = policy.Stage1Features // it runs no other rules
	}
	c.app.WarnNotMeasured(named)
	if !c.app.MeasuresFeatures {
		return
	}
	c.vector, _ = vectors.Get().(*feature.Vector) // the pool holds nothing else
	c.app.Measure(policy.Catalogue, policy.Features, c.vector)
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
func (c *creditCase) storedFacts(policy *policydesk.Policy) []byte {
	c.keepRead(policy)
	w := wire.Writer{Buf: make([]byte, 0, 1<<10)}
	c.app.Facts.Write(&w)
	return w.Buf
}

// keepRead takes away the facts that identify and those of members that nobody
// knows, unless the policy reads them. It comes after the decision.
func (c *creditCase) keepRead(policy *policydesk.Policy) {
	c.forget(policy)
	c.app.Facts.KeepOthers(func(name string) bool {
		_, declared := policy.Inputs[name]
		return declared
	})
}

// forget takes away the facts that identify and that the policy does not read.
func (c *creditCase) forget(policy *policydesk.Policy) {
	if c.app.Endpoint != application.Evaluate {
		return
	}
	for _, name := range field.Identifying {
		if id, ok := field.Catalogue().Lookup(name); ok && !policy.Plan.Reads(id) {
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

// blocks writes what the blocks add to the answer; nil for nothing.
func (c *creditCase) blocks(d *engine.Decision, policy *policydesk.Policy) func(*wire.Writer) {
	shown := c.vector != nil && c.app.WantsFeatures
	if !shown && c.fraud == nil {
		return nil
	}
	return func(w *wire.Writer) {
		if shown {
			c.writeFeatures(w, d, policy)
		}
		if c.fraud != nil {
			c.fraud.found.Write(w.Key("fraud"))
		}
	}
}

func (c *creditCase) writeFeatures(w *wire.Writer, d *engine.Decision, policy *policydesk.Policy) {
	w.Key("features").Object().Key("count").Int(feature.Count).Key("catalogue").Int(int64(c.vector.Catalogue())).Key("populated").Int(int64(c.vector.Populated()))
	w.Key("vector_hash").Plain(c.vectorHash()).Key("as_of").Plain(c.app.AsOf.String())
	w.Key("top_contributors").Array()
	for _, t := range c.top(d, policy) {
		t.write(w)
	}
	w.EndArray().Key("used_by_policy").Array()
	for _, f := range policy.Features {
		w.Plain(f.Name)
	}
	w.EndArray().EndObject()
}

// contributor is a feature that stands out: by what it decided, by its points,
// or by its value.
type contributor struct {
	name      string
	value     int64
	used      bool
	weight    hitWeight
	hasPoints bool
	points    rule.Number
}

// maxContributors is how many are shown.
const maxContributors = 10

// top lists the features that the policy names, those that decided first: what
// a knockout that hit names, then what earned or cost points, most first. Then
// come the features that lie farthest from what is usual.
func (c *creditCase) top(d *engine.Decision, policy *policydesk.Policy) []contributor {
	points, hits := d.PointsByField(), hitFeatures(policy, d)
	var list []contributor
	for _, f := range policy.Features {
		value, known := c.vector.Get(f.Index)
		if !known {
			continue
		}
		earned, scored := points[f.Name]
		hit := hits[f.Name]
		list = append(list, contributor{
			name: f.Name, value: value, used: true, weight: hit.weight,
			hasPoints: scored || hit.delta != 0, points: earned + hit.delta,
		})
	}
	slices.SortStableFunc(list, func(a, b contributor) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(magnitude(b.points), magnitude(a.points)))
	})
	list = list[:min(len(list), maxContributors)]
	shown := map[string]bool{}
	for _, t := range list {
		shown[t.name] = true
	}
	others := feature.Top(c.vector, maxContributors-len(list), func(index int) bool { return shown[feature.NameAt(index)] })
	for _, index := range others {
		value, _ := c.vector.Get(index)
		name := feature.NameAt(index)
		used := slices.ContainsFunc(policy.Features, func(f application.Feature) bool { return f.Index == index })
		list = append(list, contributor{name: name, value: value, used: used})
	}
	return list
}

func magnitude(n rule.Number) rule.Number { return max(n, -n) }

func (t contributor) write(w *wire.Writer) {
	w.Object().Key("feature").Plain(t.name).Key("value").Decimal(t.value, FeaturePlaces)
	if t.hasPoints {
		w.Key("points").Decimal(int64(t.points), rule.Places)
		direction := "neutral"
		switch {
		case t.points < 0:
			direction = "adverse"
		case t.points > 0:
			direction = "favourable"
		}
		w.Key("direction").Plain(direction)
	} else if t.weight > noHit {
		w.Key("direction").Plain("adverse")
	}
	w.Key("used_by_policy").Bool(t.used).EndObject()
}

// FeaturePlaces is how many decimals a feature's value has at most.
const FeaturePlaces = 4
