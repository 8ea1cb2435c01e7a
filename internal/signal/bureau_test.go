package signal

import (
	"maps"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"verdict/internal/civil"
	"verdict/internal/field"
	"verdict/internal/report"
	"verdict/internal/rule"
)

var today = civil.DayOf(2026, time.November, 15)

// bureauFacts returns the facts of a history as texts. It fails if a fact is
// derived twice.
func bureauFacts(tb testing.TB, h *report.History) map[string]string {
	tb.Helper()
	out := map[string]string{}
	Bureau(h, today, func(name string, v rule.Value) {
		if _, twice := out[name]; twice {
			tb.Errorf("%s was derived twice", name)
		}
		out[name] = v.String()
	})
	return out
}

// history returns an empty history.
func history() *report.History {
	return &report.History{
		Reported: civil.NoDay, Last7: report.NoCount, Last30: report.NoCount, Last90: report.NoCount,
		Last180: report.NoCount,
	}
}

// account returns a live personal loan with nothing else known.
func account() report.Account {
	return report.Account{
		Product: report.PersonalLoan, Live: true, Opened: civil.NoDay, Closed: civil.NoDay, Reported: civil.NoDay,
		SanctionedPaise: report.NoAmount, BalancePaise: report.NoAmount, OverduePaise: report.NoAmount,
		InstalmentPaise: report.NoAmount, AdversePaise: report.NoAmount,
		ConvertedPaise: report.NoAmount, WrittenOffPaise: report.NoAmount, SettledPaise: report.NoAmount,
		WrittenOffDay: civil.NoDay, SettledDay: civil.NoDay,
	}
}

func with(change func(a *report.Account)) *report.History {
	h := history()
	a := account()
	change(&a)
	h.HasAccounts, h.Accounts = true, []report.Account{a}
	return h
}

