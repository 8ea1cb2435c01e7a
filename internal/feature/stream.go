package feature

import (
	"verdict/internal/civil"
	"verdict/internal/report"
)

// origin is the kind of source data that must be present for a metric to have a
// value.
type origin uint8

// The origins.
const (
	accounts         origin = iota // a list of accounts, possibly empty
	enquiries                      // a list of enquiries, possibly empty
	payments                       // a month of payment history of any account, up to the month of as_of
	transactions                   // a list of transactions, possibly empty
	balances                       // a transaction with a balance, on or before as_of
	incomeMonths                   // transactions of a complete month up to as_of, and a declared income
	instalmentMonths               // transactions of a complete month up to as_of, and declared instalments
	origins                        // the number of origins
)

// side is the direction of a transaction.
type side uint8

const (
	eitherSide side = iota
	credits
	debits
)

// stream defines which records are a metric's events, on which day they happened,
// and their value in paise or days. The origin determines which of the members
// are used.
type stream struct {
	from      origin
	account   func(a *report.Account, asOf civil.Day) (on civil.Day, value int64, ok bool)
	leastDays int16 // the fewest days past due that make a payment month an event
	side      side
	found     report.Found // a transaction with any of these bits is an event; 0 means every transaction
	unless    report.Found // a transaction with any of these bits is not an event
	balance   func(paise int64) (value int64, ok bool)
	month     func(m *monthTotal) (value int64, ok bool)
}

// fraction defines a ratio: the metric's own events divided by a base.
type fraction struct {
	of     string // the metric or base in the denominator
	counts bool   // divide numbers of events, not values
	plus   bool   // add the metric's own events to the base
	all    bool   // the base covers all products, not only the metric's product
	ever   bool   // the base covers all ages, not only the window
	times  int64  // factor of the base; 0 means 1
}

// typical holds the figures of an ordinary borrower: the number of events in 30
// days, in ten-thousandths; the value of one event, in rupees or days; and the
// ratio, in ten-thousandths. They are plausible constants, not measurements,
// and serve only to rank features for display.
type typical struct {
	events, value, ratio int64
}

// bases lists the denominators of ratios, except those that are metrics themselves. They have the form of a metric,
// but no features.
var bases = []Metric{
	{
		Name: "account_on_file", Products: products, Source: Bureau, Unit: Rupees,
		events: stream{from: accounts, account: onFile},
	},
	{
		Name: "live_sanctioned", Products: products, Source: Bureau, Unit: Rupees,
		events: stream{from: accounts, account: liveSanctioned},
	},
	{
		Name: "month_reported", Products: products, Source: Bureau, Unit: Days, Monthly: true,
		events: stream{from: payments, leastDays: anyDays},
	},
	{
		Name: "balance_reported", Products: security, Source: Bureau, Unit: Rupees,
		events: stream{from: accounts, account: balanceReported},
	},
	{
		Name: "honoured", Products: instruments, Source: Bank, Unit: Rupees,
		events: stream{
			from: transactions, side: debits,
			found: report.Mandate | report.Cheque, unless: report.IssuedBounce,
		},
	},
	{
		Name: "cheque_credit", Products: onlyAll, Source: Bank, Unit: Rupees,
		events: stream{
			from: transactions, side: credits,
			found: report.Cheque, unless: report.DepositedReturn | report.IssuedBounce,
		},
	},
	{
		Name: "declared_income", Products: onlyAll, Source: Bank, Unit: Rupees, Monthly: true,
		events: stream{from: incomeMonths, month: func(m *monthTotal) (int64, bool) {
			return m.declared[income],
				true
		}},
	},
	{
		Name: "detected_instalment", Products: onlyAll, Source: Bank, Unit: Rupees, Monthly: true,
		events: stream{from: instalmentMonths, month: func(m *monthTotal) (int64, bool) {
			return m.found[instalments],
				true
		}},
	},
}

// anyDays makes every payment month an event.
const anyDays = -1 << 15

// daysInMonth is the number of days that count as a month.
const daysInMonth = 30

// lowBalancePaise is the limit below which an end-of-day balance counts as low:
// ₹1,000.
const lowBalancePaise = 1_000 * 100

// mostPaise is the largest amount that one record counts for, ₹10,000 crore, so
// that no sum can overflow. No person has a record of such an amount.
const mostPaise = 100_000_000_000 * 100

// amount clamps an amount to the range from 0 to mostPaise. An amount that was
// not given, or a balance in the borrower's favour, counts as 0.
func amount(paise int64) int64 { return min(max(paise, 0), mostPaise) }

func opened(a *report.Account, _ civil.Day) (civil.Day, int64, bool) {
	return a.Opened, amount(a.SanctionedPaise), a.Opened.Known()
}

func owed(a *report.Account, _ civil.Day) (civil.Day, int64, bool) {
	return a.Opened, amount(a.BalancePaise), a.Live && a.BalancePaise > 0
}

func liveSanctioned(a *report.Account, _ civil.Day) (civil.Day, int64, bool) {
	return a.Opened, amount(a.SanctionedPaise), a.Live
}

func onFile(a *report.Account, _ civil.Day) (civil.Day, int64, bool) { return a.Opened, 0, true }

func closed(a *report.Account, _ civil.Day) (civil.Day, int64, bool) {
	return a.Closed, amount(a.SanctionedPaise), a.Closed.Known()
}

// reported returns the day on which the lender last reported the account. If
// that day is not given, it returns the closing day, or asOf for an account
// that is not closed.
func reported(a *report.Account, asOf civil.Day) civil.Day {
	switch {
	case a.Reported.Known():
		return a.Reported
	case a.Closed.Known():
		return a.Closed
	default:
		return asOf
	}
}

func overdue(a *report.Account, asOf civil.Day) (civil.Day, int64, bool) {
	return reported(a, asOf), amount(a.OverduePaise), a.OverduePaise > 0
}

func balanceReported(a *report.Account, asOf civil.Day) (civil.Day, int64, bool) {
	return reported(a, asOf), amount(a.BalancePaise), true
}

func adverse(a *report.Account, asOf civil.Day) (civil.Day, int64, bool) {
	return reported(a, asOf), amount(a.AdversePaise), a.Adverse != 0
}

// instalment returns the monthly instalment of an account. For a card it is 5
// percent of the balance, the minimum payment.
func instalment(a *report.Account, _ civil.Day) (civil.Day, int64, bool) {
	paise := amount(a.InstalmentPaise)
	if a.Product == report.CreditCard {
		paise = (amount(a.BalancePaise) + 10) / 20
	}
	return a.Opened, paise, a.Live && paise > 0
}

func endOfDay(paise int64) (int64, bool) { return min(max(paise, -mostPaise), mostPaise), true }

func lowBalance(paise int64) (int64, bool) {
	return amount(lowBalancePaise - max(paise, -mostPaise)), paise < lowBalancePaise
}

// The two sums of a month.
const (
	instalments = iota
	income
)

// monthTotal is a whole month of a statement: the detected amounts, and the
// amounts that the borrower declares for every month.
type monthTotal struct{ found, declared [2]int64 }

func incomeShort(m *monthTotal) (int64, bool) {
	short := m.declared[income] - m.found[income]
	return short, short > 0
}

func undeclared(m *monthTotal) (int64, bool) {
	more := m.found[instalments] - m.declared[instalments]
	return more, more > 0
}
