package frauddesk_test

import (
	"fmt"
	"testing"

	"verdict/internal/signal"
	"verdict/internal/store"
	"verdict/internal/usecase/usecasetest"
)

// TestKindsAreTheSameWords checks that store and signal use the same words for
// pincodes and agents. Storage counts these two kinds specially, and neither
// package imports the other.
func TestKindsAreTheSameWords(t *testing.T) {
	t.Parallel()
	if store.KindPincode != signal.KindPincode || store.KindAgent != signal.KindAgent {
		t.Errorf("storage says %q and %q, signals say %q and %q", store.KindPincode, store.KindAgent,
			signal.KindPincode, signal.KindAgent)
	}
}

// TestThresholdsCanBeReached checks that a threshold is refused if no count of storage
// can trigger its signal, because such a threshold would silently disable the signal.
func TestThresholdsCanBeReached(t *testing.T) {
	t.Parallel()
	for body, ok := range map[string]bool{
		fmt.Sprintf(`{"fraud":{"ip_cluster":{"distinct_applicants":%d}}}`, store.MaxCounted):          true,
		fmt.Sprintf(`{"fraud":{"ip_cluster":{"distinct_applicants":%d}}}`, store.MaxCounted+1):        false,
		fmt.Sprintf(`{"fraud":{"beneficiary_reuse":{"distinct_applicants":%d}}}`, store.MaxCounted+1): false,
		fmt.Sprintf(`{"fraud":{"agent_anomaly":{"max_applications":%d}}}`, store.MaxCounted):          false,
		fmt.Sprintf(`{"fraud":{"agent_anomaly":{"max_distinct_pincodes":%d}}}`, store.MaxCounted):     false,
	} {
		if _, err := signal.ReadConfig(usecasetest.Parse(t, body)); (err == nil) != ok {
			t.Errorf("%s: %v", body, err)
		}
	}
}
