package tenant

import (
	"strings"
	"time"
	"unicode/utf8"

	"verdict/internal/fault"
)

// APIKey is what is stored of a key, besides its hash. The key itself was
// shown once and is nowhere.
type APIKey struct {
	ID          string
	TenantID    string
	UserID      string // whose key it is: a second person is another user
	Environment Environment
	Name        string
	Prefix      string
	Scopes      Scopes
	CreatedAt   time.Time
	ExpiresAt   time.Time // zero: never
	RevokedAt   time.Time // zero: not revoked
	LastUsedAt  time.Time // zero: never used
}

// Check says whether the key still opens the door: nil, or a refusal with the
// code key_revoked or key_expired, and unauthenticated for a nil or an empty
// record, which is what a lookup that found nothing gives. A key that is both
// revoked and expired is revoked, because that was somebody's decision.
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

// Principal is who calls with this key.
func (k *APIKey) Principal(plan Plan) Principal {
	return Principal{
		TenantID: k.TenantID, Environment: k.Environment,
		KeyID: k.ID, UserID: k.UserID, Scopes: k.Scopes, Plan: plan,
	}
}

// lastUsedEvery is how exact the time of last use is. Noting each use would
// make a write of every read.
const lastUsedEvery = time.Minute

// Stale reports whether the time of last use is so old that it is worth
// writing down anew.
func (k *APIKey) Stale(now time.Time) bool { return now.Sub(k.LastUsedAt) >= lastUsedEvery }

// maxKeyName is how many characters a key's name may have.
const maxKeyName = 80

// CheckKeyName trims a key's name and notes at pointer what is wrong with it.
// The name is for people and need not be the only one of its kind.
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
