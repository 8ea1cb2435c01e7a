package loan

import (
	"math"
	"math/big"
	"testing"
	"time"
)

func TestNewTermsRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		rateBP int64
		months int
	}{
		{-1, 12}, {10_001, 12}, {math.MaxInt64, 12}, {math.MinInt64, 12},
		{1200, 0}, {1200, -1}, {1200, 481}, {1200, math.MaxInt},
	} {
		if terms, err := NewTerms(tc.rateBP, tc.months); err == nil || terms != (Terms{}) {
			t.Errorf("NewTerms(%d, %d) = %+v, %v; want an error", tc.rateBP, tc.months, terms, err)
		}
	}
	for _, rateBP := range []int64{0, 10_000} {
		for _, months := range []int{1, 480} {
			terms := mustTerms(t, rateBP, months)
			if terms.RateBP() != rateBP || terms.Months() != months {
				t.Errorf("terms are %d × %d, want %d × %d", terms.RateBP(), terms.Months(), rateBP, months)
			}
		}
	}
}

// TestFactorsStayInBounds checks, over the whole range of terms, that the two
// factors stay within the error bounds that the comments in fixed.go derive.
func TestFactorsStayInBounds(t *testing.T) {
	t.Parallel()
	ulp := new(big.Int).Lsh(big.NewInt(1), 119)
	exceeds := func(f fixed, exact *big.Rat) *big.Rat {
		n := new(big.Int).SetUint64(f.hi)
		n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(f.lo))
		units := new(big.Rat).Mul(exact, new(big.Rat).SetInt(ulp))
		return units.Sub(new(big.Rat).SetInt(n), units)
	}
	for _, rateBP := range []int64{0, 1, 7, 850, 1350, 3333, 9999, 10_000} {
		for _, months := range []int{1, 2, 3, 12, 47, 48, 127, 128, 255, 256, 479, 480} {
			terms := mustTerms(t, rateBP, months)
			annuity := exactAnnuity(rateBP, months)
			by := exceeds(terms.annuity, annuity)
			if by.Sign() < 0 || by.Cmp(big.NewRat(int64(annuityErrorULP(months)), 1)) > 0 {
				t.Errorf("%d × %d: annuity is off by %s ULP", rateBP, months, by.FloatString(1))
			}
			by = exceeds(terms.share, annuity.Inv(annuity))
			if by.Sign() <= 0 || by.Cmp(big.NewRat(1<<12, 1)) > 0 {
				t.Errorf("%d × %d: share is off by %s ULP", rateBP, months, by.FloatString(1))
			}
		}
	}
}

func TestAmountsOutOfRange(t *testing.T) {
	t.Parallel()
	var none Terms
	if none.Instalment(1e9) != 0 || none.Principal(1e9) != 0 {
		t.Error("the zero Terms carry a loan")
	}
	for _, rateBP := range []int64{0, 1350, 10_000} {
		for _, months := range []int{1, 48, 480} {
			terms := mustTerms(t, rateBP, months)
			for _, paise := range []int64{0, -1, math.MinInt64} {
				if terms.Instalment(paise) != 0 || terms.Principal(paise) != 0 ||
					terms.Schedule(paise) != (Schedule{}) {
					t.Errorf("%d × %d: something comes of %d", rateBP, months, paise)
				}
			}
			if terms.Instalment(math.MaxInt64) != terms.Instalment(maxPaise) ||
				terms.Principal(math.MaxInt64) != terms.Principal(maxPaise) {
				t.Errorf("%d × %d: amounts beyond the range are not capped", rateBP, months)
			}
		}
	}
}

