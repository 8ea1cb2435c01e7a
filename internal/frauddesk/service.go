package frauddesk

import (
	"verdict/internal/cache"
	"verdict/internal/operation"
	"verdict/internal/place"
	"verdict/internal/signal"
)

// Options are what a Service needs besides its core. A zero field takes its default.
type Options struct {
	Atlas      signal.Atlas // knows where places and addresses are; the tables in the binary
	MaxBlocked int          // entries of the block list in an environment; DefaultMaxBlocked
}

// DefaultMaxBlocked is how many entries the block list of an environment may have.
const DefaultMaxBlocked = 100_000

// Service is the operations on fraud. It is safe for concurrent use.
type Service struct {
	core    *operation.Core
	options Options

	changes *cache.Cache[operation.ScopeID, int64]
	loaded  *cache.Cache[operation.ScopeID, *Settings]
}

// The bounds of the caches: a tenant that does not call costs nothing.
const (
	changesCached  = 10_000
	settingsCached = 1_000
	// settingsBytes bounds the tables of all settings together.
	settingsBytes = 64 << 20
)

// New makes the room.
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
