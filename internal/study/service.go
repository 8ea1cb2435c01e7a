package study

import (
	"verdict/internal/admission"
	"verdict/internal/cache"
	"verdict/internal/decisioning"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/tenant"
)

// Options are what a Service needs besides the rooms below it. A zero field takes its
// default.
type Options struct {
	Plans tenant.Plans // tenant.DefaultPlans
	// Backtests bounds them. Spreader has the large ones done; without one only
	// those are taken that are answered immediately.
	Backtests BacktestLimits
	Spreader  Spreader
}

// Service is the operations on studies. It is safe for concurrent use.
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

// runsCached is how many runs are kept.
const runsCached = 16

// New makes the room.
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
