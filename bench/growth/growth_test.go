package growth

import (
	"testing"
	"time"
)

// TestContest checks that the contest runs at a very small size and reports its
// results. It asserts no times.
func TestContest(t *testing.T) {
	t.Parallel()
	s, err := Contest(t.Context(), Options{
		Decisions: 1_100, Tenants: 3, Rounds: 1, Requests: 2, Activations: 1, Starts: 1, Idle: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Tables) != 5 || len(s.Targets) != 12 {
		t.Errorf("%d tables, %d targets: %+v", len(s.Tables), len(s.Targets), s)
	}
}
