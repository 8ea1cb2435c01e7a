package account

import (
	"context"
	"time"

	"verdict/internal/admission"
	"verdict/internal/cache"
	"verdict/internal/operation"
	"verdict/internal/tenant"
)

// Options are the settings of the services. A zero field takes its default.
type Options struct {
	Plans        tenant.PricePlans // default: tenant.DefaultPricePlans
	Passwords    tenant.PasswordRules
	PasswordCost tenant.Cost // for new hashes; default: tenant.DefaultCost
	HashesAtOnce int         // how many passwords are hashed concurrently; default: 1
	// Logins limits sign-ups and attempts with a password. Sleep delays an attempt; by default it
	// waits for the given time.
	Logins tenant.LoginRates // default: tenant.DefaultLoginRates
	Sleep  func(context.Context, time.Duration) error
	// SignupMode says who may sign up, by default everybody. SignupsEachDay limits the sign-ups
	// from one network in a day; 0 means no limit.
	SignupMode     tenant.SignupMode
	SignupsEachDay int
	MaxKeys        int // maximum number of valid API keys of a tenant; default: DefaultMaxKeys
	// Connections are the identity providers through which people may sign in.
	Connections []Connection
}

// Services are the services over one database. They are safe for concurrent use.
type Services struct {
	Access   *Access
	People   *People
	Operator *Operator
	SignOn   *SignOn
	Factors  *SecondFactors

	*shared
}

// Access authenticates callers: sign-up, sign-in, sessions, accepting invitations, and API keys.
type Access struct {
	*shared

	attempts tenant.Buckets[string]
	slowed   slowed
}

// People serves people in their own tenant: people, roles, invitations, API keys, and the audit
// trail.
type People struct{ *shared }

// Operator serves the operator of the installation, for any tenant.
type Operator struct{ *shared }

// shared is the common part of the services: the database, the settings, and the caches that
// a change must invalidate immediately.
type shared struct {
	core    *operation.Core
	options Options
	hasher  *tenant.Hasher

	keys     *cache.Cache[tenant.KeyHash, credential]
	sessions *cache.Cache[tenant.TokenHash, Session]
	visits   visits
	seen     seen
}

// cacheSize is the maximum number of cached keys, and of cached sessions. Tenants that make no
// requests use no memory here.
const cacheSize = 10_000

// DefaultMaxKeys is the default of Options.MaxKeys.
const DefaultMaxKeys = 100

// New returns the services over the database of core. An option that is zero gets its default, if it has one. New
// refuses a cost of passwords that is out of bounds.
func New(core *operation.Core, o Options) (*Services, error) {
	if len(o.Plans.Names()) == 0 {
		o.Plans = tenant.DefaultPricePlans()
	}
	if o.PasswordCost == (tenant.Cost{}) {
		o.PasswordCost = tenant.DefaultCost()
	}
	if o.HashesAtOnce == 0 {
		o.HashesAtOnce = 1
	}
	if o.Logins == (tenant.LoginRates{}) {
		o.Logins = tenant.DefaultLoginRates()
	}
	if o.Sleep == nil {
		o.Sleep = operation.Sleep
	}
	if o.MaxKeys == 0 {
		o.MaxKeys = DefaultMaxKeys
	}

	hasher, err := tenant.NewHasher(o.PasswordCost, o.HashesAtOnce, core.Random)
	if err != nil {
		return nil, err
	}

	hasher.OnWait(func(ctx context.Context) func() { // give up the slot while waiting for the hasher
		slot := admission.SlotOf(ctx)
		slot.Park() // while this caller waits, other owners need not rest because of it (see package admission)
		return func() { slot.Unpark() }
	})

	s := &shared{core: core, options: o, hasher: hasher}
	s.keys = cache.New(cacheSize, cache.RefreshAfter, core.Now, s.loadCredential)
	s.sessions = cache.New(cacheSize, cache.RefreshAfter, core.Now, s.loadSession)

	access := &Access{shared: s}
	return &Services{
		Access:   access,
		People:   &People{s},
		Operator: &Operator{s},
		SignOn:   &SignOn{shared: s, access: access, connections: o.Connections},
		Factors:  &SecondFactors{shared: s, access: access},
		shared:   s,
	}, nil
}
