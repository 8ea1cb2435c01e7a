package decisioning

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"verdict/internal/application"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/feature"
	"verdict/internal/field"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// CodeNoActivePolicy is the refusal of a decision before anything was armed.
const CodeNoActivePolicy = "no_active_policy"

// defaultPolicyKey is the policy_key of a request that names none.
const defaultPolicyKey = "default"

// series is the versions of one policy_key of a tenant in an environment.
type series struct{ tenant, environment, policyKey string }

// policy is a stored rule set, compiled. It never changes.
type policy struct {
	tenant, environment string
	id, key             string
	version             int64
	source              *engine.Policy // as it was read
	plan                *engine.Plan
	inputs              map[string]rule.Type
	noScore             bool                  // it reads no bureau score
	catalogue           feature.Catalogue     // that its features are measured by
	features            []application.Feature // those it names, in name order
	stage1Features      []application.Feature // those that its Stage 1 rules name
	tally               *engine.Tally
	size                int                              // of its document, in bytes
	analysed            atomic.Pointer[[]engine.Finding] // nil until somebody asks
	compared            atomic.Pointer[comparison]       // the same
}

// featureNames are the features it names.
func (p *policy) featureNames() []string {
	names := make([]string, len(p.features))
	for i, f := range p.features {
		names[i] = f.Name
	}
	return names
}

// policyID names a rule set of a tenant in an environment.
type policyID struct{ tenant, environment, id string }

// policy finds a rule set of the scope by id, compiled, NotFound when it has
// none. A rule set's document never changes, so nothing kept can be stale.
func (s *Service) policy(ctx context.Context, scope *store.Scope, id string) (*policy, error) {
	return s.policies.Get(ctx, policyID{scope.Tenant(), scope.Environment(), id})
}

func (s *Service) loadPolicy(ctx context.Context, key policyID) (*policy, error) {
	set, err := s.core.DB.Scope(key.tenant, key.environment).RuleSet(ctx, key.id)
	if err != nil {
		return nil, err
	}
	return compile(ctx, key, set)
}

func compile(ctx context.Context, key policyID, set store.RuleSet) (*policy, error) {
	read, err := engine.ParsePolicy(set.Document, engine.Sources{Catalogue: field.Catalogue(), Check: operation.Checking(ctx)})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("read the stored rule set %s: %w", set.ID, operation.AsDefect(err))
	}
	plan := engine.Compile(read, field.Catalogue())
	p := &policy{
		tenant: key.tenant, environment: key.environment, id: set.ID, key: set.PolicyKey, version: set.Version,
		source: read, plan: plan, inputs: map[string]rule.Type{}, tally: plan.NewTally(), size: len(set.Document),
		noScore: !read.NeedsScore(),
	}
	for _, in := range read.Inputs {
		p.inputs[in.Name] = in.Type
	}
	p.catalogue = application.CatalogueOf(read.Semantics)
	p.features = application.Features(read.FeatureNames())
	p.stage1Features = stage1Features(read)
	return p, nil
}

// stage1Features are the features that the Stage 1 rules name, in name order.
func stage1Features(read *engine.Policy) []application.Feature {
	names := map[string]bool{}
	for i := range read.Knockouts {
		if k := &read.Knockouts[i]; k.Stage == 1 {
			k.Condition.Fields(func(ref rule.Ref) { names[ref.Name] = true })
		}
	}
	return application.Features(slices.Sorted(maps.Keys(names)))
}

// findings returns what the analysis says of the policy, which never changes. It
// is kept once somebody has asked.
func (p *policy) findings(ctx context.Context) ([]engine.Finding, error) {
	if known := p.analysed.Load(); known != nil {
		return *known, nil
	}
	found, err := engine.AnalyseUntil(p.source, field.Catalogue(), operation.Checking(ctx))
	if err != nil {
		return nil, err
	}
	p.analysed.Store(&found)
	return found, nil
}

// comparison is what a stored version says of itself against its base.
type comparison struct {
	findings []engine.Finding
	changes  []engine.Change
}

// against returns the findings with their origin, and the changes, against the
// base that the version was made from, nil for none. Neither version changes,
// so it is kept as well.
func (p *policy) against(ctx context.Context, base *policy) ([]engine.Finding, []engine.Change, error) {
	if known := p.compared.Load(); known != nil {
		return known.findings, known.changes, nil
	}
	found, err := p.findings(ctx)
	if err != nil {
		return nil, nil, err
	}
	var c comparison
	if c.findings, c.changes, err = againstBase(ctx, p.source, found, base); err != nil {
		return nil, nil, err
	}
	p.compared.Store(&c)
	return c.findings, c.changes, nil
}

// options adds to the options what the policy itself wants of a body.
func (p *policy) options(o application.Options) application.Options {
	o.Inputs, o.NoScore, o.FeaturesAuto = p.inputs, p.noScore, p.plan.Policy().FeaturesAuto
	return o
}

// activePolicy finds the active policy of a policy_key. A decision uses the
// one it is given here to its end.
func (s *Service) activePolicy(ctx context.Context, p tenant.Principal, policyKey string) (*policy, error) {
	id, err := s.active.Get(ctx, series{p.TenantID, string(p.Environment), policyKey})
	if err != nil {
		return nil, err
	}
	if id == "" {
		return nil, fault.New(fault.Conflict, CodeNoActivePolicy,
			"no policy with this policy_key is active in %s: GET /v1/rule-sets lists the drafts, POST /v1/rule-sets/{id}/activate activates one",
			p.Environment)
	}
	return s.policy(ctx, s.core.Scope(p), id)
}

func (s *Service) loadActive(ctx context.Context, k series) (string, error) {
	return s.core.DB.Scope(k.tenant, k.environment).ActivePolicy(ctx, k.policyKey)
}

// policyKeyOf is the policy_key that a body names; ok is false when what it
// says is none, which the reader of the body refuses with everything else. The
// text is a copy: it outlives the body in a cache.
func policyKeyOf(body wire.Value) (key string, ok bool) {
	v := body.Get("policy_key")
	if !v.Given() {
		return defaultPolicyKey, true
	}
	return strings.Clone(v.Text()), v.Kind() == wire.String && field.IsPolicyKey(v.Text())
}

// reader reads a body into an application.
type reader func(wire.Value, application.Options) (*application.Application, error)

// read finds the active policy that a body asks for and reads the body with
// it. A policy_key that is none is refused along with all else that is wrong.
func (s *Service) read(ctx context.Context, p tenant.Principal, body wire.Value, o application.Options, read reader) (*policy, *application.Application, error) {
	key, ok := policyKeyOf(body)
	if !ok {
		_, err := read(body, o)
		return nil, nil, err
	}
	policy, err := s.activePolicy(ctx, p, key)
	if err != nil {
		return nil, nil, err
	}
	app, err := read(body, policy.options(o))
	return policy, app, err
}
