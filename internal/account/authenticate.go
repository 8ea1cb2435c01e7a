package account

import (
	"context"
	"encoding/hex"
	"fmt"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// credential is a stored key with the plan of its tenant.
type credential struct {
	key  tenant.APIKey
	plan tenant.PricePlan
	hash string
	seen bool // the tenant is already recorded as used
}

// Authenticate returns the caller that owns a key. It refuses with unauthenticated, key_revoked or
// key_expired. A revocation takes effect within a second.
func (s *Access) Authenticate(ctx context.Context, key tenant.Key) (tenant.Principal, error) {
	c, err := s.keys.Get(ctx, tenant.HashKey(key))
	if err != nil {
		return tenant.Principal{}, err
	}

	now := s.core.Now()
	if err := c.key.Check(now); err != nil {
		return tenant.Principal{}, err
	}
	if c.key.Environment != key.Environment() {
		return tenant.Principal{}, tenant.Unauthenticated()
	}
	if !c.seen {
		s.visits.greet(c.key.TenantID)
	}
	if c.key.Stale(now) {
		s.visits.touch(c.hash, now.UnixMicro())
	}

	return c.key.Principal(c.plan), nil
}

// Known returns the caller that owns a key if the key is cached and valid. Otherwise it returns false, and
// Authenticate must be called. Known does not count as a use of the key.
func (s *Access) Known(key tenant.Key) (tenant.Principal, bool) {
	c, ok := s.keys.Peek(tenant.HashKey(key))
	if !ok || c.key.Environment != key.Environment() || c.key.Check(s.core.Now()) != nil {
		return tenant.Principal{}, false
	}
	return c.key.Principal(c.plan), true
}

func (s *shared) loadCredential(ctx context.Context, hash tenant.KeyHash) (credential, error) {
	text := keyHash(hash)
	key, owner, err := s.core.DB.Accounts().KeyByHash(ctx, text)
	if fault.KindOf(err) == fault.NotFound {
		return credential{}, tenant.Unauthenticated()
	}
	if err != nil {
		return credential{}, err
	}
	if closed(owner) {
		return credential{}, tenant.Unauthenticated()
	}

	record, err := apiKey(key)
	if err != nil {
		return credential{}, err
	}

	record.Scopes = tenant.Role(key.OwnerRole).Allow(record.Scopes, key.OwnerDisabledMicros == 0)
	plan, err := s.planOf(owner)
	return credential{
		key:  record,
		plan: plan,
		hash: text,
		seen: owner.SeenMicros != 0,
	}, err
}

// closed reports whether a tenant is about to be removed because nobody has used it.
func closed(t store.Tenant) bool { return t.ClosingMicros != 0 && t.SeenMicros == 0 }

func (s *shared) planOf(owner store.Tenant) (tenant.PricePlan, error) {
	plan, ok := s.options.Plans.Get(owner.Plan)
	if !ok {
		return tenant.PricePlan{}, fmt.Errorf("tenant %s is on the plan %q, which this installation does not have",
			owner.ID, owner.Plan)
	}
	return plan, nil
}

// keyHash returns a key's hash in the form in which it is stored.
func keyHash(hash tenant.KeyHash) string { return hex.EncodeToString(hash[:]) }

// apiKey converts a stored key.
func apiKey(k store.Key) (tenant.APIKey, error) {
	environment, ok := tenant.ParseEnvironment(k.Environment)
	if !ok {
		return tenant.APIKey{}, fmt.Errorf("key %s has no environment", k.ID)
	}

	scopes, err := tenant.ParseScopes(k.Scopes)
	if err != nil {
		return tenant.APIKey{}, fmt.Errorf("key %s: %w", k.ID, err)
	}

	return tenant.APIKey{
		ID:          k.ID,
		TenantID:    k.TenantID,
		UserID:      k.CreatedBy,
		Environment: environment,
		Name:        k.Name,
		Prefix:      k.Prefix,
		Scopes:      scopes,
		CreatedAt:   operation.Time(k.CreatedMicros),
		ExpiresAt:   operation.Time(k.ExpiresMicros),
		RevokedAt:   operation.Time(k.RevokedMicros),
		LastUsedAt:  operation.Time(k.LastUsedMicros),
	}, nil
}
