package frauddesk

import (
	"verdict/internal/cache"
	"verdict/internal/operation"
	"verdict/internal/place"
	"verdict/internal/signal"
)

// Options configure a Service. A zero field takes its default.
type Options struct {
	Atlas      signal.Atlas // locates pincodes and IP addresses; default: the tables in the binary
	MaxBlocked int          // limit of the block list's entries in an environment; default: DefaultMaxBlocked
}

// DefaultMaxBlocked is the default limit of the block list's entries in an environment.
const DefaultMaxBlocked = 100_000

// Service offers the operations on fraud. It is safe for concurrent use.
type Service struct {
	core    *operation.Core
	options Options

	changes *cache.Cache[operation.ScopeID, int64]
	loaded  *cache.Cache[operation.ScopeID, *Settings]
}

// The bounds of the caches. Only the tenants that send requests take up space in them.
const (
	changesCached  = 10_000
	settingsCached = 1_000
	// settingsBytes bounds the total size of all cached settings.
	settingsBytes = 64 << 20
)

// New returns a Service over the database of core.
func New(core *operation.Core, o Options) *Service {
	if o.Atlas.Matches == nil && o.Atlas.Country == nil {
		o.Atlas = signal.Atlas{Matches: place.Matches, Country: place.Country}
	}
	if o.MaxBlocked == 0 {
		o.MaxBlocked = DefaultMaxBlocked
	}
	s := &Service{core: core, options: o}
	s.changes = cache.New(changesCached, cache.RefreshAfter, core.Now, s.loadChanges)
	s.loaded = cache.New(settingsCached, 0, core.Now, s.loadSettings)
	s.loaded.Bound(settingsBytes, func(f *Settings) int { return f.size })
	return s
}
