// Package usecase creates the services of the use-case packages over one
// database, runs their background work and reports whether they are ready. The
// operations themselves are in the use-case packages.
package usecase

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"verdict/internal/account"
	"verdict/internal/admission"
	"verdict/internal/agentdesk"
	"verdict/internal/batchdesk"
	"verdict/internal/decisioning"
	"verdict/internal/document"
	"verdict/internal/eventdesk"
	"verdict/internal/evidencedesk"
	"verdict/internal/exposuredesk"
	"verdict/internal/frauddesk"
	"verdict/internal/journal"
	"verdict/internal/listdesk"
	"verdict/internal/offerdesk"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/privacydesk"
	"verdict/internal/sealing"
	"verdict/internal/signal"
	"verdict/internal/store"
	"verdict/internal/study"
	"verdict/internal/tabledesk"
	"verdict/internal/tenant"
	"verdict/internal/webhookdesk"
)

// Options configures a Set. A zero field gets its default, which is documented
// in the package that uses the field.
type Options struct {
	Now    func() time.Time // the clock
	Random io.Reader        // for ids and keys
	Logger *slog.Logger
	Hooks  Hooks
	Caps   Caps // limits of a tenant (default DefaultCaps)

	// These fields are for package account.
	Plans          tenant.PricePlans
	Passwords      tenant.PasswordRules
	PasswordCost   tenant.Cost
	HashesAtOnce   int
	Logins         tenant.LoginRates
	Sleep          func(context.Context, time.Duration) error
	SignupMode     tenant.SignupMode
	SignupsEachDay int
	Connections    []account.Connection

	// This field is for package frauddesk.
	Atlas signal.Atlas

	// This field is for package policydesk.
	PlanCache int

	// MasterKey encrypts what is stored about people. If it is nil, nothing is encrypted. If the key is replaced,
	// the new key is read from MasterKeys. If MasterKeys is nil, the key is never replaced. Node is the name of this
	// process among the nodes of the database.
	MasterKey  *sealing.Epoch
	MasterKeys journal.KeySource
	Node       string

	// Log is for package evidencedesk. Without a key nothing is signed.
	Log evidencedesk.Options

	// Post is for package webhookdesk. Without it no events are sent to webhooks.
	Post func(ctx context.Context, url string, header map[string]string, body []byte) (status int, problem string)

	// These fields are for the packages study and batchdesk. Processors shares processor time among tenants.
	Backtests  study.BacktestLimits
	Batches    batchdesk.Limits
	ChunkQueue operation.ChunkQueue
	Processors *admission.Scheduler
}

// Set holds the services of the use-case packages over one database. It is safe
// for concurrent use.
type Set struct {
	Access    *account.Access
	People    *account.People
	Operator  *account.Operator
	SignOn    *account.SignOn
	Factors   *account.SecondFactors
	Policies  *policydesk.Service
	Edits     *policydesk.Edits
	Fraud     *frauddesk.Service
	Lists     *listdesk.Service
	Exposures *exposuredesk.Service
	Tables    *tabledesk.Service
	Offers    *offerdesk.Service
	Decisions *decisioning.Service
	Filters   *decisioning.Filters
	Evidence  *evidencedesk.Service
	Events    *eventdesk.Service
	Webhooks  *webhookdesk.Service
	Agents    *agentdesk.Service
	Privacy   *privacydesk.Service
	Batches   *batchdesk.Service
	Backtests *study.Backtests
	Chunks    *study.Chunks
	Fitting   *study.Fitting

	Comparisons *study.Comparisons

	core     *operation.Core
	accounts *account.Services
	keys     journal.KeySource // nil if the master key is never replaced
	node     string
}

