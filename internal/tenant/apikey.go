package tenant

import (
	"strings"
	"time"
	"unicode/utf8"

	"verdict/internal/fault"
)

// APIKey is the stored record of a key, besides its hash. The key itself is shown
// once and never stored.
type APIKey struct {
	ID          string
	TenantID    string
	UserID      string // the owner of the key
	Environment Environment
	Name        string
	Prefix      string
	Scopes      Scopes
	CreatedAt   time.Time
	ExpiresAt   time.Time // zero: never
	RevokedAt   time.Time // zero: not revoked
	LastUsedAt  time.Time // zero: never used
}

// Check returns nil if the key is valid, and otherwise a refusal with the code
// key_revoked or key_expired. If the record is nil or incomplete, because a lookup
// found nothing, the code is unauthenticated. A key that is both revoked and
// expired counts as revoked, because a person decided to revoke it.
func (k *APIKey) Check(now time.Time) error {
	switch {
	case k == nil, k.ID == "", k.TenantID == "", !k.Environment.Valid():
		return Unauthenticated()
	case !k.RevokedAt.IsZero():
		return fault.New(fault.Unauthenticated, fault.CodeKeyRevoked, "this API key was revoked")
	case !k.ExpiresAt.IsZero() && !now.Before(k.ExpiresAt):
		return fault.New(fault.Unauthenticated, fault.CodeKeyExpired, "this API key has expired")
	}
	return nil
}

// Principal returns the caller who uses this key.
func (k *APIKey) Principal(plan PricePlan) Principal {
	return Principal{
		TenantID: k.TenantID, Environment: k.Environment,
		KeyID: k.ID, UserID: k.UserID, Scopes: k.Scopes, Plan: plan,
	}
}

// lastUsedEvery is the precision of the time of last use. Recording every use
// would turn each read into a write.
const lastUsedEvery = time.Minute

// Stale reports whether the time of last use is old enough to be updated.
func (k *APIKey) Stale(now time.Time) bool { return now.Sub(k.LastUsedAt) >= lastUsedEvery }

// maxKeyName is the maximum length of a key's name, in characters.
const maxKeyName = 80

// CheckKeyName returns the name of a key without surrounding spaces, and adds its
// faults at pointer. Names need not be unique.
func CheckKeyName(faults *fault.List, pointer, name string) string {
	trimmed := strings.TrimSpace(name)
	switch n := utf8.RuneCountInString(trimmed); {
	case !printable(name):
		faults.Add(pointer, fault.CodeInvalidCharacter, "%s", unprintableDetail)
	case n < 1 || n > maxKeyName:
		faults.Add(pointer, fault.CodeOutOfRange, "must have 1 to %d characters", maxKeyName)
	}
	return trimmed
}
