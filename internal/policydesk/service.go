package policydesk

import (
	"verdict/internal/cache"
	"verdict/internal/operation"
)

// Options are what a Service needs besides its core. A zero field takes its default.
type Options struct {
	PlanCache int // how many compiled policies are kept; 1,000
	// Of a tenant in an environment; DefaultMaxDrafts and DefaultMaxScorecards.
	MaxDrafts, MaxScorecards int
	// Rule is told how rules fared, for metrics. It must not block; nil is left out.
	Rule func(RuleCount)
}

// How many drafts and scorecards an environment may have.
const (
	DefaultMaxDrafts     = 1_000
	DefaultMaxScorecards = 10_000
)

// Service is the operations on policies. It is safe for concurrent use.
type Service struct {
	core    *operation.Core
	options Options

	active   *cache.Cache[series, string]
	policies *cache.Cache[policyID, *Policy]
}

// The bounds of the caches: a tenant that does not call costs nothing.
const (
	activeCached   = 10_000
	policiesCached = 1_000
	// policyBytes bounds the documents of the policies kept. A compiled policy
	// takes some eight times its document.
	policyBytes = 32 << 20
)

// New makes the room.
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
	s := &Service{core: core, options: o}
	s.active = cache.New(activeCached, cache.RefreshAfter, core.Now, s.loadActive)
	s.policies = cache.New(o.PlanCache, 0, core.Now, s.loadPolicy)
	s.policies.Bound(policyBytes, func(p *Policy) int { return p.size })
	return s
}
