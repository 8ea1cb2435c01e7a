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
	"context"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"verdict/internal/admission"
	"verdict/internal/cache"
	"verdict/internal/operation"
	"verdict/internal/place"
	"verdict/internal/signal"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Options are what a Service needs besides its database. A zero field takes
// its default.
type Options struct {
	Now          func() time.Time // the clock
	Random       io.Reader        // of ids and keys; crypto/rand.Reader
	Plans        tenant.Plans     // tenant.DefaultPlans
	Passwords    tenant.PasswordRules
	PasswordCost tenant.Cost // of new hashes; tenant.DefaultCost
	HashesAtOnce int         // passwords hashed at once; 1
	Logger       *slog.Logger
	Hooks        Hooks
	// PlanCache is how many compiled policies are kept; 1,000.
	PlanCache int
	// Atlas knows where places and addresses are; the tables in the binary.
	Atlas signal.Atlas
	// Backtests bounds them. Spreader has the large ones done; without one only
	// those are taken that are answered at once.
	Backtests BacktestLimits
	Spreader  Spreader
	// Logins bounds what people may try who are not signed in, and Sleep has
	// those wait who are slowed down; by default they really do.
	Logins tenant.LoginRates // tenant.DefaultLoginRates
	Sleep  func(context.Context, time.Duration) error
	// SignupMode says who may sign up, by default everybody, and SignupsEachDay
	// how many may from one address, 0 for any number.
	Caps           Caps // how much a tenant may have; DefaultCaps
	SignupMode     tenant.SignupMode
	SignupsEachDay int
}

// Hooks are told what happened, for metrics. They must not block; a nil hook
// is left out.
type Hooks struct {
	Decided func(status string)
	Rule    func(RuleCount)
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
	hasher  *tenant.Hasher
	options Options

	keys     *cache.Cache[tenant.KeyHash, credential]
	active   *cache.Cache[series, string]
	policies *cache.Cache[policyID, *policy]
	gathered gathered
	fitting  *admission.Pool // scorecards that are being made
	trying   *admission.Pool // backtests and books whose callers wait for the report
	lastDay  atomic.Pointer[businessDay]

	fraudChanges  *cache.Cache[operation.ScopeID, int64]
	fraudSettings *cache.Cache[operation.ScopeID, *fraudSettings]
	backtests     *cache.Cache[runKey, *backtestRun]
	resumed       resumed

	sessions *cache.Cache[tenant.TokenHash, Session]
	seen     seen
	doors    tenant.Buckets[string]
	slowed   slowed
}

// The sizes of the caches: a tenant that does not call costs nothing.
const (
	keyCacheSize    = 10_000
	activeCacheSize = 10_000
	policyCacheSize = 1_000

	settingsCacheSize = 1_000
	// settingsCacheBytes bounds their tables.
	settingsCacheBytes = 64 << 20
	backtestCacheSize  = 16
	// policyCacheBytes bounds the documents of the policies kept. A compiled
	// policy takes some eight times its document.
	policyCacheBytes = 32 << 20
)

