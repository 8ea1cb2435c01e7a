package feature

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/civil"
	"verdict/internal/report"
)

// block formats the features of a metric, product and window in the order of
// the aggregations: count, sum, max, avg, trend, ratio.
func block(v *Vector, prefix string) string {
	var parts []string
	for _, a := range aggregations {
		parts = append(parts, string(appendValue(nil, v, Index(prefix+"__"+a))))
	}
	return strings.Join(parts, " ")
}

func checkBlocks(t *testing.T, v *Vector, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for prefix := range want {
		got[prefix] = block(v, prefix)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("count sum max avg trend ratio (-want +got):\n%s", diff)
	}
}

var tenth = civil.DayOf(2026, time.November, 10)

// TestThreeKindsOfNothing checks that an absent source, a window without events,
// and a value of zero give different results.
func TestThreeKindsOfNothing(t *testing.T) {
	t.Parallel()
	const absent, none = "null null null null null null", "0 0 null null null null"
	for name, c := range map[string]struct {
		h    *report.History
		s    *report.Statement
		want map[string]string
	}{
		"nothing sent": {nil, nil, map[string]string{
			"enquiry__all__365d": absent, "account_opened__all__365d": absent, "dpd_1plus__all__365d": absent,
			"credit__all__365d": absent, "eod_balance__all__365d": absent, "income_gap__all__365d": absent,
		}},
		"empty lists": {
			&report.History{HasAccounts: true, HasEnquiries: true},
			&report.Statement{DeclaredIncomePaise: 1, DeclaredInstalmentPaise: 1},
			map[string]string{
				"enquiry__all__365d": none, "account_opened__all__365d": none, "dpd_1plus__all__365d": absent,
				"credit__all__365d": none, "eod_balance__all__365d": absent, "income_gap__all__365d": absent,
			},
		},
		"enquiries alone": {
			&report.History{HasEnquiries: true, Enquiries: []report.Enquiry{{Made: tenth, AmountPaise: 0}}}, nil,
			map[string]string{
				"enquiry__all__7d": "1 0 0 0 null null", "enquiry__secured__7d": "0 0 null null null null",
				"account_opened__all__365d": absent,
			},
		},
		"no event and a base": {
			&report.History{HasEnquiries: true, HasAccounts: true, Accounts: []report.Account{
				{Opened: tenth - 7, Closed: civil.NoDay, Reported: civil.NoDay, SanctionedPaise: 12_345_678},
			}}, nil,
			map[string]string{
				"account_opened__all__7d":  "0 0 null null null 0",
				"account_opened__all__30d": "1 123456.78 123456.78 123456.78 1 1",
				"enquiry__all__7d":         "0 0 null null null null",
				"enquiry__all__30d":        "0 0 null null null 0",
				"adverse__all__7d":         "0 0 null null null 0",
				"overdue__all__7d":         "0 0 null null null null",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var v Vector
			Compute(Catalogue1, c.h, c.s, tenth, &v)
			checkBlocks(t, &v, c.want)
		})
	}
}

// TestTrendHalves checks that the oldest day of a window with an odd number of
// days is in neither half.
func TestTrendHalves(t *testing.T) {
	t.Parallel()
	enquiry := func(age civil.Day, rupees int64) report.Enquiry {
		return report.Enquiry{Made: tenth - age, Product: report.GoldLoan, AmountPaise: rupees * 100}
	}
	h := &report.History{HasEnquiries: true, Enquiries: []report.Enquiry{
		enquiry(2, 300), enquiry(3, 100), enquiry(6, 5000), enquiry(-1, 70), enquiry(182, 900), enquiry(364, 90_000),
	}}
	var v Vector
	Compute(Catalogue1, h, nil, tenth, &v)
	checkBlocks(t, &v, map[string]string{
		"enquiry__gold_loan__7d":   "3 5400 5000 1800 0.5 null",
		"enquiry__secured__30d":    "3 5400 5000 1800 1 null",
		"enquiry__all__365d":       "5 96300 90000 19260 0.7143 null",
		"enquiry__unsecured__365d": "0 0 null null null null",
	})
}

