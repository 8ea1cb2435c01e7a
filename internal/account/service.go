package account

import (
	"context"
	"time"

	"verdict/internal/admission"
	"verdict/internal/cache"
	"verdict/internal/operation"
	"verdict/internal/tenant"
)

// Options are what the services need besides their core. A zero field takes its default.
type Options struct {
	Plans        tenant.Plans // tenant.DefaultPlans
	Passwords    tenant.PasswordRules
	PasswordCost tenant.Cost // of new hashes; tenant.DefaultCost
	HashesAtOnce int         // passwords hashed at once; 1
	// Logins bounds what people may try who are not signed in, and Sleep has
	// those wait who are slowed down; by default they really do.
	Logins tenant.LoginRates // tenant.DefaultLoginRates
	Sleep  func(context.Context, time.Duration) error
	// SignupMode says who may sign up, by default everybody, and SignupsEachDay
	// how many may from one address, 0 for any number.
	SignupMode     tenant.SignupMode
	SignupsEachDay int
	MaxKeys        int // API keys of a tenant in use; DefaultMaxKeys
}

// Services are the three services of the room over one database. They are safe for
// concurrent use.
type Services struct {
	Access   *Access
	People   *People
	Operator *Operator

	*shared
}

// Access is how callers come in: sign-up, sign-in, sessions, invitations that are
// accepted, and the authentication of API keys.
type Access struct {
	*shared

	attempts tenant.Buckets[string]
	slowed   slowed
}

// People is what administrators do in their own tenant: people, roles, invitations, API
// keys, and the audit trail.
type People struct{ *shared }

// Operator is what the operator of the installation does with any tenant.
type Operator struct{ *shared }

// shared is what the three services have in common: the database, the settings, and the
// caches that a change must reach at once.
type shared struct {
	core    *operation.Core
	options Options
	hasher  *tenant.Hasher

	keys     *cache.Cache[tenant.KeyHash, credential]
	sessions *cache.Cache[tenant.TokenHash, Session]
	visits   visits
	seen     seen
}

// cacheSize bounds the keys and the sessions that are kept: a tenant that does not
// call costs nothing.
const cacheSize = 10_000

// DefaultMaxKeys is how many API keys of a tenant may be in use.
const DefaultMaxKeys = 100

// New makes the three services.
func New(core *operation.Core, o Options) (*Services, error) {
	if len(o.Plans.Names()) == 0 {
		o.Plans = tenant.DefaultPlans()
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
		o.Sleep = sleep
	}
	if o.MaxKeys == 0 {
		o.MaxKeys = DefaultMaxKeys
	}

	hasher, err := tenant.NewHasher(o.PasswordCost, o.HashesAtOnce, core.Random)
	if err != nil {
		return nil, err
	}

	hasher.OnWait(func(ctx context.Context) func() { // in line, nobody needs a processor
		slot := admission.SlotOf(ctx)
		slot.Pause()
		return func() { slot.Resume() }
	})

	s := &shared{core: core, options: o, hasher: hasher}
	s.keys = cache.New(cacheSize, cache.RefreshAfter, core.Now, s.loadCredential)
	s.sessions = cache.New(cacheSize, cache.RefreshAfter, core.Now, s.loadSession)

	return &Services{
		Access:   &Access{shared: s},
		People:   &People{s},
		Operator: &Operator{s},
		shared:   s,
	}, nil
}
