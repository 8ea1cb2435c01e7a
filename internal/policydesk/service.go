package policydesk

import (
	"verdict/internal/admission"
	"verdict/internal/cache"
	"verdict/internal/operation"
)

// Options are the settings of a Service. A zero field takes its default.
type Options struct {
	PlanCache int // maximum number of cached compiled policies; default: 1,000
	// MaxDrafts and MaxScorecards limit the drafts and scorecards of a tenant in an
	// environment. The defaults are DefaultMaxDrafts and DefaultMaxScorecards.
	MaxDrafts, MaxScorecards int
	// Rule, unless nil, is called with the counts of each rule, for metrics. It must not
	// block, because Flush waits for it.
	Rule func(RuleCount)
}

// The defaults of Options.MaxDrafts and Options.MaxScorecards.
const (
	DefaultMaxDrafts     = 1_000
	DefaultMaxScorecards = 10_000
)

// Service has the operations on policies. It is safe for concurrent use.
type Service struct {
	core    *operation.Core
	options Options

	comparing *admission.Pool // comparisons that are running; each may use much memory
	proving   *admission.Pool // proofs that are running; each may use much memory

	active   *cache.Cache[series, string]
	policies *cache.Cache[policyID, *Policy]
}

// The sizes of the caches. Tenants that make no requests use no memory here.
const (
	activeCached   = 10_000
	policiesCached = 1_000
	// policyBytes limits the total size of the cached policies' documents. A compiled
	// policy takes about eight times the memory of its document.
	policyBytes = 32 << 20
)

// New returns a Service over the database of core. An option that is zero gets its default.
func New(core *operation.Core, o Options) *Service {
	if o.PlanCache == 0 {
		o.PlanCache = policiesCached
	}
	if o.MaxDrafts == 0 {
		o.MaxDrafts = DefaultMaxDrafts
	}
	if o.MaxScorecards == 0 {
		o.MaxScorecards = DefaultMaxScorecards
	}
	s := &Service{
		core:      core,
		options:   o,
		comparing: admission.NewPool(maxComparing),
		proving:   admission.NewPool(maxProving),
	}
	s.active = cache.New(activeCached, cache.RefreshAfter, core.Now, s.loadActive)
	s.policies = cache.New(o.PlanCache, 0, core.Now, s.loadPolicy)
	s.policies.Bound(policyBytes, func(p *Policy) int { return p.size })
	return s
}
