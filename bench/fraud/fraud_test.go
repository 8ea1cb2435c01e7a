package fraud

import (
	"strings"
	"testing"
)

// The contest runs and says what it found; no time is asserted.
func TestContest(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := Contest(t.Context(), &out, Options{Few: 1_000, Many: 5_000, Rounds: 1, Requests: 20}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "an evaluate with a fraud block") {
		t.Error(out.String())
	}
}
