package evidencedesk

import (
	"crypto/ed25519"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"verdict/internal/evidence"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/store"
)

// Signed stores, outside the database, the last checkpoint that was signed for each log. With this record the
// service notices if an older copy of the database is restored. Otherwise it would sign two different logs of the
// same size.
type Signed interface {
	// Last returns the last signed checkpoint of a log. ok is false if there is none.
	Last(origin string) (c evidence.Checkpoint, ok bool)
	// Origins returns the names of the logs that have a checkpoint, in no particular order.
	Origins() []string
	// Add stores checkpoints. When it returns nil, they survive a crash.
	Add(checkpoints []evidence.Checkpoint) error
}

// Options configures a Service.
type Options struct {
	Key    ed25519.PrivateKey // nil: nothing is signed
	Signed Signed             // required if there is a key
	Public []byte             // the public key, if only that is known
	Keys   *journal.Keys      // the data keys of people
	// FindKey returns the secret key that belongs to a public key. It is called after Key was replaced by that
	// public key. The result is nil if this node does not have the secret key. FindKey may be nil.
	FindKey func(public []byte) (ed25519.PrivateKey, error)
}

// Service signs the logs and serves them. It is safe for concurrent use.
type Service struct {
	core    *operation.Core
	options Options
	keyring *keyring
	// oldestMicros is the time of the oldest entry that could not be signed, or 0 if there is none.
	oldestMicros atomic.Int64

	mu      sync.Mutex
	stopped map[store.ScopeName]string // why a log is not signed
	again   map[store.ScopeName]bool   // logs that could not be signed in the last pass
	newest  map[store.ScopeName]int64  // the newest generation that was signed, if it is not the first
}

// New returns a Service over the database of core. The Service signs only when Sign or SignAll is called, and only if
// there is a key. New reads from o.Signed which generation of each log was signed last.
func New(core *operation.Core, o Options) *Service {
	s := &Service{
		core:    core,
		options: o,
		keyring: newKeyring(core.DB, &o),
		stopped: map[store.ScopeName]string{},
		again:   map[store.ScopeName]bool{},
		newest:  map[store.ScopeName]int64{},
	}
	if o.Signed == nil {
		return s
	}
	for _, origin := range o.Signed.Origins() {
		if name, generation, ok := parseOrigin(origin); ok && generation > 1 {
			s.newest[name] = max(s.newest[name], generation)
		}
	}
	return s
}

// newestOf returns the newest generation of a log that is known here or in the database,
// and remembers it.
func (s *Service) newestOf(name store.ScopeName, stored int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stored > 1 && stored > s.newest[name] {
		s.newest[name] = stored
	}
	return max(1, stored, s.newest[name])
}

// originOf returns the name of the log of a scope. A log that was reopened has another
// name.
func originOf(name store.ScopeName, generation int64) string {
	origin := "verdict/" + name.Tenant + "/" + name.Environment
	if generation > 1 {
		origin += fmt.Sprintf("#%d", generation)
	}
	return origin
}

// parseOrigin returns the scope and the generation of a log. ok is false if the text is not
// the name of a log.
func parseOrigin(origin string) (name store.ScopeName, generation int64, ok bool) {
	path, number, reopened := strings.Cut(origin, "#")
	generation = 1
	if reopened {
		var err error
		if generation, err = strconv.ParseInt(number, 10, 64); err != nil {
			return name, 0, false
		}
	}
	parts := strings.Split(path, "/")
	if len(parts) != 3 || parts[0] != "verdict" {
		return name, 0, false
	}
	return store.ScopeName{Tenant: parts[1], Environment: parts[2]}, generation, true
}
