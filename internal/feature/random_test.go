package feature

import (
	"math/rand/v2"
	"slices"
	"time"

	"verdict/internal/civil"
	"verdict/internal/report"
)

// edges lists the ages in days at which windows and their halves begin and end,
// and neighbouring ages.
var edges = []int{
	-40, -1, 0, 1, 2, 3, 5, 6, 7, 8, 14, 15, 29, 30, 31, 44, 45, 59, 60, 61, 89, 90, 91,
	179, 180, 181, 182, 183, 363, 364, 365, 366, 730,
}

// asOfDays lists days at the ends of months and years, leap days and other edge
// cases of the calendar.
var asOfDays = []civil.Day{
	civil.DayOf(2024, time.February, 29), civil.DayOf(2024, time.March, 1), civil.DayOf(2025, time.February, 28),
	civil.DayOf(2025, time.March, 1), civil.DayOf(2026, time.January, 31), civil.DayOf(2026, time.December, 31),
	civil.DayOf(2026, time.January, 1), civil.DayOf(2026, time.April, 30), civil.DayOf(2026, time.May, 6),
	civil.DayOf(2026, time.May, 7), civil.DayOf(2026, time.May, 8), civil.DayOf(2026, time.November, 10),
}

// source generates histories and statements from a seed.
type source struct{ *rand.Rand }

func newSource(seed uint64) source { return source{rand.New(rand.NewPCG(seed, 7))} }

func (r source) chance(percent int) bool { return r.IntN(100) < percent }

func (r source) asOf() civil.Day {
	if r.chance(60) {
		return asOfDays[r.IntN(len(asOfDays))]
	}
	return civil.DayOf(2023, time.January, 1) + civil.Day(r.IntN(1500))
}

func (r source) day(asOf civil.Day, unknown int) civil.Day {
	switch {
	case r.chance(unknown):
		return civil.NoDay
	case r.chance(50):
		return asOf - civil.Day(edges[r.IntN(len(edges))])
	default:
		return asOf - civil.Day(r.IntN(900))
	}
}

func (r source) paise() int64 {
	switch r.IntN(12) {
	case 0:
		return report.NoAmount
	case 1:
		return 0
	case 2:
		return smallTicketPaise
	case 3:
		return smallTicketPaise + 1
	case 4:
		return r.Int64N(20)
	case 5:
		return r.Int64N(1_000_000_000_000_000)
	default:
		return r.Int64N(30_000_000)
	}
}

func (r source) balance() int64 {
	if r.chance(20) {
		return -r.Int64N(5_000_000)
	}
	if r.chance(20) {
		return r.Int64N(250_000)
	}
	return r.paise()
}

func (r source) product() report.Product {
	if r.chance(2) {
		return 200
	}
	return report.Product(r.IntN(int(report.BusinessLoanSecured) + 1))
}

func (r source) account(asOf civil.Day, at int) report.Account {
	a := report.Account{
		Product: r.product(), Live: r.chance(60), Opened: r.day(asOf, 10), Closed: civil.NoDay,
		Reported: r.day(asOf, 20), SanctionedPaise: r.paise(), BalancePaise: r.balance(), OverduePaise: r.paise(),
		InstalmentPaise: r.paise(), AdversePaise: r.paise(), At: int32(at),
	}
	if r.chance(25) {
		a.Adverse = report.Adverse(1 + r.IntN(15))
	}
	if !a.Live && r.chance(80) {
		a.Closed = r.day(asOf, 5)
	}
	month := asOf.Month() + 1 - civil.Month(r.IntN(6))
	for range r.IntN(40) {
		if r.chance(80) {
			days := []int16{0, 0, 0, 1, 29, 30, 31, 89, 90, 91, 400}
			a.History = append(a.History, report.Payment{Month: month, DaysPastDue: days[r.IntN(len(days))]})
		}
		month--
	}
	return a
}