// TestMonths checks the payment features shortly before and after the end of a
// month.
func TestMonths(t *testing.T) {
	t.Parallel()
	history := func(newest civil.Month, days ...int16) *report.History {
		a := report.Account{Product: report.CreditCard, Opened: civil.NoDay, Closed: civil.NoDay, Reported: civil.NoDay}
		for i, d := range days {
			a.History = append(a.History, report.Payment{Month: newest - civil.Month(i), DaysPastDue: d})
		}
		return &report.History{HasAccounts: true, Accounts: []report.Account{a}}
	}
	october := civil.DayOf(2026, time.October, 1).Month()
	const empty = "0 0 null null null null"
	for name, c := range map[string]struct {
		h    *report.History
		asOf civil.Day
		want map[string]string
	}{
		"ended today": {history(october, 40, 0, 10), civil.DayOf(2026, time.October, 31), map[string]string{
			"dpd_1plus__credit_card__7d": "1 40 40 40 1 1", "dpd_1plus__all__90d": "2 50 40 25 1 0.6667",
			"dpd_30plus__secured__90d": empty,
		}},
		"ended six days ago": {history(october, 40, 80), civil.DayOf(2026, time.November, 6), map[string]string{
			"dpd_1plus__all__7d": "1 40 40 40 -0.3333 1", "dpd_30plus__all__30d": "1 40 40 40 -0.3333 1",
		}},
		"ended seven days ago": {history(october, 40), civil.DayOf(2026, time.November, 7), map[string]string{
			"dpd_1plus__all__7d": empty, "dpd_1plus__all__30d": "1 40 40 40 1 1",
		}},
		"not ended": {history(october, 40), civil.DayOf(2026, time.October, 30), map[string]string{
			"dpd_1plus__all__7d": empty, "dpd_1plus__all__30d": "1 40 40 40 1 1",
		}},
		"two months behind": {history(october, 40), civil.DayOf(2026, time.December, 31), map[string]string{
			"dpd_1plus__all__30d": "1 40 40 40 1 1",
		}},
		"three months behind": {history(october, 40, 0), civil.DayOf(2027, time.January, 1), map[string]string{
			"dpd_1plus__all__30d": empty, "dpd_1plus__all__60d": "1 40 40 40 1 1",
			"dpd_1plus__all__90d": "1 40 40 40 1 0.5",
		}},
		"only before the window": {history(october, 0, 40), civil.DayOf(2026, time.November, 1), map[string]string{
			"dpd_1plus__all__30d": "0 0 null null null 0",
		}},
		"only later": {history(october, 40), civil.DayOf(2026, time.September, 30), map[string]string{
			"dpd_1plus__all__365d": "null null null null null null",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var v Vector
			Compute(Catalogue1, c.h, nil, c.asOf, &v)
			checkBlocks(t, &v, c.want)
		})
	}
}

// TestBounds checks that values that exceed the limits are clamped.
func TestBounds(t *testing.T) {
	t.Parallel()
	s := &report.Statement{DeclaredIncomePaise: report.NoAmount, DeclaredInstalmentPaise: report.NoAmount}
	for range 20_000 {
		s.Transactions = append(s.Transactions, report.Transaction{
			Day: tenth, Credit: true, AmountPaise: 1<<63 - 1, BalancePaise: -1<<63 + 1, Found: report.Income,
		})
	}
	s.Transactions = append(s.Transactions, report.Transaction{Day: tenth, AmountPaise: 1, BalancePaise: -1<<63 + 1})
	var v Vector
	Compute(Catalogue1, nil, s, tenth, &v)
	checkBlocks(t, &v, map[string]string{
		"credit__all__7d":          "20000 1000000000000 100000000000 100000000000 1 1000000000000",
		"eod_balance__all__7d":     "1 -100000000000 -100000000000 -100000000000 -1 0",
		"low_balance_day__all__7d": "1 100000000000 100000000000 100000000000 1 1",
	})
	Compute(Catalogue1, &report.History{HasAccounts: true}, s, civil.NoDay, &v)
	if n := v.Populated(); n != 0 {
		t.Errorf("%d values on no day", n)
	}
}

// TestLowBalance checks that a day counts as low if its balance is below
// ₹1,000, but not at exactly ₹1,000.
func TestLowBalance(t *testing.T) {
	t.Parallel()
	for balance, want := range map[int64]string{
		99_999:  "1 0.01 0.01 0.01 1 1",
		100_000: "0 0 null null null 0",
		100_001: "0 0 null null null 0",
	} {
		s := &report.Statement{DeclaredIncomePaise: report.NoAmount, DeclaredInstalmentPaise: report.NoAmount}
		s.Transactions = []report.Transaction{{Day: tenth, AmountPaise: 1, BalancePaise: balance}}
		var v Vector
		Compute(Catalogue1, nil, s, tenth, &v)
		checkBlocks(t, &v, map[string]string{"low_balance_day__all__7d": want})
	}
}

// TestVectorsAreReusable checks that Compute gives the same result with a
// reused vector and in concurrent calls.
func TestVectorsAreReusable(t *testing.T) {
	t.Parallel()
	for worker := range 4 {
		t.Run(fmt.Sprint(worker), func(t *testing.T) {
			t.Parallel()
			h, s := newSource(1).large(tenth)
			var first, again, other Vector
			Compute(Catalogue1, h, s, tenth, &first)
			for seed := range uint64(30) {
				r := newSource(seed)
				Compute(Catalogue1, r.history(tenth), r.statement(tenth), tenth, &other)
				again = other
				Compute(Catalogue1, h, s, tenth, &again)
				if again != first {
					t.Fatal("the same input has another vector")
				}
			}
		})
	}
}

func TestPopulated(t *testing.T) {
	t.Parallel()
	v := randomVector(4)
	n := 0
	for i := range Count {
		if _, ok := v.Get(i); ok {
			n++
		}
	}
	if n == 0 || v.Populated() != n {
		t.Errorf("%d features have a value, Populated is %d", n, v.Populated())
	}
}
