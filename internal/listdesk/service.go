package listdesk

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"

	"verdict/internal/cache"
	"verdict/internal/fault"
	"verdict/internal/list"
	"verdict/internal/operation"
	"verdict/internal/store"
)

// Options configure a Service. A zero field takes its default.
type Options struct {
	Caps store.ListCaps // the limits of an environment; default: DefaultCaps
}

// DefaultCaps returns the default limits of an environment.
func DefaultCaps() store.ListCaps {
	return store.ListCaps{Lists: 100, Entries: 2 * list.MaxEntries, Bytes: 128 << 20}
}

// Service offers the operations on lists. It is safe for concurrent use.
type Service struct {
	core    *operation.Core
	options Options

	heads  *cache.Cache[headID, *head]
	chunks *cache.Cache[chunkID, list.Chunk]
}

// headID names a list, and chunkID a chunk.
type (
	headID  struct{ tenant, environment, name string }
	chunkID struct {
		tenant, environment, list string
		id                        int64
	}
)

// The bounds of the caches. A million entries take 16 MB, or 24 MB if some of them expire.
const (
	headsCached  = 10_000
	chunksCached = 100_000
	chunkBytes   = 64 << 20
	// chunkOverhead is the memory that a cached chunk takes besides its keys.
	chunkOverhead = 400
)

// New returns a Service over the database of core.
func New(core *operation.Core, o Options) *Service {
	defaults := DefaultCaps()
	if o.Caps.Lists == 0 {
		o.Caps.Lists = defaults.Lists
	}
	if o.Caps.Entries == 0 {
		o.Caps.Entries = defaults.Entries
	}
	if o.Caps.Bytes == 0 {
		o.Caps.Bytes = defaults.Bytes
	}
	s := &Service{core: core, options: o}
	s.heads = cache.New(headsCached, cache.RefreshAfter, core.Now, s.loadHead)
	s.chunks = cache.New(chunksCached, 0, core.Now, s.loadChunk)
	s.chunks.Bound(chunkBytes, func(c list.Chunk) int { return c.Size() + chunkOverhead })
	return s
}

// head is one version of a list, without its chunks.
type head struct {
	id        string
	version   int64
	keyer     list.Keyer
	directory list.Directory
}

func (s *Service) loadHead(ctx context.Context, id headID) (*head, error) {
	stored, err := s.core.DB.Scope(id.tenant, id.environment).Lists(ctx).Get(id.name)
	if err != nil {
		return nil, err
	}
	directory, err := list.ReadDirectory(stored.Directory)
	if err != nil {
		return nil, s.unreadable(ctx, fmt.Errorf("list %s: %w", stored.ID, err))
	}
	scope := operation.ScopeID{Tenant: id.tenant, Environment: id.environment}
	keyer, err := s.keyer(ctx, scope, stored.ID, list.Type(stored.Type))
	return &head{id: stored.ID, version: stored.Version, keyer: keyer, directory: directory}, err
}

// unreadable logs why a list cannot be read, and returns the refusal of a request that needs it. Such a request is
// refused because a decision without the answer of a list could be wrong.
func (s *Service) unreadable(ctx context.Context, err error) error {
	s.core.Logger.ErrorContext(ctx, "could not read a stored list; replace it with PUT /v1/lists/{name}", "error", err)
	return fault.New(fault.Unavailable, fault.CodeUnavailable, "a list cannot be read; try again later")
}

// errAltered is the error of a chunk that is not the one that the directory names.
var errAltered = errors.New("the stored part of a list was altered")

func (s *Service) loadChunk(ctx context.Context, id chunkID) (list.Chunk, error) {
	keys, err := s.core.DB.Scope(id.tenant, id.environment).Lists(ctx).Keys(id.list, id.id)
	if err != nil {
		return list.Chunk{}, err
	}
	chunk, err := list.ReadChunk(keys)
	if err == nil && !list.Intact(id.list, id.id, keys) {
		err = errAltered
	}
	if err != nil {
		return list.Chunk{}, s.unreadable(ctx, fmt.Errorf("chunk %d of list %s: %w", id.id, id.list, err))
	}
	return chunk, nil
}

// keyer returns the function that computes the keys of a list. Its secret is derived from the installation's secret,
// which is stored encrypted, so nobody who reads the database can confirm a guess of a value.
func (s *Service) keyer(
	ctx context.Context, scope operation.ScopeID, listID string, t list.Type,
) (list.Keyer, error) {
	secret, err := s.core.Secret(ctx)
	if err != nil {
		return list.Keyer{}, err
	}
	own := hmac.New(sha256.New, secret)
	_, _ = fmt.Fprintf(own, "list/%s/%s/%s", scope.Tenant, scope.Environment, listID) // a hash never returns an error
	return list.Keyer{Type: t, Secret: [sha256.Size]byte(own.Sum(nil))}, nil
}