// New creates the services.
func New(db *store.DB, o Options) (*Set, error) {
	core := operation.New(db, operation.Options{
		Now: o.Now, Random: o.Random, Logger: o.Logger, MasterKey: o.MasterKey, MasterKeys: o.MasterKeys,
	})
	accounts, err := newAccounts(core, &o)
	if err != nil {
		return nil, err
	}
	fraud := frauddesk.New(core, frauddesk.Options{Atlas: o.Atlas, MaxBlocked: o.Caps.Blocked})
	policies := policydesk.New(core, policydesk.Options{
		PlanCache: o.PlanCache, MaxDrafts: o.Caps.Drafts, MaxScorecards: o.Caps.Scorecards, Rule: o.Hooks.Rule,
	})
	lists := listdesk.New(core, listdesk.Options{Caps: o.Caps.Lists})
	tables := tabledesk.New(core, tabledesk.Options{Caps: o.Caps.Tables})
	offers := offerdesk.New(core, policies)
	exposures := exposuredesk.New(core, offers)
	o.Log.Keys = core.Keys
	decisions := decisioning.New(core, policies, fraud, lists, tables, offers, decisioning.Options{
		Encode:   document.AppendDecision,
		AddFacts: document.AddFacts,
		Decode:   document.ReadDecision,
		Decided:  o.Hooks.Decided,
		Plans:    o.Plans,
	})
	studies := study.New(core, policies, study.Lookups{Lists: lists, Tables: tables}, decisions, study.Options{
		Plans:      o.Plans,
		Backtests:  o.Backtests,
		ChunkQueue: o.ChunkQueue,
	})
	batches := batchdesk.New(core, decisions, batchdesk.Options{
		Plans:      o.Plans,
		Limits:     o.Batches,
		ChunkQueue: o.ChunkQueue,
		Processors: o.Processors,
	})
	events := eventdesk.New(core)
	webhooks, err := webhookdesk.New(core, events, webhookdesk.Options{
		Post:       o.Post,
		Encode:     document.EncodeEvent,
		EncodeTest: document.EncodeTestEvent,
	})
	if err != nil {
		return nil, err
	}
	return &Set{
		Access:    accounts.Access,
		People:    accounts.People,
		Operator:  accounts.Operator,
		SignOn:    accounts.SignOn,
		Factors:   accounts.Factors,
		Policies:  policies,
		Edits:     policydesk.NewEdits(core),
		Fraud:     fraud,
		Lists:     lists,
		Exposures: exposures,
		Tables:    tables,
		Offers:    offers,
		Decisions: decisions,
		Filters:   decisioning.NewFilters(core),
		Evidence:  evidencedesk.New(core, o.Log),
		Events:    events,
		Webhooks:  webhooks,
		Agents:    agentdesk.New(core, policies, decisions),
		Privacy:   privacydesk.New(core, decisions, exposures, privacydesk.Options{MaxHolds: o.Caps.Holds}),
		Batches:   batches,
		Backtests: studies.Backtests,
		Chunks:    studies.Chunks,
		Fitting:   studies.Fitting,

		Comparisons: studies.Comparisons,

		core:     core,
		accounts: accounts,
		keys:     o.MasterKeys,
		node:     o.Node,
	}, nil
}

// newAccounts creates the services of package account.
func newAccounts(core *operation.Core, o *Options) (*account.Services, error) {
	return account.New(core, account.Options{
		Plans:          o.Plans,
		Passwords:      o.Passwords,
		PasswordCost:   o.PasswordCost,
		HashesAtOnce:   o.HashesAtOnce,
		Logins:         o.Logins,
		Sleep:          o.Sleep,
		SignupMode:     o.SignupMode,
		SignupsEachDay: o.SignupsEachDay,
		MaxKeys:        o.Caps.Keys,
		Connections:    o.Connections,
	})
}

// flushEvery is the interval at which data collected in memory is stored.
const flushEvery = time.Second

// flushStatisticsEvery is the interval at which the statistics of decisions are stored. They have more rows than the
// other data, and nobody needs them within a second.
const flushStatisticsEvery = 10 * time.Second

// purgeEvery is the interval at which expired rows are removed.
const purgeEvery = 10 * time.Minute

// Run stores data collected in memory and removes expired rows at intervals until ctx ends, and then stores the
// data once more. In the meantime it signs the logs, sends events to webhooks, compares usage with quotas, adds
// journal entries for older rows that have none, encrypts data that is still unencrypted, completes interrupted and
// deferred erasures, and applies retention periods. A Set also works without Run, but then loses its statistics
// and does none of this work.
func (s *Set) Run(ctx context.Context) {
	var older sync.WaitGroup
	older.Go(func() {
		s.backfill(ctx)
		s.protect(ctx)
	})
	older.Go(func() { s.sign(ctx) })
	older.Go(func() { s.Webhooks.Run(ctx) })
	older.Go(func() { s.checkThresholds(ctx) })
	older.Go(func() { s.resumeErasures(ctx) })
	older.Go(func() { s.applyRetention(ctx) })
	defer older.Wait()
	flush := time.NewTicker(flushEvery)
	defer flush.Stop()
	statistics := time.NewTicker(flushStatisticsEvery)
	defer statistics.Stop()
	purge := time.NewTicker(purgeEvery)
	defer purge.Stop()
	for {
		select {
		case <-flush.C:
			s.Flush(ctx)
		case <-statistics.C:
			s.Decisions.Statistics.Flush(ctx)
		case <-purge.C:
			s.Purge(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			s.Flush(last)
			s.Decisions.Statistics.Flush(last)
			cancel()
			return
		}
	}
}

// Flush stores the data that the services have collected in memory.
func (s *Set) Flush(ctx context.Context) {
	s.Decisions.Usage.Flush(ctx)
	s.Policies.Flush(ctx)
	s.accounts.Flush(ctx)
}

// Purge removes expired rows, and tenants that were never used.
func (s *Set) Purge(ctx context.Context) {
	s.core.Purge(ctx)
	s.accounts.Purge(ctx)
	s.Webhooks.Purge(ctx)
	s.Lists.Purge(ctx)
	s.Decisions.PurgeRequests(ctx)
	s.Decisions.Statistics.Purge(ctx)
	s.Edits.Purge(ctx)
}
