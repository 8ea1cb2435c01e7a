package decisioning_test

import (
	"testing"

	"verdict/internal/signal"
	"verdict/internal/store"
)

// Storage counts pincodes and agents in ways of their own, and knows them by
// the words that signals use; neither package sees the other.
func TestKindsAreTheSameWords(t *testing.T) {
	t.Parallel()
	if store.KindPincode != signal.KindPincode || store.KindAgent != signal.KindAgent {
		t.Errorf("storage says %q and %q, signals say %q and %q", store.KindPincode, store.KindAgent, signal.KindPincode, signal.KindAgent)
	}
}
