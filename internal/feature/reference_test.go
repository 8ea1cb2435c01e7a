package feature

import (
	"slices"
	"testing"
	"time"

	"verdict/internal/civil"
	"verdict/internal/report"
)

func TestReference(t *testing.T) {
	t.Parallel()
	for i := range Count {
		mean, scale := Reference(i)
		if scale <= 0 || mean > mostValue/2 || mean < 0 {
			t.Errorf("%s: mean %d, scale %d", NameAt(i), mean, scale)
		}
	}
	for name, want := range map[string][2]int64{
		"enquiry__all__30d__count":            {2000, one},
		"enquiry__personal_loan__90d__count":  {1800, one},
		"debit__all__365d__count":             {400_000 * 365 / 30, 400_000 * 365 / 30},
		"salary__all__30d__sum":               {35_000 * one, 35_000 * one},
		"dpd_30plus__all__365d__count":        {6000, one},
		"eod_balance__all__7d__trend":         {0, one / 2},
		"account_closed__secured__90d__ratio": {1000, one / 4},
	} {
		if mean, scale := Reference(Index(name)); mean != want[0] || scale != want[1] {
			t.Errorf("%s: mean %d, scale %d, want %v", name, mean, scale, want)
		}
	}
}

func TestTop(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		v := randomVector(seed)
		odd := func(i int) bool { return i%2 == 1 }
		type ranked struct{ far, index int64 }
		var all []ranked
		for i := range Count {
			if value, ok := v.Get(i); ok && !odd(i) {
				mean, scale := Reference(i)
				all = append(all, ranked{-quotient(magnitude(value-mean), scale, one), int64(i)})
			}
		}
		slices.SortFunc(all, func(a, b ranked) int {
			return slices.Compare([]int64{a.far, a.index}, []int64{b.far, b.index})
		})
		var want []int
		for _, r := range all[:min(10, len(all))] {
			want = append(want, int(r.index))
		}
		if got := Top(v, 10, odd); !slices.Equal(got, want) {
			t.Errorf("seed %d: %v, want %v", seed, got, want)
		}
	}
	if got := Top(new(Vector), 10, nil); len(got) != 0 {
		t.Errorf("nothing is known, and yet %v", got)
	}
	if got := Top(randomVector(1), 0, nil); len(got) != 0 {
		t.Errorf("none is wanted, and yet %v", got)
	}
}

// TestTopFindsTheUnusual checks that a burst of enquiries is ranked first.
func TestTopFindsTheUnusual(t *testing.T) {
	t.Parallel()
	asOf := civil.DayOf(2026, time.November, 10)
	h := &report.History{HasEnquiries: true}
	for range 30 {
		h.Enquiries = append(h.Enquiries,
			report.Enquiry{Made: asOf, Product: report.PersonalLoan, AmountPaise: report.NoAmount})
	}
	var v Vector
	Compute(Catalogue1, h, nil, asOf, &v)
	top := Top(&v, 3, nil)
	if len(top) != 3 || At(top[0]).Metric != "enquiry" || At(top[0]).Aggregation != CountOf {
		t.Errorf("got %v, first %s", top, NameAt(top[0]))
	}
}
