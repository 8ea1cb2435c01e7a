package sheet

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestDefaultOutcomes checks that the spellings are in lower case, as readers look
// them up, and that a caller that changes its copy changes no other copy.
func TestDefaultOutcomes(t *testing.T) {
	t.Parallel()
	first := DefaultOutcomes()
	for text, outcome := range first {
		if text != strings.ToLower(strings.TrimSpace(text)) || outcome == UnknownOutcome {
			t.Errorf("%q is %d", text, outcome)
		}
	}
	for _, outcome := range []Outcome{NoOutcome, Good, Bad, Indeterminate} {
		if !slices.Contains(slices.Collect(maps.Values(first)), outcome) {
			t.Errorf("outcome %d has no spelling", outcome)
		}
	}
	clear(first)
	if DefaultOutcomes()["paid"] != Good {
		t.Error("a caller changed the spellings of another")
	}
}
