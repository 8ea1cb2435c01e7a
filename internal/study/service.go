package study

import (
	"verdict/internal/admission"
	"verdict/internal/cache"
	"verdict/internal/decisioning"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/tenant"
)

// Options configures a Service. A zero field means its default.
type Options struct {
	Plans tenant.Plans // default: tenant.DefaultPlans
	// Backtests holds the limits of backtests. Spreader enqueues the chunks of
	// large ones; without it, large backtests are refused.
	Backtests BacktestLimits
	Spreader  Spreader
}

// Service implements the operations. It is safe for concurrent use.
type Service struct {
	core      *operation.Core
	desk      *policydesk.Service
	decisions *decisioning.Service
	options   Options

	fitting   *admission.Pool // scorecards that are being made
	trying    *admission.Pool // backtests and books whose callers wait for the report
	backtests *cache.Cache[runKey, *backtestRun]
	resumed   resumed
}

// runsCached is the number of compiled runs in the cache.
const runsCached = 16

// New returns a Service.
func New(core *operation.Core, desk *policydesk.Service, decisions *decisioning.Service, o Options) *Service {
	if len(o.Plans.Names()) == 0 {
		o.Plans = tenant.DefaultPlans()
	}
	o.Backtests.fill()
	s := &Service{core: core, desk: desk, decisions: decisions, options: o}
	s.fitting, s.trying = admission.NewPool(maxFits), admission.NewPool(maxTried)
	s.backtests = cache.New(runsCached, 0, core.Now, s.loadBacktest)
	return s
}
