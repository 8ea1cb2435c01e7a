package store

import (
	"cmp"
	"context"
	"slices"

	"verdict/internal/fault"
)

// Key is an API key as it is kept: its hash, never the key.
type Key struct {
	ID             string
	TenantID       string
	Environment    string
	Name           string
	Prefix         string // the first characters, for people to recognise it by
	Hash           string
	Role           string
	Scopes         string // separated by spaces
	CreatedBy      string // the user whose key it is
	CreatedMicros  int64
	ExpiresMicros  int64 // 0: never
	RevokedMicros  int64 // 0: not revoked
	LastUsedMicros int64 // 0: not yet

	OwnerRole           string // told by KeyByHash
	OwnerDisabledMicros int64  // told by KeyByHash; 0: can sign in
}

const keyColumns = `k.id, k.tenant_id, k.environment, k.name, k.prefix, k.hash, k.role, k.scopes,
	k.created_by, k.created_micros, k.expires_micros, k.revoked_micros, k.last_used_micros`

func (k *Key) fields() []any {
	return []any{&k.ID, &k.TenantID, &k.Environment, &k.Name, &k.Prefix, &k.Hash, &k.Role, &k.Scopes,
		&k.CreatedBy, &k.CreatedMicros, &k.ExpiresMicros, &k.RevokedMicros, &k.LastUsedMicros}
}

// KeyByHash finds a key and its tenant. A revoked or expired key is found too:
// what it is refused with is for the caller to say.
func (sys *System) KeyByHash(ctx context.Context, hash string) (Key, Tenant, error) {
	var k Key
	var t Tenant
	err := sys.read(ctx, func(s *session) error {
		dest := slices.Concat(k.fields(), []any{&k.OwnerRole, &k.OwnerDisabledMicros}, t.fields())
		return oneOf("key", s.one(dest, "SELECT "+keyColumns+`, coalesce(u.role, ''), coalesce(u.disabled_micros, 0),
			`+tenantColumns+`
			FROM api_keys k JOIN tenants t ON t.id = k.tenant_id
			LEFT JOIN users u ON u.tenant_id = k.tenant_id AND u.id = k.created_by WHERE k.hash = $1`, hash))
	})
	return k, t, err
}

// InsertKey adds a key to a tenant: NotFound when there is no such tenant.
func (sys *System) InsertKey(ctx context.Context, key Key, audit AuditEntry) error {
	return sys.write(ctx, key.TenantID, func(s *session) error {
		if _, err := tenantByID(s, key.TenantID); err != nil {
			return err
		}
		if err := insertKey(s, key); err != nil {
			return err
		}
		return s.within(key.TenantID, key.Environment).Audit().Add(audit)
	})
}

