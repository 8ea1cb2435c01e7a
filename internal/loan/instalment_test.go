package loan

import (
	"testing"

	"pgregory.net/rapid"
)

// TestInstalmentsAddUp checks that the rows of a schedule agree with its summary.
func TestInstalmentsAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		months := rapid.IntRange(1, 120).Draw(t, "months")
		rate := rapid.Int64Range(0, 4000).Draw(t, "rate")
		principal := rapid.Int64Range(int64(months)*100, 1_000_000_000).Draw(t, "principal")
		terms, err := NewTerms(rate, months)
		if err != nil {
			t.Fatal(err)
		}
		s, rows := terms.Schedule(principal), terms.Instalments(principal)
		if len(rows) != months {
			t.Fatalf("%d rows for %d months", len(rows), months)
		}
		balance := principal
		var paid, interestPaid int64
		for i, row := range rows {
			want := s.InstalmentPaise
			if i == months-1 {
				want = s.LastPaise
			}
			if row.OutstandingPaise != balance || row.PaidPaise != want ||
				row.PaidPaise != row.PrincipalPaise+row.InterestPaise ||
				row.InterestPaise != int64(interest(uint64(balance), uint64(rate))) {
				t.Fatalf("row %d of %+v is %+v, with a balance of %d", i+1, s, row, balance)
			}
			balance -= row.PrincipalPaise
			paid += row.PaidPaise
			interestPaid += row.InterestPaise
		}
		if balance != 0 || paid != s.PayablePaise || interestPaid != s.InterestPaise {
			t.Fatalf("%d is left; paid %d and interest %d, want %+v", balance, paid, interestPaid, s)
		}
	})
	if rows := (Terms{}).Instalments(100); len(rows) > 0 {
		t.Errorf("the zero Terms have %d instalments", len(rows))
	}
}

func TestCharge(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name      string
		charge    Charge
		amount    int64
		wantPaise int64
		wantTax   int64
	}{
		{"fixed", Charge{FixedPaise: 200_00}, 50_000_00, 200_00, 0},
		{"fixed, with tax", Charge{FixedPaise: 999_99, TaxMicros: 18_000_000}, 50_000_00, 999_99, 180_00},
		{"percentage", Charge{PctMicros: 1_250_000}, 50_000_00, 625_00, 0},
		{"percentage, below its minimum", Charge{PctMicros: 1_250_000, MinPaise: 750_00}, 50_000_00, 750_00, 0},
		{"percentage, above its maximum", Charge{PctMicros: 1_250_000, MaxPaise: 500_00}, 50_000_00, 500_00, 0},
		{"half a paisa", Charge{PctMicros: 1_000_000, TaxMicros: 50_000_000}, 50, 1, 1},
	} {
		if paise, tax := tc.charge.On(tc.amount); paise != tc.wantPaise || tax != tc.wantTax {
			t.Errorf("%s: charge %d and tax %d, want %d and %d", tc.name, paise, tax, tc.wantPaise, tc.wantTax)
		}
	}
}
