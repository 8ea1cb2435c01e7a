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

// The default and the maximum time for which a rotated key stays valid after its successor is
// created.
const (
	defaultOverlap = 24 * time.Hour
	maxOverlap     = 30 * 24 * time.Hour
)

// NewAPIKey describes a key to be created for the caller's tenant.
type NewAPIKey struct {
	Environment tenant.Environment
	Name        string
	Scopes      tenant.Scopes
	ExpiresAt   time.Time // zero for never
}

// APIKeys returns the tenant's keys of both environments. It includes revoked and expired keys as
// far as they fit on one page of store.MaxPage keys.
func (s *People) APIKeys(ctx context.Context, p tenant.Principal) ([]tenant.APIKey, error) {
	if err := p.Require(tenant.Admin); err != nil {
		return nil, err
	}
	return s.keysOf(ctx, p.TenantID)
}

// CreateAPIKey creates a key that belongs to the caller. Only this call returns the key itself.
func (s *People) CreateAPIKey(ctx context.Context, p tenant.Principal, n NewAPIKey) (tenant.Key, tenant.APIKey, error) {
	if err := p.Require(tenant.Admin); err != nil {
		return tenant.Key{}, tenant.APIKey{}, err
	}
	return s.createKey(ctx, NewKey{
		TenantID:    p.TenantID,
		UserID:      p.UserID,
		Environment: n.Environment,
		Name:        n.Name,
		Scopes:      n.Scopes,
		ExpiresAt:   n.ExpiresAt,
		By:          operation.Actor(p),
	})
}

// RevokeAPIKey revokes a key permanently: on this node immediately, on others within a second. It
// returns NotFound if the tenant has no such key.
func (s *People) RevokeAPIKey(ctx context.Context, p tenant.Principal, id string) (tenant.APIKey, error) {
	if err := p.Require(tenant.Admin); err != nil {
		return tenant.APIKey{}, err
	}
	if !tenant.Valid(tenant.KindKey, id) {
		return tenant.APIKey{}, fault.Missing("key")
	}
	return s.revokeKey(ctx, p.TenantID, id, operation.Actor(p))
}

func (s *shared) revokeKey(ctx context.Context, tenantID, keyID, by string) (tenant.APIKey, error) {
	now := s.core.Moment()
	revoked, err := s.core.DB.Accounts().RevokeKey(ctx, tenantID, keyID, now.UnixMicro(),
		s.core.AuditBy(by, "", now, operation.ActionKeyRevoked, keyID, ""))
	if err != nil {
		return tenant.APIKey{}, err
	}

	s.forgetKey(revoked.Hash)
	return apiKey(revoked)
}

// forgetKey removes a changed key from this node's cache. text is the hash of the key in hex.
func (s *shared) forgetKey(text string) {
	if hash, err := hex.DecodeString(text); err == nil && len(hash) == len(tenant.KeyHash{}) {
		s.keys.Forget(tenant.KeyHash(hash))
	}
}

// RotateAPIKey creates a key with the same name, scopes and lifetime as the old key. The old key
// expires after overlap, or after a day if overlap is 0. The new key belongs to the caller: if it
// belonged to the owner of the old key, one person could act as two. The new key has only scopes
// that the roles of the caller and of the old key's owner allow now. If no scope is left,
// RotateAPIKey refuses with role_too_low.
func (s *People) RotateAPIKey(
	ctx context.Context, p tenant.Principal, id string, overlap time.Duration,
) (tenant.Key, tenant.APIKey, error) {
	if err := p.Require(tenant.Admin); err != nil {
		return tenant.Key{}, tenant.APIKey{}, err
	}
	if overlap == 0 {
		overlap = defaultOverlap
	}
	if overlap < 0 || overlap > maxOverlap {
		return tenant.Key{}, tenant.APIKey{}, operation.Invalid("/overlap", fault.CodeOutOfRange,
			fmt.Sprintf("must be greater than 0 and at most %d days", int(maxOverlap.Hours()/24)))
	}

	keys, err := s.keysOf(ctx, p.TenantID)
	if err != nil {
		return tenant.Key{}, tenant.APIKey{}, err
	}

	at := slices.IndexFunc(keys, func(k tenant.APIKey) bool { return k.ID == id })
	if at < 0 {
		return tenant.Key{}, tenant.APIKey{}, fault.Missing("key")
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
			"the role of the key's owner no longer allows any scope of this key; "+
				"create a key with scopes that the role allows, and revoke this one")
	}

	return s.follow(ctx, p, old, overlap)
}