// TestLoweredInstalment checks small loans that the rounded instalment would
// repay before the last month.
func TestLoweredInstalment(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		principal, rateBP int64
		months            int
		want              Schedule
	}{
		{1_000, 0, 12, Schedule{InstalmentPaise: 0, LastPaise: 1_000, PayablePaise: 1_000}},
		{15_000, 0, 100, Schedule{InstalmentPaise: 100, LastPaise: 5_100, PayablePaise: 15_000}},
		{48_000, 0, 480, Schedule{InstalmentPaise: 100, LastPaise: 100, PayablePaise: 48_000}},
		// The rounded instalment would repay this loan exactly one month early,
		// so nothing would be left for the last month.
		{600, 0, 4, Schedule{InstalmentPaise: 100, LastPaise: 300, PayablePaise: 600}},
		{1_000, 0, 6, Schedule{InstalmentPaise: 100, LastPaise: 500, PayablePaise: 1_000}},
	} {
		if got := mustTerms(t, tc.rateBP, tc.months).Schedule(tc.principal); got != tc.want {
			t.Errorf("Schedule(%d @ %d × %d) = %+v, want %+v", tc.principal, tc.rateBP, tc.months, got, tc.want)
		}
	}
}

func TestAPROfNonsense(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name                  string
		net, instalment, last int64
		months                int
		want                  int64
	}{
		{"no net amount", 0, 100, 100, 12, 0},
		{"negative net amount", -1, 100, 100, 12, 0},
		{"no months", 100, 100, 100, 0, 0},
		{"negative months", 100, 100, 100, math.MinInt, 0},
		{"negative instalment", 100, -1, 10_000, 12, 0},
		{"negative last", 100, 100, -1, 12, 0},
		{"payments below net", 1200, 100, 99, 12, 0},
		{"payments equal to net", 1200, 100, 100, 12, 0},
		{"nothing paid", 1, 0, 0, 12, 0},
		{"beyond the cap", 1, 1e14, 1e14, 480, maxMonthlyRate * yearBP},
		{"one month beyond the cap", 1, 0, math.MaxInt64, 1, maxMonthlyRate * yearBP},
		{"a tie", 240_000, 0, 240_001, 1, 1},
		{"a tie that binary fractions miss", 240_000, 0, 242_001, 1, 1001},
		{"another", 240_000, 0, 242_005, 1, 1003},
		{"a hair below a tie", 24_000_000_001, 0, 24_200_100_001, 1, 1000},
		{"doubling in a month", 100, 0, 200, 1, yearBP},
		{"doubling at the end of 480", 1e10, 0, 2e10, 480, 173},
		{"endless", 1, 1, 1, math.MaxInt, yearBP},
		{"endless, all at the end", 1, 0, math.MaxInt64, math.MaxInt, 0},
	} {
		if got := APR(tc.net, tc.instalment, tc.last, tc.months); got != tc.want {
			t.Errorf("%s: APR = %d, want %d", tc.name, got, tc.want)
		}
	}
}

//nolint:paralleltest // AllocsPerRun counts for the whole process
func TestNothingAllocates(t *testing.T) {
	terms := mustTerms(t, 1350, 48)
	from := time.Date(2026, 11, 15, 0, 12, 0, 0, time.UTC)
	for name, f := range map[string]func(){
		"NewTerms":   func() { _, _ = NewTerms(1350, 48) },
		"Instalment": func() { terms.Instalment(50_000_000) },
		"Principal":  func() { terms.Principal(1_955_000) },
		"Schedule":   func() { terms.Schedule(50_000_000) },
		"APR":        func() { APR(49_115_000, 1_353_800, 1_354_820, 48) },
		"Fee":        func() { Tax(Fee(50_000_000, 1_500_000, 99_900), 18_000_000) },
		"ValidUntil": func() { ValidUntil(from, 3) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

var sink int64

func BenchmarkNewTerms(b *testing.B) {
	for b.Loop() {
		terms, _ := NewTerms(1350, 47)
		sink = terms.RateBP()
	}
}

func BenchmarkInstalment(b *testing.B) {
	terms := mustTerms(b, 1350, 48)
	for b.Loop() {
		sink = terms.Instalment(50_000_000)
	}
}

func BenchmarkPrincipal(b *testing.B) {
	terms := mustTerms(b, 1350, 48)
	for b.Loop() {
		sink = terms.Principal(1_955_000)
	}
}

func BenchmarkSchedule(b *testing.B) {
	terms := mustTerms(b, 1350, 48)
	for b.Loop() {
		sink = terms.Schedule(50_000_000).LastPaise
	}
}

func BenchmarkAPR(b *testing.B) {
	for b.Loop() {
		sink = APR(49_115_000, 1_353_800, 1_354_820, 48)
	}
}