func insertKey(s *session, k Key) error {
	_, err := s.exec(`INSERT INTO api_keys (tenant_id, environment, id, name, prefix, hash, role, scopes,
		created_by, created_micros, expires_micros, revoked_micros, last_used_micros)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		k.TenantID, k.Environment, k.ID, k.Name, k.Prefix, k.Hash, k.Role, k.Scopes,
		k.CreatedBy, k.CreatedMicros, k.ExpiresMicros, k.RevokedMicros, k.LastUsedMicros)
	return err
}

// RevokeKey ends a key of a tenant for good. Revoking it again keeps the first
// time and writes no audit entry; another tenant's key is NotFound.
func (sys *System) RevokeKey(ctx context.Context, tenantID, keyID string, nowMicros int64, audit AuditEntry) (Key, error) {
	var k Key
	err := sys.write(ctx, tenantID, func(s *session) error {
		if err := s.one(k.fields(), "SELECT "+keyColumns+" FROM api_keys k WHERE k.tenant_id = $1 AND k.id = $2"+
			s.db.dialect.forUpdate(), tenantID, keyID); err != nil {
			return oneOf("key", err)
		}
		if k.RevokedMicros != 0 {
			return nil
		}
		k.RevokedMicros = nowMicros
		if _, err := s.exec("UPDATE api_keys SET revoked_micros = $3 WHERE tenant_id = $1 AND id = $2",
			tenantID, keyID, nowMicros); err != nil {
			return err
		}
		return s.within(tenantID, k.Environment).Audit().Add(audit)
	})
	return k, err
}

// RotateKey puts a key of a tenant beside another one, which then ends at a
// time, or when it was to end anyway if that is sooner. NotFound when the other
// is not the tenant's; Conflict key_not_active when it has ended already.
func (sys *System) RotateKey(ctx context.Context, oldID string, endsMicros int64, fresh Key, audit ...AuditEntry) (Key, error) {
	var old Key
	err := sys.write(ctx, fresh.TenantID, func(s *session) error {
		if err := s.one(old.fields(), "SELECT "+keyColumns+" FROM api_keys k WHERE k.tenant_id = $1 AND k.environment = $2 AND k.id = $3"+
			s.db.dialect.forUpdate(), fresh.TenantID, fresh.Environment, oldID); err != nil {
			return oneOf("key", err)
		}
		ended := old.ExpiresMicros != 0 && old.ExpiresMicros <= fresh.CreatedMicros
		if old.RevokedMicros != 0 || ended {
			return fault.New(fault.Conflict, fault.CodeKeyNotActive,
				"this API key was revoked or has expired; create a new one")
		}
		if old.ExpiresMicros == 0 || old.ExpiresMicros > endsMicros {
			old.ExpiresMicros = endsMicros
		}
		if _, err := s.exec("UPDATE api_keys SET expires_micros = $4 WHERE tenant_id = $1 AND environment = $2 AND id = $3",
			fresh.TenantID, fresh.Environment, oldID, old.ExpiresMicros); err != nil {
			return err
		}
		if err := insertKey(s, fresh); err != nil {
			return err
		}
		return s.within(fresh.TenantID, fresh.Environment).Audit().Add(audit...)
	})
	return old, err
}

// ListKeys returns a tenant's keys of both environments, oldest first, those
// that have ended included. Beyond MaxPage of them the ended ones are left out
// first, then those that are to expire, the oldest of each.
func (sys *System) ListKeys(ctx context.Context, tenantID string, nowMicros int64) ([]Key, error) {
	var keys []Key
	err := sys.read(ctx, func(s *session) error {
		keys = nil
		return s.each(func(scan func(...any) error) error {
			var k Key
			err := scan(k.fields()...)
			keys = append(keys, k)
			return err
		}, "SELECT "+keyColumns+` FROM api_keys k WHERE k.tenant_id = $1
			ORDER BY CASE WHEN k.revoked_micros <> 0 OR k.expires_micros <> 0 AND k.expires_micros <= $3 THEN 2
				WHEN k.expires_micros <> 0 THEN 1 ELSE 0 END, k.created_micros DESC, k.id DESC LIMIT $2`,
			tenantID, int64(MaxPage), nowMicros)
	})
	slices.SortFunc(keys, func(a, b Key) int {
		return cmp.Or(cmp.Compare(a.CreatedMicros, b.CreatedMicros), cmp.Compare(a.ID, b.ID))
	})
	return keys, err
}

// LivingKeys are the ids of all keys of a person that still work, however many.
func (sys *System) LivingKeys(ctx context.Context, tenantID, userID string, nowMicros int64) (ids []string, err error) {
	err = sys.read(ctx, func(s *session) error {
		ids = nil
		return s.each(func(scan func(...any) error) error {
			var id string
			err := scan(&id)
			ids = append(ids, id)
			return err
		}, `SELECT k.id FROM api_keys k WHERE k.tenant_id = $1 AND k.created_by = $2 AND k.revoked_micros = 0
			AND (k.expires_micros = 0 OR k.expires_micros > $3) ORDER BY k.id`, tenantID, userID, nowMicros)
	})
	return ids, err
}

// KeyOwner is the user whose key it is, "" when the key is not of this scope.
func (tx *Tx) KeyOwner(keyID string) (userID string, err error) {
	err = tx.one([]any{&userID}, "SELECT created_by FROM api_keys WHERE tenant_id = $1 AND environment = $2 AND id = $3", keyID)
	return userID, ignoreAbsent(err)
}

// Touch is when a key was last used.
type Touch struct {
	Hash       string
	UsedMicros int64
}

// TouchKeys notes when keys were last used, many in one transaction, and never
// moves a time back. Callers gather touches; this is not for every request.
func (sys *System) TouchKeys(ctx context.Context, touches []Touch) error {
	if len(touches) == 0 {
		return nil
	}
	// In a fixed order, so that two nodes cannot lock the rows crosswise.
	touches = slices.SortedFunc(slices.Values(touches), func(a, b Touch) int { return cmp.Compare(a.Hash, b.Hash) })
	return sys.write(ctx, "touch keys", func(s *session) error {
		for _, touch := range touches {
			if _, err := s.exec("UPDATE api_keys SET last_used_micros = $2 WHERE hash = $1 AND last_used_micros < $2",
				touch.Hash, touch.UsedMicros); err != nil {
				return err
			}
		}
		return nil
	})
}