// follow creates the successor of a key and sets the time at which the old key expires.
func (s *People) follow(
	ctx context.Context, p tenant.Principal, old tenant.APIKey, overlap time.Duration,
) (tenant.Key, tenant.APIKey, error) {
	key, err := tenant.MintKey(old.Environment, s.core.Random)
	if err != nil {
		return tenant.Key{}, tenant.APIKey{}, err
	}

	now := s.core.Moment()
	fresh := store.Key{
		ID:            s.core.IDs.New(tenant.KindKey, now),
		TenantID:      p.TenantID,
		Environment:   string(old.Environment),
		Name:          old.Name,
		Prefix:        key.Prefix(),
		Hash:          keyHash(tenant.HashKey(key)),
		Scopes:        old.Scopes.String(),
		CreatedBy:     p.UserID,
		CreatedMicros: now.UnixMicro(),
	}
	if !old.ExpiresAt.IsZero() {
		fresh.ExpiresMicros = now.Add(old.ExpiresAt.Sub(old.CreatedAt)).UnixMicro()
	}

	by := operation.Actor(p)
	ends, err := s.core.DB.Accounts().RotateKey(ctx, old.ID, now.Add(overlap).UnixMicro(), fresh, s.options.MaxKeys,
		s.core.AuditBy(by, fresh.Environment, now, operation.ActionKeyRotated, old.ID, fresh.ID),
		s.core.AuditBy(by, fresh.Environment, now, operation.ActionKeyCreated, fresh.ID, fresh.Name))
	if err != nil {
		return tenant.Key{}, tenant.APIKey{}, err
	}

	s.forgetKey(ends.Hash)
	record, err := apiKey(fresh)
	return key, record, err
}

// createKey creates a key. Only this call returns the key itself.
func (s *shared) createKey(ctx context.Context, n NewKey) (tenant.Key, tenant.APIKey, error) {
	now := s.core.Moment()
	var faults fault.List
	name := tenant.CheckKeyName(&faults, "/name", n.Name)
	if !n.Environment.Valid() {
		faults.Add("/environment", fault.CodeInvalidField, "must be sandbox or live")
	}
	if n.Scopes == 0 {
		faults.Add("/scopes", fault.CodeRequired, "must name at least one scope")
	}
	if !n.ExpiresAt.IsZero() && !n.ExpiresAt.After(now) {
		faults.Add("/expires_at", fault.CodeOutOfRange, "must be in the future")
	}
	if err := faults.Err(); err != nil {
		return tenant.Key{}, tenant.APIKey{}, err
	}

	owner, err := s.belongs(ctx, n.TenantID, n.UserID)
	if err != nil {
		return tenant.Key{}, tenant.APIKey{}, err
	}
	if may := owner.Scopes(); !may.Has(n.Scopes) {
		return tenant.Key{}, tenant.APIKey{}, operation.Invalid("/scopes", fault.CodeInvalidField,
			fmt.Sprintf("the role of the person, %s, allows only %s; "+
				"name fewer scopes or give the person another role", owner, may))
	}

	key, err := tenant.MintKey(n.Environment, s.core.Random)
	if err != nil {
		return tenant.Key{}, tenant.APIKey{}, err
	}

	by := n.By
	if by == "" {
		by = operation.ActorOperator
	}

	record := store.Key{
		ID:            s.core.IDs.New(tenant.KindKey, now),
		TenantID:      n.TenantID,
		Environment:   string(n.Environment),
		Name:          name,
		Prefix:        key.Prefix(),
		Hash:          keyHash(tenant.HashKey(key)),
		Scopes:        n.Scopes.String(),
		CreatedBy:     n.UserID,
		CreatedMicros: now.UnixMicro(),
		ExpiresMicros: operation.Micros(n.ExpiresAt),
	}
	if err := s.core.DB.Accounts().InsertKey(ctx, record, s.options.MaxKeys,
		s.core.AuditBy(by, record.Environment, now, operation.ActionKeyCreated, record.ID, name)); err != nil {
		return tenant.Key{}, tenant.APIKey{}, err
	}

	shown, err := apiKey(record)
	return key, shown, err
}

// belongs returns the role of a user, or NotFound if the user is not in the tenant. The owner of a
// key must be in the tenant, because the owner of a key counts as a person who can activate.
func (s *shared) belongs(ctx context.Context, tenantID, userID string) (tenant.Role, error) {
	users, err := s.core.DB.Staff(tenantID).Users(ctx)
	if err != nil {
		return "", err
	}

	for _, u := range users {
		if u.ID == userID {
			return tenant.Role(u.Role), nil
		}
	}

	return "", fault.Missing("user of this tenant")
}

// keysOf returns a tenant's keys of both environments. It includes revoked and expired keys as far
// as they fit on one page of store.MaxPage keys.
func (s *shared) keysOf(ctx context.Context, tenantID string) ([]tenant.APIKey, error) {
	rows, err := s.core.DB.Accounts().ListKeys(ctx, tenantID, s.core.Moment().UnixMicro())
	if err != nil {
		return nil, err
	}

	list := make([]tenant.APIKey, len(rows))
	for i, k := range rows {
		if list[i], err = apiKey(k); err != nil {
			return nil, err
		}
	}

	return list, nil
}
