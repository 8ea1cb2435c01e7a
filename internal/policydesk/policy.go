package policydesk

import (
	"context"
	"fmt"
	"maps"
	"slices"
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
)

// series is the versions of one policy_key of a tenant in an environment.
type series struct{ tenant, environment, policyKey string }

// Policy is a stored rule set, compiled. It never changes.
type Policy struct {
	ID, Key        string
	Version        int64
	Plan           *engine.Plan
	Inputs         map[string]rule.Type
	Catalogue      feature.Catalogue     // that its features are measured by
	Features       []application.Feature // those it names, in name order
	Stage1Features []application.Feature // those that its Stage 1 rules name

	tenant, environment string
	source              *engine.Policy // as it was read
	noScore             bool           // it reads no bureau score
	tally               *engine.Tally
	size                int                              // of its document, in bytes
	analysed            atomic.Pointer[[]engine.Finding] // nil until somebody asks
	compared            atomic.Pointer[comparison]       // the same
}

// featureNames are the features it names.
func (p *Policy) featureNames() []string {
	names := make([]string, len(p.Features))
	for i, f := range p.Features {
		names[i] = f.Name
	}
	return names
}

// Count notes how the rules fared in a decision that is stored.
func (p *Policy) Count(d *engine.Decision) { p.tally.Count(d) }

// policyID names a rule set of a tenant in an environment.
type policyID struct{ tenant, environment, id string }

// Policy finds a rule set of the scope by id, compiled, NotFound when it has
// none. A rule set's document never changes, so nothing kept can be stale.
func (s *Service) Policy(ctx context.Context, scope *store.Scope, id string) (*Policy, error) {
	return s.policies.Get(ctx, policyID{scope.Tenant(), scope.Environment(), id})
}

func (s *Service) loadPolicy(ctx context.Context, key policyID) (*Policy, error) {
	set, err := s.core.DB.Scope(key.tenant, key.environment).RuleSets(ctx).Get(key.id)
	if err != nil {
		return nil, err
	}
	return compile(ctx, key, set)
}

func compile(ctx context.Context, key policyID, set store.RuleSet) (*Policy, error) {
	read, err := engine.ParsePolicy(set.Document, engine.Sources{Catalogue: field.Catalogue(), Check: operation.Checking(ctx)})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("read the stored rule set %s: %w", set.ID, operation.AsDefect(err))
	}
	plan := engine.Compile(read, field.Catalogue())
	p := &Policy{
		tenant: key.tenant, environment: key.environment, ID: set.ID, Key: set.PolicyKey, Version: set.Version,
		source: read, Plan: plan, Inputs: map[string]rule.Type{}, tally: plan.NewTally(), size: len(set.Document),
		noScore: !read.NeedsScore(),
	}
	for _, in := range read.Inputs {
		p.Inputs[in.Name] = in.Type
	}
	p.Catalogue = application.CatalogueOf(read.Semantics)
	p.Features = application.Features(read.FeatureNames())
	p.Stage1Features = stage1Features(read)
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
func (p *Policy) findings(ctx context.Context) ([]engine.Finding, error) {
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
func (p *Policy) against(ctx context.Context, base *Policy) ([]engine.Finding, []engine.Change, error) {
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

// Options adds to the options what the policy itself wants of a body.
func (p *Policy) Options(o application.Options) application.Options {
	o.Inputs, o.NoScore, o.FeaturesAuto = p.Inputs, p.noScore, p.Plan.Policy().FeaturesAuto
	return o
}

// ActivePolicy finds the active policy of a policy_key. A decision uses the
// one it is given here to its end.
func (s *Service) ActivePolicy(ctx context.Context, p tenant.Principal, policyKey string) (*Policy, error) {
	id, err := s.active.Get(ctx, series{p.TenantID, string(p.Environment), policyKey})
	if err != nil {
		return nil, err
	}
	if id == "" {
		return nil, fault.New(fault.Conflict, fault.CodeNoActivePolicy,
			"no policy with this policy_key is active in %s: GET /v1/rule-sets lists the drafts, POST /v1/rule-sets/{id}/activate activates one",
			p.Environment)
	}
	return s.Policy(ctx, s.core.Scope(p), id)
}

func (s *Service) loadActive(ctx context.Context, k series) (string, error) {
	return s.core.DB.Scope(k.tenant, k.environment).RuleSets(ctx).ActiveID(k.policyKey)
}
