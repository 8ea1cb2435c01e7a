// Package decisioning is what the service does: every use case, with all the
// I/O around one pure decision.
//
// A caller hands in who is calling and a parsed body, and gets back a result
// that writes itself as JSON, or a refusal that names what was wrong. What a
// result looks like on the wire belongs here, because an answer is stored as
// the bytes it was given in; how it travels (status codes, headers) does not.
//
// Storage is called as it is. Nothing here remembers anything that storage
// could not tell again: the caches hold immutable plans, and pointers that are
// looked up anew twice a second.
package decisioning

import (
	"sync/atomic"

	"verdict/internal/admission"
	"verdict/internal/cache"
	"verdict/internal/frauddesk"
	"verdict/internal/operation"
	"verdict/internal/tenant"
)

// Options are what a Service needs besides its core. A zero field takes its default.
type Options struct {
	Plans tenant.Plans // tenant.DefaultPlans
	// Decided and Rule are told what happened, for metrics. They must not block;
	// nil is left out.
	Decided func(status string)
	Rule    func(RuleCount)
	// PlanCache is how many compiled policies are kept; 1,000.
	PlanCache int
	// Backtests bounds them. Spreader has the large ones done; without one only
	// those are taken that are answered at once.
	Backtests BacktestLimits
	Spreader  Spreader

	MaxDrafts, MaxScorecards int // of a tenant in an environment
}

// RuleCount is how often a rule of one policy ran, hit, and could not be
// evaluated since it was last told.
type RuleCount struct {
	TenantID, Environment, PolicyKey, RuleID string
	Evaluated, Hit, Unknown                  int64
}

// Service is the use cases over one database. It is safe for concurrent use.
type Service struct {
	core    *operation.Core
	fraud   *frauddesk.Service
	options Options

	active   *cache.Cache[series, string]
	policies *cache.Cache[policyID, *policy]
	gathered gathered
	fitting  *admission.Pool // scorecards that are being made
	trying   *admission.Pool // backtests and books whose callers wait for the report
	lastDay  atomic.Pointer[businessDay]

	backtests *cache.Cache[runKey, *backtestRun]
	resumed   resumed
}

// The sizes of the caches: a tenant that does not call costs nothing.
const (
	activeCacheSize   = 10_000
	policyCacheSize   = 1_000
	backtestCacheSize = 16
	// policyCacheBytes bounds the documents of the policies kept. A compiled
	// policy takes some eight times its document.
	policyCacheBytes = 32 << 20
)

// New makes the room.
func New(core *operation.Core, fraud *frauddesk.Service, o Options) *Service {
	if len(o.Plans.Names()) == 0 {
		o.Plans = tenant.DefaultPlans()
	}
	if o.PlanCache == 0 {
		o.PlanCache = policyCacheSize
	}
	o.Backtests.fill()
	s := &Service{core: core, fraud: fraud, options: o}
	s.fitting, s.trying = admission.NewPool(maxFits), admission.NewPool(maxTried)
	s.active = cache.New(activeCacheSize, cache.RefreshAfter, core.Now, s.loadActive)
	s.policies = cache.New(o.PlanCache, 0, core.Now, s.loadPolicy)
	s.policies.Bound(policyCacheBytes, func(p *policy) int { return p.size })
	s.backtests = cache.New(backtestCacheSize, 0, core.Now, s.loadBacktest)
	s.gathered.counts = map[gatheredKey]int64{}
	return s
}
