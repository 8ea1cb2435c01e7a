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
	"verdict/internal/policydesk"
	"verdict/internal/tenant"
)

// Options are what a Service needs besides its core. A zero field takes its default.
type Options struct {
	Plans tenant.Plans // tenant.DefaultPlans
	// Decided is told what was decided, for metrics. It must not block; nil is left
	// out.
	Decided func(status string)
	// Backtests bounds them. Spreader has the large ones done; without one only
	// those are taken that are answered at once.
	Backtests BacktestLimits
	Spreader  Spreader
}

// Service is the use cases over one database. It is safe for concurrent use.
type Service struct {
	core    *operation.Core
	desk    *policydesk.Service
	fraud   *frauddesk.Service
	options Options

	gathered gathered
	fitting  *admission.Pool // scorecards that are being made
	trying   *admission.Pool // backtests and books whose callers wait for the report
	lastDay  atomic.Pointer[businessDay]

	backtests *cache.Cache[runKey, *backtestRun]
	resumed   resumed
}

// backtestCacheSize is how many runs are kept.
const backtestCacheSize = 16

// New makes the room.
func New(core *operation.Core, desk *policydesk.Service, fraud *frauddesk.Service, o Options) *Service {
	if len(o.Plans.Names()) == 0 {
		o.Plans = tenant.DefaultPlans()
	}
	o.Backtests.fill()
	s := &Service{core: core, desk: desk, fraud: fraud, options: o}
	s.fitting, s.trying = admission.NewPool(maxFits), admission.NewPool(maxTried)
	s.backtests = cache.New(backtestCacheSize, 0, core.Now, s.loadBacktest)
	s.gathered.counts = map[gatheredKey]int64{}
	return s
}