// New makes the service.
func New(db *store.DB, o Options) (*Service, error) {
	if len(o.Plans.Names()) == 0 {
		o.Plans = tenant.DefaultPlans()
	}
	if o.PasswordCost == (tenant.Cost{}) {
		o.PasswordCost = tenant.DefaultCost()
	}
	if o.HashesAtOnce == 0 {
		o.HashesAtOnce = 1
	}
	if o.Atlas.Matches == nil && o.Atlas.Country == nil {
		o.Atlas = signal.Atlas{Matches: place.Matches, Country: place.Country}
	}
	if o.PlanCache == 0 {
		o.PlanCache = policyCacheSize
	}
	if o.Logins == (tenant.LoginRates{}) {
		o.Logins = tenant.DefaultLoginRates()
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	o.Backtests.fill()
	o.Caps.fill()
	core := operation.New(db, operation.Options{Now: o.Now, Random: o.Random, Logger: o.Logger})
	hasher, err := tenant.NewHasher(o.PasswordCost, o.HashesAtOnce, core.Random)
	if err != nil {
		return nil, err
	}
	hasher.OnWait(func(ctx context.Context) func() { // in line, nobody needs a processor
		slot := admission.SlotOf(ctx)
		slot.Pause()
		return func() { slot.Resume() }
	})
	s := &Service{core: core, hasher: hasher, options: o}
	s.fitting, s.trying = admission.NewPool(maxFits), admission.NewPool(maxTried)
	s.keys = cache.New(keyCacheSize, cache.RefreshAfter, core.Now, s.loadCredential)
	s.active = cache.New(activeCacheSize, cache.RefreshAfter, core.Now, s.loadActive)
	s.policies = cache.New(o.PlanCache, 0, core.Now, s.loadPolicy)
	s.policies.Bound(policyCacheBytes, func(p *policy) int { return p.size })
	s.fraudChanges = cache.New(activeCacheSize, cache.RefreshAfter, core.Now, s.loadFraudChanges)
	s.fraudSettings = cache.New(settingsCacheSize, 0, core.Now, s.loadFraudSettings)
	s.fraudSettings.Bound(settingsCacheBytes, func(f *fraudSettings) int { return f.size })
	s.backtests = cache.New(backtestCacheSize, 0, core.Now, s.loadBacktest)
	s.sessions = cache.New(keyCacheSize, cache.RefreshAfter, core.Now, s.loadSession)
	s.gathered.counts = map[gatheredKey]int64{}
	s.gathered.touches = map[string]int64{}
	return s, nil
}

// flushEvery is how long what is gathered in memory waits to be stored.
const flushEvery = time.Second

// purgeEvery is how often what has expired is removed.
const purgeEvery = 10 * time.Minute

// Run stores what is gathered in memory, until ctx ends, and then once more.
// A service whose Run is not called answers all the same, and forgets its
// statistics.
func (s *Service) Run(ctx context.Context) {
	flush := time.NewTicker(flushEvery)
	defer flush.Stop()
	purge := time.NewTicker(purgeEvery)
	defer purge.Stop()
	for {
		select {
		case <-flush.C:
			s.flush(ctx)
		case <-purge.C:
			s.purge(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			s.flush(last)
			cancel()
			return
		}
	}
}

// purgeBatch bounds how long a purge holds the writer.
const purgeBatch = 1_000

// purge removes what has expired.
func (s *Service) purge(ctx context.Context) {
	now, system := s.core.Now(), s.core.DB.System()
	for what, remove := range map[string]func() (int64, error){
		"idempotency keys": func() (int64, error) { return system.PurgeIdempotency(ctx, now.UnixMicro(), purgeBatch) },
		"sessions": func() (int64, error) {
			return system.PurgeSessions(ctx, now.UnixMicro(), now.Add(-sessionIdle).UnixMicro(), purgeBatch)
		},
		"invitations": func() (int64, error) { return system.PurgeInvitations(ctx, now.UnixMicro(), purgeBatch) },
	} {
		removed, err := int64(purgeBatch), error(nil)
		for removed == purgeBatch && err == nil {
			removed, err = remove()
		}
		if err != nil {
			s.core.Logger.WarnContext(ctx, "what has expired stays for now", "what", what, "error", err)
		}
	}
	if err := s.sweep(ctx); err != nil {
		s.core.Logger.WarnContext(ctx, "could not remove tenants that nobody uses; they stay for now", "error", err)
	}
}

// Tenants that nobody has called for after this long are closed, and removed when
// every node has heard of it.
const (
	unusedAfter = 7 * 24 * time.Hour
	closingTime = time.Minute
	sweepBatch  = 100
)

// sweep removes tenants that signed up and were never used. They are closed first,
// so that no request is worked on while its tenant goes.
func (s *Service) sweep(ctx context.Context) error {
	now, system := s.core.Now(), s.core.DB.System()
	for range sweepBatch {
		found, err := system.RemoveUnused(ctx, now.Add(-closingTime).UnixMicro())
		if err != nil {
			return err
		}
		if !found {
			break
		}
	}
	_, err := system.CloseUnused(ctx, now.Add(-unusedAfter).UnixMicro(), now.UnixMicro(), sweepBatch)
	return err
}
