package study

import (
	"context"

	"verdict/internal/admission"
	"verdict/internal/cache"
	"verdict/internal/decisioning"
	"verdict/internal/listdesk"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/tabledesk"
	"verdict/internal/tenant"
)

// Options configures the services. A zero field means its default.
type Options struct {
	Plans tenant.PricePlans // default: tenant.DefaultPricePlans
	// Backtests holds the limits of backtests. ChunkQueue enqueues the chunks of large
	// backtests; without it, large backtests are refused.
	Backtests  BacktestLimits
	ChunkQueue operation.ChunkQueue
}

// Services holds the four services of this package over one database. They are safe
// for concurrent use.
type Services struct {
	Backtests   *Backtests
	Chunks      *Chunks
	Fitting     *Fitting
	Comparisons *Comparisons
}

// Lookups has the use cases that look up fields of rows in lists and tables.
type Lookups struct {
	Lists  *listdesk.Service
	Tables *tabledesk.Service
}

// check refuses a policy whose lists or tables are missing.
func (l *Lookups) check(ctx context.Context, scope operation.ScopeID, policy *policydesk.Policy) error {
	if err := l.Lists.Check(ctx, scope, policy.Lookups); err != nil {
		return err
	}
	return l.Tables.Check(ctx, scope, policy.Plan.Tables())
}

// Backtests runs policies over rows and returns the runs with their results.
type Backtests struct {
	core      *operation.Core
	desk      *policydesk.Service
	lookups   Lookups
	decisions *decisioning.Service
	options   Options
	runs      *runs

	trying *admission.Pool // backtests and books whose callers wait for the report
}

// Chunks runs the chunks of large backtests in the background. Its callers are workers,
// not tenants, so its operations need no scope.
type Chunks struct {
	core      *operation.Core
	decisions *decisioning.Service
	options   Options
	runs      *runs

	resumed resumed
}

// Fitting fits scorecards to labelled rows.
type Fitting struct {
	core *operation.Core
	desk *policydesk.Service

	fitting *admission.Pool // scorecards that are being fitted
}

// runsCached is the maximum number of compiled runs in the cache.
const runsCached = 16

// New returns the services over the database of core. They share a cache of compiled runs. Chunks works only when a
// queue calls it.
func New(
	core *operation.Core, desk *policydesk.Service, lookups Lookups, decisions *decisioning.Service, o Options,
) *Services {
	if len(o.Plans.Names()) == 0 {
		o.Plans = tenant.DefaultPricePlans()
	}
	o.Backtests.fill()

	stored := &runs{core: core, desk: desk, lookups: lookups, options: o}
	stored.compiled = cache.New(runsCached, 0, core.Now, stored.load)
	trying := admission.NewPool(maxTried)

	return &Services{
		Backtests: &Backtests{
			core:      core,
			desk:      desk,
			lookups:   lookups,
			decisions: decisions,
			options:   o,
			runs:      stored,
			trying:    trying,
		},
		Chunks: &Chunks{
			core:      core,
			decisions: decisions,
			options:   o,
			runs:      stored,
		},
		Fitting: &Fitting{core: core, desk: desk, fitting: admission.NewPool(maxFits)},
		Comparisons: &Comparisons{
			core:    core,
			desk:    desk,
			lookups: lookups,
			most:    MaxPopulation,
			trying:  trying,
		},
	}
}
