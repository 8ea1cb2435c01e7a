// Package operation holds what the operations of every use-case room share: the
// database with its clock and its ids, doing a request once, pages of lists, entries
// of the audit trail, and the refusals and texts that are the same everywhere. It
// knows no subject: policies, alerts and people are the rooms' own.
package operation

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"time"

	"verdict/internal/cache"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Options are what a Core needs besides its database. A zero field takes its
// default.
type Options struct {
	Now    func() time.Time // the clock; time.Now
	Random io.Reader        // of ids and keys; crypto/rand.Reader
	Logger *slog.Logger     // by default nothing is logged
}

// Core is one database, with the clock and the ids that belong to it. All use-case
// rooms of a process share one. It is safe for concurrent use.
type Core struct {
	DB     *store.DB
	Now    func() time.Time
	Random io.Reader
	IDs    *tenant.IDs
	Logger *slog.Logger

	secret  *cache.Cache[struct{}, []byte]
	flights flights
}

// New makes the core over a database.
func New(db *store.DB, o Options) *Core {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Core{DB: db, Now: o.Now, Random: o.Random, IDs: tenant.NewIDs(o.Random), Logger: o.Logger}
	s.secret = cache.New(1, 0, o.Now, s.loadSecret)
	s.flights.under = map[flight]struct{}{}
	return s
}

// Scope is the storage handle of a caller.
func (s *Core) Scope(p tenant.Principal) *store.Scope {
	return s.DB.Scope(p.TenantID, string(p.Environment))
}

// Moment is now, to the millisecond that answers show.
func (s *Core) Moment() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// ClockFormat is RFC 3339 in UTC with milliseconds.
const ClockFormat = "2006-01-02T15:04:05.000Z07:00"

// Clock writes a stored time.
func Clock(micros int64) string { return time.UnixMicro(micros).UTC().Format(ClockFormat) }

// ParseClock reads what clock wrote.
func ParseClock(text string) (int64, error) {
	t, err := time.Parse(ClockFormat, text)
	return t.UnixMicro(), err
}

// Time reads a stored time, the zero Time for never.
func Time(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// Micros writes a time for storage, 0 for never.
func Micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// ScopeID is a tenant in an environment.
type ScopeID struct{ Tenant, Environment string }

// ScopeOf names the scope of a caller.
func ScopeOf(p tenant.Principal) ScopeID { return ScopeID{p.TenantID, string(p.Environment)} }

// Keyed makes the keyed hash by which a scope recognises accounts, addresses
// and the like without keeping them. Each scope has a key of its own, so that
// nothing can be compared between them.
func (s *Core) Keyed(ctx context.Context, id ScopeID) (func(kind, value string) string, error) {
	secret, err := s.Secret(ctx)
	if err != nil {
		return nil, err
	}
	own := hmac.New(sha256.New, secret)
	_, _ = fmt.Fprintf(own, "%s/%s", id.Tenant, id.Environment) // a hash does not fail
	key := own.Sum(nil)
	return func(kind, value string) string {
		h := hmac.New(sha256.New, key)
		_, _ = fmt.Fprintf(h, "%s\x00%s", kind, value)
		return "hmac:" + hex.EncodeToString(h.Sum(nil)[:16])
	}, nil
}

// Secret returns the installation's secret.
func (s *Core) Secret(ctx context.Context) ([]byte, error) {
	return s.secret.Get(ctx, struct{}{})
}

func (s *Core) loadSecret(ctx context.Context, _ struct{}) ([]byte, error) {
	fresh := make([]byte, sha256.Size)
	if _, err := io.ReadFull(s.Random, fresh); err != nil {
		return nil, fmt.Errorf("a new secret: %w", err)
	}
	return s.DB.System().Secret(ctx, fresh)
}
