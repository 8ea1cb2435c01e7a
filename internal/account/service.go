// Package account knows who calls: tenants and their plans, people and their roles,
// sign-up, sign-in and sessions, invitations, API keys, the audit trail, and what the
// operator does about all of them. It knows no policy and no decision, except for the
// policies that a new tenant starts with.
//
// The operations. Each checks what the caller may do first (Forbidden); besides the
// errors named here any may fail with one of storage.
//
//	Signup, SignupFrom, OpenAccount
//	    create a tenant: Invalid with every fault, email_taken, signup_closed,
//	    invite_code_required, invalid_invite_code, rate_limited (a *Throttled)
//	SignIn, SignInAt
//	    begin a session: invalid_credentials, login_throttled (a *Throttled)
//	SessionOf, Sessions, SignOut, RevokeSession, RevokeOtherSessions
//	    find and end sessions: session_ended, NotFound
//	Remember
//	    marks a browser in which somebody signed in
//	ChangePassword
//	    wrong_password, login_throttled, session_ended, Invalid
//	People, SetRole, DisableUser, EnableUser
//	    a tenant's people: last_admin, NotFound, Invalid
//	ConfirmActivator
//	    lets somebody activate at once: second_person_required, nothing_to_confirm
//	MayActivate
//	    refuses who may not activate a rule set: second_person_required
//	Invite, Invitations, RevokeInvitation, Invitation, AcceptInvitation
//	    email_taken, invitation_ended, NotFound, Invalid
//	Authenticate
//	    finds who calls with a key: unauthenticated, key_revoked, key_expired
//	APIKeys, CreateAPIKey, RotateAPIKey, RevokeAPIKey
//	    too_many_keys, role_too_low, NotFound, Invalid
//	Audit, ExportAudit
//	    the trail of what was done: invalid_cursor
//	Mark, Marked
//	    recognise a text that was shown to a person
//
// The operator's, who needs no scope:
//
//	Tenants, Tenant, SetPlan, Users, CreateUser, ResetPassword, Keys, CreateKey,
//	RevokeKey, InviteToSignup
//	    NotFound, Invalid, email_taken
//
// Flush and Purge are the background work of the room.
package account

import (
	"context"
	"time"

	"verdict/internal/admission"
	"verdict/internal/cache"
	"verdict/internal/operation"
	"verdict/internal/tenant"
)

// Options are what a Service needs besides its core. A zero field takes its default.
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

// Service is the operations on accounts. It is safe for concurrent use.
type Service struct {
	core    *operation.Core
	options Options
	hasher  *tenant.Hasher

	keys     *cache.Cache[tenant.KeyHash, credential]
	sessions *cache.Cache[tenant.TokenHash, Session]
	visits   visits
	seen     seen
	doors    tenant.Buckets[string]
	slowed   slowed
}

// cacheSize bounds the keys and the sessions that are kept: a tenant that does not
// call costs nothing.
const cacheSize = 10_000

// DefaultMaxKeys is how many API keys of a tenant may be in use.
const DefaultMaxKeys = 100

// New makes the room.
func New(core *operation.Core, o Options) (*Service, error) {
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
	s := &Service{core: core, options: o, hasher: hasher}
	s.keys = cache.New(cacheSize, cache.RefreshAfter, core.Now, s.loadCredential)
	s.sessions = cache.New(cacheSize, cache.RefreshAfter, core.Now, s.loadSession)
	return s, nil
}