// TestBureauAbsence checks that a figure that the report does not state is
// absent, not zero.
func TestBureauAbsence(t *testing.T) {
	t.Parallel()
	if got := bureauFacts(t, nil); len(got) != 0 {
		t.Errorf("no report gave %v", got)
	}
	if got := bureauFacts(t, history()); len(got) != 0 {
		t.Errorf("an empty report gave %v", got)
	}
	listed := history()
	listed.HasEnquiries, listed.Last180 = true, 4
	if diff := cmp.Diff(map[string]string{"enquiries_6m": "0"}, bureauFacts(t, listed)); diff != "" {
		t.Errorf("an empty list of enquiries, which a count does not replace:\n%s", diff)
	}
	// An account without figures is counted but adds to no sum.
	want := map[string]string{
		"active_tradelines": "1", "bureau_live_unsecured": "1", "bureau_written_off_36m": "0",
		"bureau_suit_or_wilful": "false", "bureau_own_active_tradelines": "1", "bureau_own_live_unsecured": "1",
		"bureau_own_suit_or_wilful": "false",
	}
	got := bureauFacts(t, with(func(*report.Account) {}))
	part := regexp.MustCompile("^bureau_(addon|guaranteed|own_microfinance|own_written_off|own_settled)_")
	maps.DeleteFunc(got, func(name, value string) bool { return value == "0" && part.MatchString(name) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestBureauWindows checks the boundaries of the time windows.
func TestBureauWindows(t *testing.T) {
	t.Parallel()
	now := today.Month()
	enquiry := func(age int) *report.History {
		h := history()
		h.HasEnquiries = true
		h.Enquiries = []report.Enquiry{{Made: today - civil.Day(age), AmountPaise: report.NoAmount}}
		return h
	}
	paid := func(age int, days int16) *report.History {
		return with(func(a *report.Account) {
			a.History = []report.Payment{{Month: now - civil.Month(age), DaysPastDue: days}}
		})
	}
	adverse := func(closed, reported civil.Day) *report.History {
		return with(func(a *report.Account) {
			a.Live, a.Adverse, a.Closed, a.Reported = false, report.Settled, closed, reported
		})
	}
	opened := func(y int, m time.Month, d int) *report.History {
		return with(func(a *report.Account) { a.Opened = civil.DayOf(y, m, d) })
	}
	day := civil.DayOf
	for _, c := range []struct {
		what, fact, want string
		h                *report.History
	}{
		{"enquiry tomorrow", "enquiries_6m", "0", enquiry(-1)},
		{"enquiry today", "enquiries_6m", "1", enquiry(0)},
		{"enquiry 179 days ago", "enquiries_6m", "1", enquiry(179)},
		{"enquiry 180 days ago", "enquiries_6m", "0", enquiry(180)},
		{"late this month", "max_dpd_12m", "7", paid(0, 7)},
		{"late 11 months ago", "max_dpd_12m", "7", paid(11, 7)},
		{"late 12 months ago", "max_dpd_12m", "", paid(12, 7)},
		{"late next month", "max_dpd_12m", "", paid(-1, 7)},
		{"30 days this month", "bureau_months_since_30dpd", "0", paid(0, 30)},
		{"30 days long ago", "bureau_months_since_30dpd", "50", paid(50, 30)},
		{"29 days", "bureau_months_since_30dpd", "", paid(5, 29)},
		{"closed 36 months ago", "bureau_written_off_36m", "0", adverse(day(2023, 11, 15), today)},
		{"closed a day later", "bureau_written_off_36m", "1", adverse(day(2023, 11, 16), today)},
		{"never closed, reported", "bureau_written_off_36m", "0", adverse(civil.NoDay, day(2023, 11, 15))},
		{"never closed, just reported", "bureau_written_off_36m", "1", adverse(civil.NoDay, today)},
		{"without any date", "bureau_written_off_36m", "1", adverse(civil.NoDay, civil.NoDay)},
		{"opened 15 Nov", "bureau_oldest_account_months", "12", opened(2025, 11, 15)},
		{"opened 16 Nov", "bureau_oldest_account_months", "11", opened(2025, 11, 16)},
		{"opened tomorrow", "bureau_oldest_account_months", "0", opened(2026, 11, 16)},
	} {
		if got := bureauFacts(t, c.h)[c.fact]; got != c.want {
			t.Errorf("%s: %s is %q, want %q", c.what, c.fact, got, c.want)
		}
	}
}

func TestMonthsBetween(t *testing.T) {
	t.Parallel()
	day := civil.DayOf
	for _, c := range []struct {
		from, to civil.Day
		want     int64
	}{
		{day(2024, 1, 31), day(2024, 2, 29), 1}, // complete on the last day of February
		{day(2024, 1, 31), day(2024, 2, 28), 0},
		{day(2023, 1, 31), day(2023, 2, 28), 1},
		{day(2024, 2, 29), day(2025, 2, 28), 12},
		{day(2024, 2, 29), day(2025, 2, 27), 11},
		{day(2025, 12, 31), day(2026, 1, 1), 0},
		{day(2026, 1, 1), day(2025, 1, 1), 0},
	} {
		if got := monthsBetween(c.from, c.to); got != c.want {
			t.Errorf("%s to %s: %d months, want %d", c.from, c.to, got, c.want)
		}
	}
}

func TestBureauAmounts(t *testing.T) {
	t.Parallel()
	h := history()
	h.HasAccounts = true
	add := func(p report.Product, live bool, sanctioned, balance, overdue, instalment int64) {
		a := account()
		a.Product, a.Live = p, live
		a.SanctionedPaise, a.BalancePaise, a.OverduePaise, a.InstalmentPaise = sanctioned, balance, overdue, instalment
		h.Accounts = append(h.Accounts, a)
	}
	add(report.CreditCard, true, 300_00, 100_10, 1_00, 99_00)       // 5 % is 5.005, rounded half up to the paisa
	add(report.CreditCard, true, report.NoAmount, 50_00, 0, 0)      // no limit, so not in the utilisation
	add(report.CreditCard, true, 100_00, -20_00, 0, 0)              // overpaid
	add(report.CreditCard, false, 100_00, 100_00, 7_00, 0)          // closed, so only the overdue amount counts
	add(report.HomeLoan, true, 900_00, 800_00, 0, 40_00)            // secured
	add(report.PersonalLoan, true, 10_00, 9_00, report.NoAmount, 0) // overdue amount unknown
	got := bureauFacts(t, h)
	for name, want := range map[string]string{
		"bureau_overdue_amount":        "8",
		"bureau_total_outstanding":     "959.1",
		"bureau_unsecured_outstanding": "159.1",
		"bureau_total_emi":             "47.51",
		"bureau_card_utilisation":      "0.25025",
		"active_tradelines":            "5",
		"bureau_live_unsecured":        "4",
	} {
		if got[name] != want {
			t.Errorf("%s is %s, want %s", name, got[name], want)
		}
	}
}

// TestBureauFactsLieInTheirDomains checks that the facts of any history are in
// the domains of their fields.
func TestBureauFactsLieInTheirDomains(t *testing.T) {
	t.Parallel()
	amount := rapid.OneOf(rapid.Just(report.NoAmount), rapid.Int64Range(0, 100_000_000_000_000), rapid.Int64Range(0, 3))
	rapid.Check(t, func(t *rapid.T) {
		h := history()
		h.HasAccounts = true
		for range rapid.IntRange(0, 1000).Draw(t, "accounts") {
			a := account()
			a.Product = report.Product(rapid.IntRange(0, 9).Draw(t, "product"))
			a.Opened = today - civil.Day(rapid.IntRange(-1, 40_000).Draw(t, "opened"))
			a.SanctionedPaise, a.BalancePaise = amount.Draw(t, "sanctioned"), amount.Draw(t, "balance")
			a.OverduePaise, a.InstalmentPaise = amount.Draw(t, "overdue"), amount.Draw(t, "instalment")
			h.Accounts = append(h.Accounts, a)
		}
		Bureau(h, today, func(name string, v rule.Value) {
			id, known := field.Catalogue().Lookup(name)
			if !known {
				t.Fatalf("%s is not in the catalogue", name)
			}
			f := field.Catalogue().Field(id)
			n := v.Number()
			if v.Type() != f.Type || f.BoundedBelow && n < f.Min || n > rule.MaxNumber || f.Integer && !n.HasPlaces(0) {
				t.Fatalf("%s cannot be %s", name, v)
			}
		})
	})
}
