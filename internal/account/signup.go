package account

import (
	"context"
	"sync"
	"time"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// SignedUp is the result of a signup. It contains the first key, which cannot be shown again.
type SignedUp struct {
	Key           tenant.Key
	KeyID         string
	Tenant        tenant.Tenant
	UserID, Email string
	RuleSetID     string // the default policy in the sandbox
}

// Signup creates a tenant with its first user and a first key for the sandbox. In the sandbox the
// default policy is active from the start. In live the same policy is a draft: lending begins when
// somebody activates it. The operator needs no invite code, and the tenant is not removed if nobody
// uses it.
func (s *Operator) Signup(ctx context.Context, ask tenant.Signup) (SignedUp, error) {
	if err := s.checkSignup(ask); err != nil {
		return SignedUp{}, err
	}
	return s.signUp(ctx, ask.Normalised(), "", s.core.Moment())
}

func (s *shared) checkSignup(ask tenant.Signup) error {
	var faults fault.List
	ask.Check(&faults, s.options.Passwords)
	return faults.Err()
}

// SignupRules returns the rules for the password of a signup. It refuses with signup_closed if
// nobody may sign up. SignupFrom makes this check before all others.
func (s *Access) SignupRules() (tenant.PasswordRules, error) {
	if s.options.SignupMode == tenant.SignupClosed {
		return tenant.PasswordRules{}, fault.New(fault.Forbidden, fault.CodeSignupClosed,
			"signup is closed; ask the operator of this service to create a tenant")
	}
	return s.options.Passwords, nil
}

// SignupFrom creates a tenant like Signup, for a client at a network address. Depending on the
// signup mode, it refuses with signup_closed, invite_code_required or invalid_invite_code. After
// too many signups from one network in a day it refuses with rate_limited (a *Throttled).
func (s *Access) SignupFrom(ctx context.Context, ask tenant.Signup, address string) (SignedUp, error) {
	if _, err := s.SignupRules(); err != nil {
		return SignedUp{}, err
	}

	err := s.checkSignup(ask)
	if err != nil {
		return SignedUp{}, err
	}
	ask = ask.Normalised()

	code := ""
	if s.options.SignupMode == tenant.SignupInvite {
		if ask.Invite.Reveal() == "" {
			return SignedUp{}, fault.New(fault.Forbidden, fault.CodeInviteCodeRequired,
				"signup needs an invite_code; ask the operator of this service for one")
		}
		token, _ := tenant.ParseToken(ask.Invite.Reveal()) // a malformed code is refused like an unknown one
		code = tenant.HashToken(token).String()
	}
	if n := s.options.SignupsEachDay; n > 0 {
		today := "signups of " + network(address)
		rate := tenant.Rate{Allowance: n, Window: 24 * time.Hour, Burst: n}
		if _, wait, ok := s.attempts.Take(today, rate, s.core.Now()); !ok {
			return SignedUp{}, &Throttled{RetryAfter: wait, refusal: fault.New(fault.Limited, fault.CodeRateLimited,
				"at most %d tenants a day can be created from one address; try again later", n)}
		}
		defer func() {
			if err != nil {
				s.attempts.Return(today) // count only tenants that were created
			}
		}()
	}

	signed, err := s.signUp(ctx, ask, code, time.Time{})
	if fault.CodeOf(err) == fault.CodeEmailTaken {
		err = fault.New(fault.Conflict, fault.CodeEmailTaken,
			"this e-mail address has an account already: sign in to the console at /console and create another key "+
				"there, sign up with another address, or ask the operator for a key; if you run the service yourself, "+
				"run in its folder: verdict tenant key create -env sandbox")
	}
	return signed, err
}

// SignupMode returns who may sign up.
func (s *Access) SignupMode() tenant.SignupMode { return s.options.SignupMode }

// MinPassword returns the minimum number of characters of a new password.
func (s *Access) MinPassword() int { return s.options.Passwords.Least() }

// InviteToSignup creates a code that allows one signup. Only this call returns the code.
func (s *Operator) InviteToSignup(ctx context.Context, life time.Duration) (tenant.Token, time.Time, error) {
	token, err := tenant.MintToken(s.core.Random)
	if err != nil {
		return tenant.Token{}, time.Time{}, err
	}

	now := s.core.Moment()
	ends := now.Add(life)
	return token, ends, s.core.DB.Accounts().AddSignupCode(ctx, store.SignupCode{
		Hash: tenant.HashToken(token).String(), CreatedMicros: now.UnixMicro(), ExpiresMicros: ends.UnixMicro(),
	})
}

// signUp creates a tenant. seen is when the tenant was first used, or the zero time if it has not
// been used yet.
func (s *shared) signUp(ctx context.Context, ask tenant.Signup, code string, seen time.Time) (SignedUp, error) {
	hash, err := s.hasher.Hash(ctx, ask.Password)
	if err != nil {
		return SignedUp{}, err
	}

	key, err := tenant.MintKey(tenant.Sandbox, s.core.Random)
	if err != nil {
		return SignedUp{}, err
	}

	now := s.core.Moment()
	out := SignedUp{
		Key:    key,
		KeyID:  s.core.IDs.New(tenant.KindKey, now),
		UserID: s.core.IDs.New(tenant.KindUser, now),
		Email:  ask.Email,
		Tenant: tenant.Tenant{
			ID:        s.core.IDs.New(tenant.KindTenant, now),
			OrgName:   ask.OrgName,
			Plan:      tenant.FreePlan,
			CreatedAt: now,
		},
	}

	sandbox := s.seed(tenant.Sandbox, now)
	out.RuleSetID = sandbox.RuleSets[0].ID
	sandbox.Audit = append(sandbox.Audit,
		s.core.AuditBy(out.UserID, string(tenant.Sandbox), now, operation.ActionSignedUp, out.Tenant.ID, ""),
		s.core.AuditBy(out.UserID, string(tenant.Sandbox), now, operation.ActionKeyCreated, out.KeyID, ""))
	return out, s.core.DB.Accounts().CreateTenant(ctx, store.Seed{
		CodeHash: code,
		Tenant: store.Tenant{
			ID:            out.Tenant.ID,
			OrgName:       ask.OrgName,
			Plan:          tenant.FreePlan,
			CreatedMicros: now.UnixMicro(),
			SeenMicros:    operation.Micros(seen),
		},
		User: store.User{
			ID:            out.UserID,
			TenantID:      out.Tenant.ID,
			Email:         ask.Email,
			PasswordHash:  hash.Reveal(),
			Role:          string(tenant.RoleAdmin),
			CreatedMicros: now.UnixMicro(),
		},
		Keys: []store.Key{{
			ID:            out.KeyID,
			TenantID:      out.Tenant.ID,
			Environment:   string(tenant.Sandbox),
			Name:          "signup",
			Prefix:        key.Prefix(),
			Hash:          keyHash(tenant.HashKey(key)),
			Role:          string(tenant.RoleAdmin),
			Scopes:        tenant.Admin.String(),
			CreatedBy:     out.UserID,
			CreatedMicros: now.UnixMicro(),
		}},
		Environments: []store.SeedEnvironment{sandbox, s.seed(tenant.Live, now)},
	})
}

// seed returns the rule sets, scorecard and audit entries that an environment starts with.
func (s *shared) seed(e tenant.Environment, now time.Time) store.SeedEnvironment {
	starting, paused := seeds()
	out := store.SeedEnvironment{Environment: string(e)}
	for _, policy := range []*engine.Policy{starting, paused} {
		set := store.RuleSet{
			ID:            s.core.IDs.New(tenant.KindPolicy, now),
			PolicyKey:     policy.Key,
			Name:          policy.Name,
			Status:        store.StatusDraft,
			Document:      policy.Document(),
			Checksum:      policy.Checksum(),
			CreatedMicros: now.UnixMicro(),
			CreatedBy:     operation.ActorSystem,
		}
		entry := s.core.AuditBy(operation.ActorSystem, string(e), now, operation.ActionRuleSetCreated, set.ID, "")
		if policy == starting && e == tenant.Sandbox {
			set.Status = store.StatusActive
			entry.Action = operation.ActionRuleSetActivated
		}

		entry.AfterChecksum = set.Checksum
		if policy == paused {
			out.SafeID = set.ID
		}

		out.RuleSets = append(out.RuleSets, set)
		out.Audit = append(out.Audit, entry)
	}

	card := *starting.Scorecard
	card.Name = "default"
	out.Scorecards = append(out.Scorecards, store.Scorecard{
		ID:            s.core.IDs.New(tenant.KindScorecard, now),
		Name:          card.Name,
		Document:      card.Document(),
		Checksum:      card.Checksum(),
		CreatedMicros: now.UnixMicro(),
		CreatedBy:     operation.ActorSystem,
	})
	return out
}

// safeMode is a policy that approves nobody. Activating it stops lending.
const safeMode = `{"name":"SAFE_MODE","include_defaults":false,"knockouts":` +
	`[{"id":"SAFE_MODE","stage":1,"action":"refer",` +
	`"reason_code":"PAUSED","message":"Lending is paused","condition_ast":{"op":"true"}}]}`

// seeds returns the policies of a new environment: the default policy, and safeMode. safeMode inherits from the
// default policy all members that it does not set itself.
var seeds = sync.OnceValues(func() (starting, paused *engine.Policy) {
	starting = engine.DefaultPolicy()
	base, err := wire.Parse(starting.Document())
	if err != nil {
		panic("the default policy's document: " + err.Error())
	}

	stop, err := wire.Parse([]byte(safeMode))
	if err != nil {
		panic("the safe mode policy: " + err.Error())
	}

	merged, _ := engine.Inherit(stop, base)
	if paused, err = engine.ParsePolicy(merged, engine.Sources{Catalogue: field.Catalogue()}); err != nil {
		panic("the safe mode policy: " + err.Error())
	}

	return starting, paused
})
