// Package evidencedesktest contains a log key for tests.
package evidencedesktest

import (
	"crypto/ed25519"
	"sync"

	"verdict/internal/evidence"
	"verdict/internal/evidencedesk"
)

// Log returns the options of a log that is signed with a key for tests.
func Log() evidencedesk.Options {
	return evidencedesk.Options{
		Key:    ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)),
		Signed: &signed{last: map[string]evidence.Checkpoint{}},
	}
}

// signed stores checkpoints in memory.
type signed struct {
	mu   sync.Mutex
	last map[string]evidence.Checkpoint
}

func (s *signed) Last(origin string) (c evidence.Checkpoint, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok = s.last[origin]
	return c, ok
}

func (s *signed) Origins() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var origins []string
	for origin := range s.last {
		origins = append(origins, origin)
	}
	return origins
}

func (s *signed) Add(checkpoints []evidence.Checkpoint) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range checkpoints {
		s.last[c.Origin] = c
	}
	return nil
}
