// Package usecase puts the use-case rooms together over one database: what the service
// does is in the rooms, and this one makes them, runs their background work and says
// whether they can do it.
package usecase

import (
	"context"
	"io"
	"log/slog"
	"time"

	"verdict/internal/account"
	"verdict/internal/agentdesk"
	"verdict/internal/decisioning"
	"verdict/internal/document"
	"verdict/internal/frauddesk"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/signal"
	"verdict/internal/store"
	"verdict/internal/study"
	"verdict/internal/tenant"
)

// Options are what a Set needs besides its database. A zero field takes its default,
// which the room that it is for documents.
type Options struct {
	Now    func() time.Time // the clock
	Random io.Reader        // of ids and keys
	Logger *slog.Logger
	Hooks  Hooks
	Caps   Caps // how much a tenant may have; DefaultCaps

	// Of account.
	Plans          tenant.Plans
	Passwords      tenant.PasswordRules
	PasswordCost   tenant.Cost
	HashesAtOnce   int
	Logins         tenant.LoginRates
	Sleep          func(context.Context, time.Duration) error
	SignupMode     tenant.SignupMode
	SignupsEachDay int

	// Of frauddesk.
	Atlas signal.Atlas

	// Of policydesk.
	PlanCache int

	// Of study.
	Backtests study.BacktestLimits
	Spreader  study.Spreader
}

// Set is the use-case rooms over one database. It is safe for concurrent use.
type Set struct {
	Access    *account.Access
	People    *account.People
	Operator  *account.Operator
	Policies  *policydesk.Service
	Fraud     *frauddesk.Service
	Decisions *decisioning.Service
	Agents    *agentdesk.Service
	Backtests *study.Backtests
	Chunks    *study.Chunks
	Fitting   *study.Fitting

	core     *operation.Core
	accounts *account.Services
}

// New makes the rooms.
func New(db *store.DB, o Options) (*Set, error) {
	core := operation.New(db, operation.Options{Now: o.Now, Random: o.Random, Logger: o.Logger})
	accounts, err := account.New(core, account.Options{
		Plans:          o.Plans,
		Passwords:      o.Passwords,
		PasswordCost:   o.PasswordCost,
		HashesAtOnce:   o.HashesAtOnce,
		Logins:         o.Logins,
		Sleep:          o.Sleep,
		SignupMode:     o.SignupMode,
		SignupsEachDay: o.SignupsEachDay,
		MaxKeys:        o.Caps.Keys,
	})
	if err != nil {
		return nil, err
	}
	fraud := frauddesk.New(core, frauddesk.Options{Atlas: o.Atlas, MaxBlocked: o.Caps.Blocked})
	policies := policydesk.New(core, policydesk.Options{
		PlanCache: o.PlanCache, MaxDrafts: o.Caps.Drafts, MaxScorecards: o.Caps.Scorecards, Rule: o.Hooks.Rule,
	})
	decisions := decisioning.New(core, policies, fraud, decisioning.Options{
		Encode:   document.AppendDecision,
		AddFacts: document.AddFacts,
		Decode:   document.ReadDecision,
		Decided:  o.Hooks.Decided,
	})
	studies := study.New(core, policies, decisions, study.Options{Plans: o.Plans, Backtests: o.Backtests, Spreader: o.Spreader})
	return &Set{
		Access:    accounts.Access,
		People:    accounts.People,
		Operator:  accounts.Operator,
		Policies:  policies,
		Fraud:     fraud,
		Decisions: decisions,
		Agents:    agentdesk.New(core, policies, decisions),
		Backtests: studies.Backtests,
		Chunks:    studies.Chunks,
		Fitting:   studies.Fitting,
		core:      core,
		accounts:  accounts,
	}, nil
}

// flushEvery is how long what is gathered in memory waits to be stored.
const flushEvery = time.Second

// purgeEvery is how often what has expired is removed.
const purgeEvery = 10 * time.Minute

// Run stores what is gathered in memory, until ctx ends, and then once more.
// A set whose Run is not called answers all the same, and forgets its
// statistics.
func (s *Set) Run(ctx context.Context) {
	flush := time.NewTicker(flushEvery)
	defer flush.Stop()
	purge := time.NewTicker(purgeEvery)
	defer purge.Stop()
	for {
		select {
		case <-flush.C:
			s.Flush(ctx)
		case <-purge.C:
			s.Purge(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			s.Flush(last)
			cancel()
			return
		}
	}
}

// Flush stores what the rooms have gathered in memory.
func (s *Set) Flush(ctx context.Context) {
	s.Decisions.Flush(ctx)
	s.Policies.Flush(ctx)
	s.accounts.Flush(ctx)
}

// Purge removes what has expired.
func (s *Set) Purge(ctx context.Context) {
	s.core.Purge(ctx)
	s.accounts.Purge(ctx)
}
