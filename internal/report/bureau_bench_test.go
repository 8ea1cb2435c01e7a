package report

import (
	"testing"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// largeReports returns a report of 40 accounts with 36 months each and 60
// enquiries, in several layouts.
func largeReports(tb testing.TB) map[string]wire.Value {
	tb.Helper()
	h := &History{
		Reported:     today,
		HasAccounts:  true,
		HasEnquiries: true,
		Last7:        NoCount,
		Last30:       NoCount,
		Last90:       NoCount,
		Last180:      NoCount,
	}
	for i := range 40 {
		a := Account{
			Product: Product(i % 10), Live: true, Opened: today - civil.Day(i*50), Closed: civil.NoDay, Reported: today,
			SanctionedPaise: 1e7, BalancePaise: 5e6, OverduePaise: 0, InstalmentPaise: 5e5, AdversePaise: NoAmount,
		}
		for m := range 36 {
			a.History = append(a.History, Payment{Month: today.Month() - civil.Month(m), DaysPastDue: int16(m % 3)})
		}
		h.Accounts = append(h.Accounts, a)
	}
	for i := range 60 {
		h.Enquiries = append(h.Enquiries, Enquiry{Made: today - civil.Day(i), Product: PersonalLoan, AmountPaise: 1e7})
	}
	list := map[string]wire.Value{}
	for name, body := range map[string]string{
		"other":    renderCommon(h),
		"experian": renderExperian(h),
		"crif":     renderCRIF(h),
	} {
		v, err := wire.Parse([]byte(body))
		if err != nil {
			tb.Fatal(err)
		}
		list[name] = v
	}
	return list
}

func BenchmarkReadBureau(b *testing.B) {
	for name, v := range largeReports(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var faults, warnings fault.List
				if ReadBureau(name, v, today, &faults, &warnings) == nil || faults.Len() > 0 {
					b.Fatal(faults.Items())
				}
			}
		})
	}
}

// TestReadBureauAllocations checks that in the common layout the number of
// allocations does not grow with the number of accounts and months.
//
//nolint:paralleltest // AllocsPerRun counts for the whole process
func TestReadBureauAllocations(t *testing.T) {
	v := largeReports(t)["other"]
	got := testing.AllocsPerRun(10, func() {
		var faults, warnings fault.List
		ReadBureau("other", v, today, &faults, &warnings)
	})
	if got > 80 {
		t.Errorf("%v allocations", got)
	}
	t.Logf("%v allocations", got)
}
