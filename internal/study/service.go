// Package study tries policies and scorecards on rows instead of applicants: backtests
// over files, synthetic books and stored decisions, small ones within the request and
// large ones in chunks, and scorecards fitted to labelled rows.
//
// The operations. Each checks what the caller may do first (Forbidden); besides the
// errors named here any may fail with one of storage.
//
//	RunBacktest
//	    runs a policy over rows, or has it done: Invalid with every fault, no_rows,
//	    malformed_body, NotFound of a rule set, no_active_policy, TooLarge,
//	    quota_exceeded, backtest_busy
//	RunBook
//	    runs a policy over a synthetic book: the same
//	Backtest, Backtests, CancelBacktest
//	    the runs: NotFound, invalid_transition, invalid_cursor
//	BacktestRows, BacktestPage, BacktestBody
//	    a run's result: NotFound, invalid_transition, backtest_expired
//	FitScorecard, FitFile, FittingFree
//	    make a scorecard from labelled rows: Invalid, fitting_busy, cap_reached
//
// For whoever does the chunks of large backtests: RunChunk, AbandonBacktest and
// ResumeBacktests, which fail when storage does and are then tried again.
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