func (r source) history(asOf civil.Day) *report.History {
	if r.chance(7) {
		return nil
	}
	h := &report.History{Reported: asOf, HasAccounts: r.chance(90), HasEnquiries: r.chance(90)}
	if h.HasAccounts {
		for i := range r.IntN(14) {
			h.Accounts = append(h.Accounts, r.account(asOf, i))
		}
	}
	if h.HasAccounts && r.chance(10) {
		for i := range h.Accounts {
			h.Accounts[i].History = nil
		}
	}
	if h.HasEnquiries {
		for i := range r.IntN(20) {
			h.Enquiries = append(h.Enquiries, report.Enquiry{
				Made: r.day(asOf, 5), Product: r.product(), AmountPaise: r.paise(), At: int32(i),
			})
		}
	}
	// A separate random source draws these accounts, so that all other draws stay as
	// they were before microfinance accounts were added.
	if other := newSource(uint64(16*len(h.Accounts) + len(h.Enquiries))); other.chance(20) {
		for i := range 1 + other.IntN(3) {
			h.Microfinance = append(h.Microfinance, other.account(asOf, i))
		}
	}
	return h
}

func (r source) transaction(on civil.Day, at int) report.Transaction {
	t := report.Transaction{
		Day: on, Credit: r.chance(50), Channel: report.Channel(r.IntN(4)),
		AmountPaise: max(0, r.paise()), BalancePaise: r.balance(), At: int32(at),
	}
	for range r.IntN(4) {
		t.Found |= 1 << r.IntN(14)
	}
	if t.Credit && r.chance(50) {
		t.Found |= report.Income
	}
	return t
}

func (r source) statement(asOf civil.Day) *report.Statement {
	if r.chance(7) {
		return nil
	}
	s := &report.Statement{DeclaredIncomePaise: r.paise(), DeclaredInstalmentPaise: r.paise()}
	n := r.IntN(60)
	if r.chance(10) {
		n = 0
	}
	for i := range n {
		s.Transactions = append(s.Transactions, r.transaction(r.day(asOf, 0), i))
	}
	slices.SortStableFunc(s.Transactions, func(a, b report.Transaction) int { return int(a.Day - b.Day) })
	// In some inputs all balances are unknown. In others the balances up to the as-of date are unknown. A statement
	// may also begin after the as-of date.
	until := asOf - 10_000
	switch r.IntN(12) {
	case 0:
		until = asOf + 10_000
	case 1:
		until = asOf
	case 2:
		for i := range s.Transactions {
			s.Transactions[i].Day += 1000
		}
	}
	for i := range s.Transactions {
		if s.Transactions[i].Day <= until {
			s.Transactions[i].BalancePaise = report.NoAmount
		}
	}
	return s
}

// large returns the input for the speed targets: 40 accounts of 36 months, 60
// enquiries and 2,000 transactions over one year.
func (r source) large(asOf civil.Day) (*report.History, *report.Statement) {
	h := &report.History{Reported: asOf, HasAccounts: true, HasEnquiries: true}
	for i := range 40 {
		a := r.account(asOf, i)
		a.Opened = asOf - civil.Day(r.IntN(1000))
		a.History = nil
		for m := range 36 {
			p := report.Payment{Month: asOf.Month() - 1 - civil.Month(m)}
			if r.IntN(12) == 0 {
				p.DaysPastDue = int16(r.IntN(120))
			}
			a.History = append(a.History, p)
		}
		h.Accounts = append(h.Accounts, a)
	}
	for i := range 60 {
		h.Enquiries = append(h.Enquiries, report.Enquiry{
			Made: asOf - civil.Day(r.IntN(730)), Product: r.product(), AmountPaise: r.Int64N(50_000_000), At: int32(i),
		})
	}
	s := &report.Statement{DeclaredIncomePaise: 5_000_000, DeclaredInstalmentPaise: 900_000}
	for i := range 2000 {
		t := r.transaction(asOf-civil.Day(364-i*365/2000), i)
		t.AmountPaise, t.BalancePaise = r.Int64N(5_000_000), r.Int64N(9_000_000)
		s.Transactions = append(s.Transactions, t)
	}
	return h, s
}
