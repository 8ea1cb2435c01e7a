package recovery

import (
	"slices"
	"testing"
	"time"

	"verdict/internal/fault"
)

// TestDoubtfulUnits checks that a rate that looks like a ratio and an amount that
// looks like paise are read unchanged, with a warning.
func TestDoubtfulUnits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		loan string
		want []string
	}{
		{`"emi":9000,"overdue_amount":18000,"missed_emis":2,"interest_rate":16`, nil},
		{`"emi":9000,"overdue_amount":18000,"interest_rate":0`, nil},
		{`"emi":9000,"overdue_amount":27000,"missed_emis":2,"interest_rate":0.16`, []string{"/loan/interest_rate"}},
		{`"emi":9000,"overdue_amount":1800000,"missed_emis":2`, []string{"/loan/overdue_amount"}},
		{`"emi":900000,"overdue_amount":18000,"missed_emis":2,"interest_rate":0.5`,
			[]string{"/loan/interest_rate", "/loan/overdue_amount"}},
		{`"emi":9000,"overdue_amount":1800000`, []string{"/loan/overdue_amount"}}, // above the principal
		// No warning, because the number of missed instalments is unknown.
		{`"emi":9000,"overdue_amount":180000`, nil},
	} {
		body := `{"loan":{"id":"L","principal_outstanding":182000,"dpd":47,` + c.loan + `},"borrower":{"ref":"A"}}`
		got, err := Read(parse(t, []byte(body)), time.Date(2026, 11, 15, 15, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		var pointers []string
		for _, w := range slices.DeleteFunc(got.Warnings,
			func(w fault.Item) bool { return w.Code != fault.CodeUnitDoubtful }) {
			pointers = append(pointers, w.Pointer)
		}
		if !slices.Equal(pointers, c.want) {
			t.Errorf("%s: warned at %v, want %v", c.loan, pointers, c.want)
		}
	}
}
