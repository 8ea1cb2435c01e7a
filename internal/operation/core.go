// Package operation holds the code that all use-case packages share: the database
// with its clock and ids, idempotent requests, pages of lists, audit entries, and
// common refusals and texts. It contains nothing about policies, alerts or people,
// which belong to the use-case packages.
package operation

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"verdict/internal/cache"
	"verdict/internal/journal"
	"verdict/internal/sealing"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Options configures a Core. A zero field gets its default.
type Options struct {
	Now    func() time.Time // the clock (default time.Now)
	Random io.Reader        // for ids and keys (default crypto/rand.Reader)
	Logger *slog.Logger     // default: no logs
	// MasterKey encrypts what is stored about people (default: nothing is encrypted).
	MasterKey *sealing.Epoch
	// MasterKeys is where a new master key is read from (default: the key is never replaced).
	MasterKeys journal.KeySource
}

// Core is one database, with the clock and the ids that belong to it. All use-case
// packages of a process share one Core. It is safe for concurrent use.
type Core struct {
	DB     *store.DB
	Now    func() time.Time
	Random io.Reader
	IDs    *tenant.IDs
	Logger *slog.Logger
	Keys   *journal.Keys

	secret  *cache.Cache[struct{}, []byte]
	flights flights
}

// New returns the core of a database.
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
	s.Keys = journal.NewKeys(db, o.MasterKey, o.MasterKeys, o.Random, o.Now)
	s.secret = cache.New(1, 0, o.Now, s.loadSecret)
	s.flights.under = map[flight]struct{}{}
	return s
}

// AnyVersion is the expected version if a caller does no optimistic locking.
const AnyVersion = -1

// Scope returns the storage handle of a caller.
func (s *Core) Scope(p tenant.Principal) *store.Scope {
	return s.DB.Scope(p.TenantID, string(p.Environment))
}

// OpenDecision decrypts the documents of a decision that was read from a scope, and the documents of
// its features unless f is nil. If a document cannot be decrypted, the error is a Defect that wraps
// journal.Unreadable. The documents of an erased applicant are empty; the error is Gone if the
// applicant was erased after the decision was read.
func (s *Core) OpenDecision(ctx context.Context, scope *store.Scope, d *store.Decision, f *store.Features) error {
	_, err := s.Keys.OpenDecision(ctx, scope, d, f)
	return openingFailed(err, "decision")
}

// OpenRun decrypts the documents of a run that was read from a scope. The errors are those of
// OpenDecision.
func (s *Core) OpenRun(ctx context.Context, scope *store.Scope, r *store.Run) error {
	return openingFailed(s.Keys.OpenRun(ctx, scope, r), "run")
}

// OpenAnswer decrypts the body of a stored answer to a request with an Idempotency-Key. The parameter "of" is the
// decision that the answer is about, or nil if the answer is not about a decision. The errors are those of
// OpenDecision.
func (s *Core) OpenAnswer(
	ctx context.Context, scope *store.Scope, key store.IdempotencyKey, of *store.Decision, stored []byte,
) ([]byte, error) {
	body, err := s.Keys.OpenAnswer(ctx, scope, key, of, stored)
	return body, openingFailed(err, "request")
}

// openingFailed converts the error of opening a document into a refusal, a Defect or a failure of storage. The
// parameter "what" is the name of the object to which the document belongs.
func openingFailed(err error, what string) error {
	var unreadable journal.Unreadable
	switch {
	case errors.Is(err, journal.ErrErased):
		return Erased(what)
	case errors.As(err, &unreadable):
		return AsDefect(err)
	}
	return err
}

// OpenSecret decrypts the secret of a webhook.
func (s *Core) OpenSecret(ctx context.Context, scope store.ScopeName, webhookID, stored string) (string, error) {
	return s.Keys.OpenSecret(ctx, journal.Scope(scope), webhookID, stored)
}

// Moment returns the present time in UTC, truncated to milliseconds, as in
// answers.
func (s *Core) Moment() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// ClockFormat is RFC 3339 in UTC with milliseconds.
const ClockFormat = "2006-01-02T15:04:05.000Z07:00"

// Clock formats a stored time.
func Clock(micros int64) string { return time.UnixMicro(micros).UTC().Format(ClockFormat) }

// ParseClock parses a time that Clock has formatted, and returns it in
// microseconds.
func ParseClock(text string) (int64, error) {
	t, err := time.Parse(ClockFormat, text)
	return t.UnixMicro(), err
}

// Time converts a stored time; 0, which means never, becomes the zero Time.
func Time(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// Micros converts a time for storage; the zero Time becomes 0.
func Micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// ScopeID identifies a tenant in an environment.
type ScopeID struct{ Tenant, Environment string }

// ScopeOf returns the scope of a caller.
func ScopeOf(p tenant.Principal) ScopeID { return ScopeID{p.TenantID, string(p.Environment)} }

// KeyedPrefix begins the keyed hashes that Keyed makes. 32 hexadecimal digits follow.
const KeyedPrefix = "hmac:"

// Keyed returns a keyed hash function. With it, a scope recognises accounts,
// addresses and similar values without storing them. Each scope has its own key,
// so that hashes cannot be compared between scopes.
func (s *Core) Keyed(ctx context.Context, id ScopeID) (func(kind, value string) string, error) {
	secret, err := s.Secret(ctx)
	if err != nil {
		return nil, err
	}
	own := hmac.New(sha256.New, secret)
	_, _ = fmt.Fprintf(own, "%s/%s", id.Tenant, id.Environment) // a hash never returns an error
	key := own.Sum(nil)
	return func(kind, value string) string {
		h := hmac.New(sha256.New, key)
		_, _ = fmt.Fprintf(h, "%s\x00%s", kind, value)
		return KeyedPrefix + hex.EncodeToString(h.Sum(nil)[:16])
	}, nil
}

// Secret returns the installation's secret.
func (s *Core) Secret(ctx context.Context) ([]byte, error) {
	return s.secret.Get(ctx, struct{}{})
}

func (s *Core) loadSecret(ctx context.Context, _ struct{}) ([]byte, error) {
	fresh := make([]byte, sha256.Size)
	if _, err := io.ReadFull(s.Random, fresh); err != nil {
		return nil, fmt.Errorf("generate a secret: %w", err)
	}
	return s.Keys.Secret(ctx, fresh)
}
