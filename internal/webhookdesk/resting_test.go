package webhookdesk

import (
	"testing"
	"time"

	"verdict/internal/operation"
)

// TestRestingIsBounded finishes failed passes of webhooks that are never reserved again, as if they had been
// deleted. The service must forget a webhook when its rest is over.
func TestRestingIsBounded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	s := &Service{
		core:    &operation.Core{Now: func() time.Time { return now }},
		running: map[hookName]bool{},
		resting: map[hookName]time.Time{},
	}
	for _, id := range []string{"a", "b", "c"} {
		if !s.reserve(hookName{id: id}) {
			t.Fatalf("%s was not reserved", id)
		}
		s.finish(hookName{id: id}, now.Add(afterError))
		if s.reserve(hookName{id: id}) {
			t.Errorf("%s was reserved while it rests", id)
		}
		now = now.Add(afterError)
	}
	if len(s.resting) != 1 {
		t.Errorf("%d webhooks are remembered", len(s.resting))
	}
}
