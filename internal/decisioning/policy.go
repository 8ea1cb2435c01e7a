package decisioning

import (
	"context"
	"fmt"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
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
	plan                *engine.Plan
	inputs              map[string]rule.Type
	tally               *engine.Tally
}

// policyCache keeps compiled policies. A rule set's document never changes, so
// nothing in it can be stale.
type policyCache struct {
	recent recent[policyID, *policy]
}

type policyID struct{ tenant, environment, id string }

func newPolicyCache(size int) *policyCache {
	return &policyCache{newRecent[policyID, *policy](size)}
}

func (c *policyCache) each(visit func(*policy)) { c.recent.each(visit) }

// policy finds a rule set of the scope by id, NotFound when it has none.
func (s *Service) policy(ctx context.Context, scope *store.Scope, id string) (*policy, error) {
	key := policyID{scope.Tenant(), scope.Environment(), id}
	if p, ok := s.policies.recent.get(key); ok {
		return p, nil
	}
	set, err := scope.RuleSet(ctx, id)
	if err != nil {
		return nil, err
	}
	p, err := compile(key, set)
	if err != nil {
		return nil, err
	}
	// Two may compile the same one at once; the tally of one must count.
	return s.policies.recent.getOr(key, func() *policy { return p }), nil
}

func compile(key policyID, set store.RuleSet) (*policy, error) {
	read, err := engine.ParsePolicy(set.Document, engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		return nil, fmt.Errorf("read the stored rule set %s: %w", set.ID, notARefusal{err})
	}
	plan := engine.Compile(read, field.Catalogue())
	p := &policy{
		tenant: key.tenant, environment: key.environment, id: set.ID, key: set.PolicyKey, version: set.Version,
		plan: plan, inputs: map[string]rule.Type{}, tally: plan.NewTally(),
	}
	for _, in := range read.Inputs {
		p.inputs[in.Name] = in.Type
	}
	return p, nil
}

// notARefusal hides the kind of an error that is our mistake and not the
// caller's: a stored document that cannot be read any more.
type notARefusal struct{ err error }

func (n notARefusal) Error() string { return n.err.Error() }

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
	return s.policy(ctx, s.scope(p), id)
}

func (s *Service) loadActive(ctx context.Context, k series) (string, error) {
	return s.db.Scope(k.tenant, k.environment).ActivePolicy(ctx, k.policyKey)
}

// maxPolicyKey bounds a policy_key, in bytes.
const maxPolicyKey = 64

// policyKeyOf is the policy_key that a body names. A malformed one is for the
// reader of the body to refuse, which it does with everything else. The text
// is a copy: it outlives the body in a cache.
func policyKeyOf(body wire.Value) string {
	if v := body.Get("policy_key"); v.Kind() == wire.String && v.Text() != "" && len(v.Text()) <= maxPolicyKey {
		return strings.Clone(v.Text())
	}
	return defaultPolicyKey
}
