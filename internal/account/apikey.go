package account

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// How long a key goes on beside the one that follows it.
const (
	defaultOverlap = 24 * time.Hour
	maxOverlap     = 30 * 24 * time.Hour
)

// NewAPIKey describes a key that somebody wants for their tenant.
type NewAPIKey struct {
	Environment tenant.Environment
	Name        string
	Scopes      tenant.Scopes
	ExpiresAt   time.Time // zero for never
}

// APIKeys lists the tenant's keys of both environments, the ended ones too.
func (s *Service) APIKeys(ctx context.Context, p tenant.Principal) ([]tenant.APIKey, error) {
	if err := p.Require(tenant.Admin); err != nil {
		return nil, err
	}
	return s.Keys(ctx, p.TenantID)
}

// CreateAPIKey makes a key in the name of the caller. It is returned in the
// clear, this once.
func (s *Service) CreateAPIKey(ctx context.Context, p tenant.Principal, n NewAPIKey) (tenant.Key, tenant.APIKey, error) {
	if err := p.Require(tenant.Admin); err != nil {
		return tenant.Key{}, tenant.APIKey{}, err
	}
	if err := s.roomForKey(ctx, p.TenantID); err != nil {
		return tenant.Key{}, tenant.APIKey{}, err
	}
	return s.CreateKey(ctx, NewKey{
		TenantID: p.TenantID, UserID: p.UserID, Environment: n.Environment, Name: n.Name, Scopes: n.Scopes, ExpiresAt: n.ExpiresAt, By: operation.Actor(p),
	})
}

// roomForKey refuses a key too many.
func (s *Service) roomForKey(ctx context.Context, tenantID string) error {
	keys, err := s.Keys(ctx, tenantID)
	if err != nil {
		return err
	}
	now, used := s.core.Now(), 0
	for i := range keys {
		if keys[i].Check(now) == nil {
			used++
		}
	}
	if used >= s.options.MaxKeys {
		return fault.New(fault.Conflict, fault.CodeTooManyKeys, "there are %d API keys in use; revoke one first", used)
	}
	return nil
}

// RevokeAPIKey ends a key for good: on this node at once, on others within a
// second.
func (s *Service) RevokeAPIKey(ctx context.Context, p tenant.Principal, id string) (tenant.APIKey, error) {
	if err := p.Require(tenant.Admin); err != nil {
		return tenant.APIKey{}, err
	}
	if !tenant.Valid(tenant.KindKey, id) {
		return tenant.APIKey{}, operation.Missing("key")
	}
	return s.revokeKey(ctx, p.TenantID, id, operation.Actor(p))
}

func (s *Service) revokeKey(ctx context.Context, tenantID, keyID, by string) (tenant.APIKey, error) {
	now := s.core.Moment()
	revoked, err := s.core.DB.System().RevokeKey(ctx, tenantID, keyID, now.UnixMicro(), s.core.AuditBy(by, "", now, operation.ActionKeyRevoked, keyID, ""))
	if err != nil {
		return tenant.APIKey{}, err
	}
	s.forgetKey(revoked.Hash)
	return apiKey(revoked)
}

// forgetKey makes this node look up a key that has changed at once.
func (s *Service) forgetKey(text string) {
	if hash, err := hex.DecodeString(text); err == nil && len(hash) == len(tenant.KeyHash{}) {
		s.keys.Forget(tenant.KeyHash(hash))
	}
}

// RotateAPIKey makes a key of the same name and scopes as another, for as long
// as that was made for, and lets the other one end after the overlap, a day
// for 0. The new key is the caller's: were it in the name of the old one's
// owner, one person could act as two. It has no scope that the role of the
// caller, or of the old key's owner, does not allow by now: role_too_low when
// none is left.
func (s *Service) RotateAPIKey(ctx context.Context, p tenant.Principal, id string, overlap time.Duration) (tenant.Key, tenant.APIKey, error) {
	if err := p.Require(tenant.Admin); err != nil {
		return tenant.Key{}, tenant.APIKey{}, err
	}
	if overlap == 0 {
		overlap = defaultOverlap
	}
	if overlap < 0 || overlap > maxOverlap {
		return tenant.Key{}, tenant.APIKey{}, operation.Invalid("/overlap", fault.CodeOutOfRange,
			fmt.Sprintf("must be more than nothing and at most %d days", int(maxOverlap.Hours()/24)))
	}
	keys, err := s.Keys(ctx, p.TenantID)
	if err != nil {
		return tenant.Key{}, tenant.APIKey{}, err
	}
	at := slices.IndexFunc(keys, func(k tenant.APIKey) bool { return k.ID == id })
	if at < 0 {
		return tenant.Key{}, tenant.APIKey{}, operation.Missing("key")
	}
	if err := s.roomForKey(ctx, p.TenantID); err != nil {
		return tenant.Key{}, tenant.APIKey{}, err
	}
	old := keys[at]
	for _, user := range []string{p.UserID, old.UserID} {
		role, err := s.belongs(ctx, p.TenantID, user)
		if err != nil {
			return tenant.Key{}, tenant.APIKey{}, err
		}
		old.Scopes = old.Scopes.Within(role.Scopes())
	}
	if old.Scopes == 0 {
		return tenant.Key{}, tenant.APIKey{}, fault.New(fault.Conflict, fault.CodeRoleTooLow,
			"the role of the key's owner no longer allows any scope of this key; create a key with scopes that the role allows, and revoke this one")
	}
	return s.follow(ctx, p, old, overlap)
}

// follow puts a new key in the place of an old one.
func (s *Service) follow(ctx context.Context, p tenant.Principal, old tenant.APIKey, overlap time.Duration) (tenant.Key, tenant.APIKey, error) {
	key, err := tenant.MintKey(old.Environment, s.core.Random)
	if err != nil {
		return tenant.Key{}, tenant.APIKey{}, err
	}
	now := s.core.Moment()
	fresh := store.Key{
		ID: s.core.IDs.New(tenant.KindKey, now), TenantID: p.TenantID, Environment: string(old.Environment), Name: old.Name,
		Prefix: key.Prefix(), Hash: keyHash(tenant.HashKey(key)), Scopes: old.Scopes.String(), CreatedBy: p.UserID,
		CreatedMicros: now.UnixMicro(),
	}
	if !old.ExpiresAt.IsZero() {
		fresh.ExpiresMicros = now.Add(old.ExpiresAt.Sub(old.CreatedAt)).UnixMicro()
	}
	by := operation.Actor(p)
	ends, err := s.core.DB.System().RotateKey(ctx, old.ID, now.Add(overlap).UnixMicro(), fresh,
		s.core.AuditBy(by, fresh.Environment, now, operation.ActionKeyRotated, old.ID, fresh.ID),
		s.core.AuditBy(by, fresh.Environment, now, operation.ActionKeyCreated, fresh.ID, fresh.Name))
	if err != nil {
		return tenant.Key{}, tenant.APIKey{}, err
	}
	s.forgetKey(ends.Hash)
	record, err := apiKey(fresh)
	return key, record, err
}
