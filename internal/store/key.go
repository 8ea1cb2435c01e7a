package store

import (
	"cmp"
	"context"
	"slices"

	"verdict/internal/evidence"
	"verdict/internal/fault"
	"verdict/internal/sealing"
	"verdict/internal/wire"
)

// Key is an API key as it is stored: its hash, never the key itself.
type Key struct {
	ID             string
	TenantID       string
	Environment    string
	Name           string
	Prefix         string // the first characters, by which people recognise the key
	Hash           string
	Role           string
	Scopes         string // separated by spaces
	CreatedBy      string // the user who owns the key
	CreatedMicros  int64
	ExpiresMicros  int64 // 0: never
	RevokedMicros  int64 // 0: not revoked
	LastUsedMicros int64 // 0: never used

	OwnerRole           string // set by KeyByHash and KeyByID
	OwnerDisabledMicros int64  // set by KeyByHash and KeyByID; 0 if the owner can sign in
}

const keyColumns = `k.id, k.tenant_id, k.environment, k.name, k.prefix, k.hash, k.role, k.scopes,
	k.created_by, k.created_micros, k.expires_micros, k.revoked_micros, k.last_used_micros`

func (k *Key) fields() []any {
	return []any{&k.ID, &k.TenantID, &k.Environment, &k.Name, &k.Prefix, &k.Hash, &k.Role, &k.Scopes,
		&k.CreatedBy, &k.CreatedMicros, &k.ExpiresMicros, &k.RevokedMicros, &k.LastUsedMicros}
}

// KeyByHash returns a key and its tenant, NotFound if there is no such key. It also
// returns revoked and expired keys; the caller decides how to refuse them.
func (a *Accounts) KeyByHash(ctx context.Context, hash string) (Key, Tenant, error) {
	var k Key
	var t Tenant
	err := a.read(ctx, func(s *transaction) error {
		dest := slices.Concat(k.fields(), []any{&k.OwnerRole, &k.OwnerDisabledMicros}, t.fields())
		return orNotFound("key",
			s.one(dest, "SELECT "+keyColumns+`, coalesce(u.role, ''), coalesce(u.disabled_micros, 0),
			`+tenantColumns+`
			FROM api_keys k JOIN tenants t ON t.id = k.tenant_id
			LEFT JOIN users u ON u.tenant_id = k.tenant_id AND u.id = k.created_by WHERE k.hash = $1`, hash))
	})
	return k, t, err
}

// KeyByID returns a key of a tenant with the role of its owner, even if the key was revoked or has expired. It returns
// NotFound if there is no such key.
func (a *Accounts) KeyByID(ctx context.Context, tenantID, id string) (Key, error) {
	var k Key
	err := a.read(ctx, func(s *transaction) error {
		return orNotFound("key", s.one(append(k.fields(), &k.OwnerRole, &k.OwnerDisabledMicros),
			"SELECT "+keyColumns+`, coalesce(u.role, ''), coalesce(u.disabled_micros, 0) FROM api_keys k
			LEFT JOIN users u ON u.tenant_id = k.tenant_id AND u.id = k.created_by
			WHERE k.tenant_id = $1 AND k.id = $2`, tenantID, id))
	})
	return k, err
}

// InsertKey adds a key to a tenant. It returns NotFound if there is no such tenant or no such owner in it, Conflict
// invalid_transition if the owner is disabled, and Conflict too_many_keys if the tenant already has the maximum
// number of working keys. Parameter "most" is this maximum, for both environments together.
func (a *Accounts) InsertKey(ctx context.Context, key Key, most int, audit AuditEntry) error {
	return a.writeIn(ctx, key.TenantID, key.Environment, func(s *transaction) error {
		if err := lockTenant(s, key.TenantID); err != nil {
			return err
		}
		if err := checkOwner(s, key); err != nil {
			return err
		}
		if err := roomForKey(s, key, most); err != nil {
			return err
		}
		if err := insertKey(s, key, audit.Actor); err != nil {
			return err
		}
		return s.within(key.TenantID, key.Environment).Audit().Add(audit)
	})
}

