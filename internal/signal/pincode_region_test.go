package signal_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/signal"
)

func TestRegions(t *testing.T) {
	t.Parallel()
	table := signal.NewPincodeTable([]signal.PincodeRisk{
		{Pincode: "400001", Risk: signal.RiskHigh}, {Pincode: "4000", Risk: signal.RiskLow},
		{Pincode: "110001", Risk: signal.RiskBlocked}, {Pincode: "110002", Risk: signal.RiskMedium, ExpiresMicros: 100},
		{Pincode: "110003", Risk: signal.RiskMedium, ExpiresMicros: 101}, {Pincode: "999999", Risk: signal.RiskLow},
	})
	want := []signal.Region{
		{Digits: "11", Medium: 1, Blocked: 1}, {Digits: "40", Low: 1, High: 1}, {Digits: "99", Low: 1},
	}
	if diff := cmp.Diff(want, table.Regions(100)); diff != "" {
		t.Errorf("regions (-want +got):\n%s", diff)
	}
	if none := (*signal.PincodeTable)(nil).Regions(0); none != nil {
		t.Errorf("a table without entries has regions: %v", none)
	}
}
