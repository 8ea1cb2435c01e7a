package policydesk

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"verdict/internal/application"
	"verdict/internal/engine"
	"verdict/internal/engine/analysis"
	"verdict/internal/engine/prover"
	"verdict/internal/fault"
	"verdict/internal/feature"
	"verdict/internal/field"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// series identifies the versions of one policy_key of a tenant in an environment.
type series struct{ tenant, environment, policyKey string }

// Policy is a compiled rule set. It does not change, except for the counts of its rules and for
// results that are computed when they are first needed.
type Policy struct {
	ID, Key        string
	Version        int64
	Plan           *engine.Plan
	Inputs         map[string]rule.Type
	Catalogue      feature.Catalogue     // the catalogue that computes the policy's features
	Features       []application.Feature // the features that the policy names, in name order
	Stage1Features []application.Feature // the features that the stage 1 rules name
	Lookups        []rule.NamedLookup    // the fields that the policy looks up in lists

	tenant, environment string
	source              *engine.Policy // the policy from which Plan was compiled
	noScore             bool           // the policy reads no bureau score
	tally               *engine.Tally
	size                int                                // size of the policy's document in bytes
	analysed            atomic.Pointer[[]analysis.Finding] // nil until findings is called
	compared            atomic.Pointer[comparison]         // nil until against is called
	proofs              atomic.Pointer[[]prover.Proof]     // nil until guarantees is called
	base                string                             // the id of the rule set from which it was made
	sets                func(context.Context) store.RuleSetReader
}

func (p *Policy) featureNames() []string {
	names := make([]string, len(p.Features))
	for i, f := range p.Features {
		names[i] = f.Name
	}
	return names
}

// Count adds the results of a stored decision's rules to the statistics.
func (p *Policy) Count(d *engine.Decision) { p.tally.Count(d) }

// policyID identifies a rule set of a tenant in an environment.
type policyID struct{ tenant, environment, id string }

// Policy returns a compiled rule set of the scope. It returns NotFound if there is none. The
// document of a rule set never changes, so the cache is never stale.
func (s *Service) Policy(ctx context.Context, scope *store.Scope, id string) (*Policy, error) {
	return s.policies.Get(ctx, policyID{scope.Tenant(), scope.Environment(), id})
}

func (s *Service) loadPolicy(ctx context.Context, key policyID) (*Policy, error) {
	set, err := s.core.DB.Scope(key.tenant, key.environment).RuleSets(ctx).Get(key.id)
	if err != nil {
		return nil, err
	}
	p, err := compile(ctx, key, set)
	if err == nil {
		p.sets = s.core.DB.Scope(key.tenant, key.environment).RuleSets
	}
	return p, err
}

func compile(ctx context.Context, key policyID, set store.RuleSet) (*Policy, error) {
	sources := engine.Sources{Catalogue: field.Catalogue(), Check: operation.Checking(ctx)}
	read, err := engine.ParsePolicy(set.Document, sources)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("read the stored rule set %s: %w", set.ID, operation.AsDefect(err))
	}
	plan := engine.Compile(read, field.Catalogue())
	p := &Policy{
		ID:          set.ID,
		Key:         set.PolicyKey,
		Version:     set.Version,
		Plan:        plan,
		Inputs:      read.InputTypes(),
		tenant:      key.tenant,
		environment: key.environment,
		source:      read,
		noScore:     !read.NeedsScore(),
		tally:       plan.NewTally(),
		size:        len(set.Document),
		base:        set.Base,
	}
	p.Catalogue = application.CatalogueOf(read.Semantics)
	p.Features = application.Features(read.FeatureNames())
	p.Stage1Features = stage1Features(read)
	p.Lookups = plan.Lookups()
	return p, nil
}

// stage1Features returns the features that the stage 1 rules name, in name order.
func stage1Features(read *engine.Policy) []application.Feature {
	names := map[string]bool{}
	for i := range read.Knockouts {
		if k := &read.Knockouts[i]; k.Stage == 1 {
			k.Condition.Fields(func(ref rule.Ref) { names[ref.Name] = true })
		}
	}
	return application.Features(slices.Sorted(maps.Keys(names)))
}

// findings returns the findings of the static analysis and those about guarantees. The findings
// never change, so they are cached.
func (p *Policy) findings(ctx context.Context) ([]analysis.Finding, error) {
	if known := p.analysed.Load(); known != nil {
		return *known, nil
	}
	found, err := analysis.RunUntil(p.source, field.Catalogue(), operation.Checking(ctx))
	if err != nil {
		return nil, err
	}
	proofs, err := p.guarantees(ctx)
	if err != nil {
		return nil, err
	}
	if len(proofs) > 0 {
		found = withGuarantees(found, proofs)
	}
	p.analysed.Store(&found)
	return found, nil
}

// comparison is the result of comparing a stored version with its base.
type comparison struct {
	findings []analysis.Finding
	changes  []engine.Change
}

// against compares the version with its base, which may be nil. It returns the findings with their
// origin, and the changes. Neither version changes, so the result is cached.
func (p *Policy) against(ctx context.Context, base *Policy) ([]analysis.Finding, []engine.Change, error) {
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

// Options returns o after setting the options that depend on the policy.
func (p *Policy) Options(o application.Options) application.Options {
	o.Inputs, o.NoScore, o.FeaturesAuto = p.Inputs, p.noScore, p.Plan.Policy().FeaturesAuto
	return o
}

// ActivePolicy returns the active policy of a policy_key. A decision uses the returned version from
// start to end.
func (s *Service) ActivePolicy(ctx context.Context, p tenant.Principal, policyKey string) (*Policy, error) {
	id, err := s.activeID(ctx, p, policyKey)
	if err != nil {
		return nil, err
	}
	return s.Policy(ctx, s.core.Scope(p), id)
}

// activeID returns the id of the active rule set of a policy_key, or the refusal that there is none.
func (s *Service) activeID(ctx context.Context, p tenant.Principal, policyKey string) (string, error) {
	id, err := s.active.Get(ctx, series{p.TenantID, string(p.Environment), policyKey})
	if err == nil && id == "" {
		err = fault.New(fault.Conflict, fault.CodeNoActivePolicy,
			"no policy with this policy_key is active in %s: GET /v1/rule-sets lists the drafts, "+
				"POST /v1/rule-sets/{id}/activate activates one",
			p.Environment)
	}
	return id, err
}

func (s *Service) loadActive(ctx context.Context, k series) (string, error) {
	return s.core.DB.Scope(k.tenant, k.environment).RuleSets(ctx).ActiveID(k.policyKey)
}