// insertKey stores a key that actor creates, and adds its entry to the journal.
func insertKey(s *transaction, k Key, actor string) error {
	if _, err := s.within(k.TenantID, k.Environment).record(k.created(actor)); err != nil {
		return err
	}
	_, err := s.exec(`INSERT INTO api_keys (tenant_id, environment, id, name, prefix, hash, role, scopes,
		created_by, created_micros, expires_micros, revoked_micros, last_used_micros)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		k.TenantID, k.Environment, k.ID, k.Name, k.Prefix, k.Hash, k.Role, k.Scopes,
		k.CreatedBy, k.CreatedMicros, k.ExpiresMicros, k.RevokedMicros, k.LastUsedMicros)
	return err
}

// checkOwner returns Conflict invalid_transition if the owner of a new key is
// disabled, and NotFound if the tenant has no such person. The caller has locked
// the tenant, so that no other transaction disables the owner and revokes the
// owner's keys before this one commits.
func checkOwner(s *transaction, k Key) error {
	var disabledMicros int64
	err := s.one([]any{&disabledMicros}, "SELECT disabled_micros FROM users WHERE tenant_id = $1 AND id = $2",
		k.TenantID, k.CreatedBy)
	switch {
	case err != nil:
		return orNotFound("user", err)
	case disabledMicros != 0:
		return fault.New(fault.Conflict, fault.CodeInvalidTransition,
			"the owner of this API key is disabled; enable the person's access first, or choose another owner")
	}
	return nil
}

// roomForKey returns Conflict too_many_keys if the tenant of a new key already has the maximum number of keys that
// work when the new key is created. Parameter "most" is this maximum. The caller has locked the tenant, so that the
// count stays true until the commit.
func roomForKey(s *transaction, k Key, most int) error {
	var used int64
	err := s.one([]any{&used}, `SELECT count(*) FROM api_keys WHERE tenant_id = $1 AND revoked_micros = 0
		AND (expires_micros = 0 OR expires_micros > $2)`, k.TenantID, k.CreatedMicros)
	if err == nil && used >= int64(most) {
		return fault.New(fault.Conflict, fault.CodeTooManyKeys, "there are %d API keys in use; revoke one first", used)
	}
	return err
}

// RevokeKey revokes a key of a tenant permanently. If the key is revoked already, RevokeKey changes nothing and writes
// no audit entry. It returns NotFound for a key of another tenant.
func (a *Accounts) RevokeKey(
	ctx context.Context, tenantID, keyID string, nowMicros int64, audit AuditEntry,
) (Key, error) {
	var k Key
	var environment string
	if err := a.read(ctx, func(s *transaction) error {
		return orNotFound("key", s.one([]any{&environment},
			"SELECT environment FROM api_keys WHERE tenant_id = $1 AND id = $2", tenantID, keyID))
	}); err != nil {
		return k, err
	}
	err := a.writeIn(ctx, tenantID, environment, func(s *transaction) error {
		if err := s.one(k.fields(), "SELECT "+keyColumns+" FROM api_keys k WHERE k.tenant_id = $1 AND k.id = $2"+
			s.db.dialect.forUpdate, tenantID, keyID); err != nil {
			return orNotFound("key", err)
		}
		if k.RevokedMicros != 0 {
			return nil
		}
		k.RevokedMicros = nowMicros
		if _, err := s.exec("UPDATE api_keys SET revoked_micros = $3 WHERE tenant_id = $1 AND id = $2",
			tenantID, keyID, nowMicros); err != nil {
			return err
		}
		tx := s.within(tenantID, k.Environment)
		if _, err := tx.record(revokedKey(k.ID, audit.Actor, nowMicros)); err != nil {
			return err
		}
		return tx.Audit().Add(audit)
	})
	return k, err
}

// RotateKey adds the key fresh and lets the old key expire at endsMicros, unless it expires earlier anyway. It
// returns NotFound if the old key does not belong to fresh's tenant and environment. It returns Conflict
// invalid_transition if the owner of fresh is disabled, and Conflict key_not_active if the old key was revoked or
// has expired. It returns Conflict too_many_keys if the tenant already has the maximum number of working keys.
// Parameter "most" is this maximum; the old key counts too.
func (a *Accounts) RotateKey(
	ctx context.Context, oldID string, endsMicros int64, fresh Key, most int, audit ...AuditEntry,
) (Key, error) {
	var old Key
	err := a.writeIn(ctx, fresh.TenantID, fresh.Environment, func(s *transaction) error {
		if err := lockTenant(s, fresh.TenantID); err != nil {
			return err
		}
		if err := s.one(old.fields(),
			"SELECT "+keyColumns+" FROM api_keys k WHERE k.tenant_id = $1 AND k.environment = $2 AND k.id = $3"+
				s.db.dialect.forUpdate, fresh.TenantID, fresh.Environment, oldID); err != nil {
			return orNotFound("key", err)
		}
		if err := checkOwner(s, fresh); err != nil {
			return err
		}
		if err := roomForKey(s, fresh, most); err != nil {
			return err
		}
		ended := old.ExpiresMicros != 0 && old.ExpiresMicros <= fresh.CreatedMicros
		if old.RevokedMicros != 0 || ended {
			return fault.New(fault.Conflict, fault.CodeKeyNotActive,
				"this API key was revoked or has expired; create a new one")
		}
		if old.ExpiresMicros == 0 || old.ExpiresMicros > endsMicros {
			old.ExpiresMicros = endsMicros
		}
		if _, err := s.exec(
			"UPDATE api_keys SET expires_micros = $4 WHERE tenant_id = $1 AND environment = $2 AND id = $3",
			fresh.TenantID, fresh.Environment, oldID, old.ExpiresMicros); err != nil {
			return err
		}
		actor := ""
		if len(audit) > 0 {
			actor = audit[0].Actor
		}
		if err := insertKey(s, fresh, actor); err != nil {
			return err
		}
		return s.within(fresh.TenantID, fresh.Environment).Audit().Add(audit...)
	})
	return old, err
}

// ListKeys returns a tenant's keys of both environments, oldest first, including revoked and expired keys. It returns
// at most MaxPage keys. If there are more, it first omits keys that no longer work, and then keys that will expire. In
// both groups it omits the oldest keys.
func (a *Accounts) ListKeys(ctx context.Context, tenantID string, nowMicros int64) ([]Key, error) {
	var keys []Key
	err := a.read(ctx, func(s *transaction) error {
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

// environments are the environments that a key can belong to.
var environments = []string{"live", "sandbox"}

// revokeKeysOf revokes all keys of a person that still work, however many there are, and returns their hashes. audit
// returns the audit entry of a key. The caller has locked the journals (lockJournals).
func (tx *staffTx) revokeKeysOf(
	userID string, nowMicros int64, audit func(keyID string) AuditEntry,
) (hashes []string, err error) {
	for _, environment := range environments {
		var keys []Key
		within := tx.within(environment)
		err := within.each(func(scan func(...any) error) error {
			var k Key
			err := scan(&k.ID, &k.Hash)
			keys = append(keys, k)
			return err
		}, `UPDATE api_keys SET revoked_micros = $4 WHERE tenant_id = $1 AND environment = $2 AND created_by = $3
			AND revoked_micros = 0 AND (expires_micros = 0 OR expires_micros > $4) RETURNING id, hash`,
			userID, nowMicros)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(keys, func(a, b Key) int { return cmp.Compare(a.ID, b.ID) })
		entries := make([]AuditEntry, len(keys))
		revoked := make([]evidence.Record, len(keys))
		for i, k := range keys {
			hashes, entries[i] = append(hashes, k.Hash), audit(k.ID)
			revoked[i] = revokedKey(k.ID, entries[i].Actor, nowMicros)
		}
		if len(keys) == 0 {
			continue
		}
		if _, err := within.record(revoked...); err != nil {
			return nil, err
		}
		if err := within.Audit().Add(entries...); err != nil {
			return nil, err
		}
	}
	return hashes, nil
}

// lockJournals locks the journals of both environments. A function that adds entries to these journals calls
// lockJournals first; see ADR 23 on the order of locks.
func (tx *staffTx) lockJournals() error {
	for _, environment := range environments {
		if err := tx.within(environment).Lock(); err != nil {
			return err
		}
	}
	return nil
}

// The types of the journal events about API keys.
const (
	EventKeyCreated = "key.created"
	EventKeyRevoked = "key.revoked"
)

// created returns the journal entry of a key that actor creates. Later uses, rotations and revocations change the row,
// so the row may not have everything that the entry has.
func (k *Key) created(actor string) evidence.Record {
	expires := ""
	if k.ExpiresMicros != 0 {
		expires = evidence.At(k.ExpiresMicros)
	}
	return evidence.Record{
		Kind:   evidence.Key,
		ID:     k.ID,
		Micros: wholeMillis(k.CreatedMicros),
		Type:   EventKeyCreated,
		Data: eventData(func(w *wire.Writer) {
			w.Optional("actor", actor)
			w.Optional("expires_at", expires)
			w.Optional("key_id", k.ID)
			w.Optional("owner", k.CreatedBy)
			w.Optional("role", k.Role)
			w.Optional("scopes", k.Scopes)
		}),
		Commitment: k.Commitment(),
	}
}

// Commitment returns the hash of the columns that the entry of a key does not show. One of these columns is the
// hash of the key. The key is random, so nobody can confirm a guess of the other columns. Entries of earlier
// versions have no commitment.
func (k *Key) Commitment() sealing.Hash { return evidence.Commit(nil, k.Name, k.Prefix, k.Hash) }

// KeyReader reads the API keys of a scope. Accounts changes them.
type KeyReader struct{ access }

// Keys returns the KeyReader of the transaction.
func (tx *Tx) Keys() KeyReader { return KeyReader{tx.access()} }

// Walk calls fn for every key of the scope, including those that no longer work. If fn returns an error,
// Walk stops and returns the error. fn must not use the database.
func (ks KeyReader) Walk(fn func(*Key) error) error {
	return walkRows(ks.access, (*Key).fields, fn,
		"SELECT "+keyColumns+" FROM api_keys k WHERE k.tenant_id = $1 AND k.environment = $2")
}

// revokedKey returns the journal entry of a key that actor revokes.
func revokedKey(id, actor string, nowMicros int64) evidence.Record {
	return evidence.Record{
		Kind:   evidence.Key,
		ID:     id,
		Micros: wholeMillis(nowMicros),
		Type:   EventKeyRevoked,
		Data: eventData(func(w *wire.Writer) {
			w.Optional("actor", actor)
			w.Optional("key_id", id)
		}),
	}
}

// Owner returns the id of the user who owns a key, "" if the key does not belong to this scope.
func (ks KeyReader) Owner(keyID string) (string, error) {
	return read(ks.access, func(tx *Tx) (userID string, err error) {
		err = tx.one([]any{&userID},
			"SELECT created_by FROM api_keys WHERE tenant_id = $1 AND environment = $2 AND id = $3", keyID)
		return userID, ignoreAbsent(err)
	})
}

// Touch says when a key or a session was last used.
type Touch struct {
	Hash       string
	UsedMicros int64
}

// TouchKeys records when keys were last used, all in one transaction. It never moves a time back. Callers collect
// touches and do not call TouchKeys for every request.
func (a *Accounts) TouchKeys(ctx context.Context, touches []Touch) error {
	if len(touches) == 0 {
		return nil
	}
	// The fixed order prevents a deadlock between two nodes.
	touches = slices.SortedFunc(slices.Values(touches), func(a, b Touch) int { return cmp.Compare(a.Hash, b.Hash) })
	return a.write(ctx, "touch keys", func(s *transaction) error {
		for _, touch := range touches {
			if _, err := s.exec("UPDATE api_keys SET last_used_micros = $2 WHERE hash = $1 AND last_used_micros < $2",
				touch.Hash, touch.UsedMicros); err != nil {
				return err
			}
		}
		return nil
	})
}
