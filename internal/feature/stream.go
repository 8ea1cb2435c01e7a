package feature

import (
	"verdict/internal/civil"
	"verdict/internal/report"
)

// origin is what has to be on file for a metric to have any value at all.
type origin uint8

// The origins.
const (
	accounts         origin = iota // a list of accounts, be it empty
	enquiries                      // a list of enquiries, be it empty
	payments                       // a month of payment history of any account
	transactions                   // a list of transactions, be it empty
	balances                       // a balance in it
	incomeMonths                   // a whole month in it, and a declared income
	instalmentMonths               // a whole month in it, and declared instalments
	origins                        // how many there are
)

// side is the direction money went.
type side uint8

const (
	eitherSide side = iota
	credits
	debits
)

// stream says which records are a metric's events, on which day they happened
// and what their value is, in paise or days. Which of its parts is used depends
// on the origin.
type stream struct {
	from      origin
	account   func(a *report.Account, asOf civil.Day) (on civil.Day, value int64, ok bool)
	leastDays int16 // a payment month is an event from so many days past due
	side      side
	found     report.Found // a transaction is an event when it is any of these, 0 for all
	unless    report.Found // and none of these
	balance   func(paise int64) (value int64, ok bool)
	month     func(m *monthTotal) (value int64, ok bool)
}

// fraction says how a ratio is computed: the metric's own events over a base.
type fraction struct {
	of     string // the metric or base that is divided by
	counts bool   // numbers are compared, not values
	plus   bool   // the metric's own events are added to the base
	all    bool   // the base is of all products, not of the same one
	ever   bool   // the base is of every age, not of the window
	times  int64  // the base is taken so many times, 0 for once
}

// typical is what an ordinary borrower shows: how many events there are in 30
// days, in ten-thousandths; what one is worth, in rupees or days; and the ratio,
// in ten-thousandths. The figures are plausible constants, not measurements:
// they only put features in an order in which a reader may want to see them.
type typical struct {
	events, value, ratio int64
}

// bases are what ratios divide by where that is no metric itself. They have
// the form of a metric and no features.
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
		events: stream{from: transactions, side: credits, found: report.Cheque, unless: report.DepositedReturn | report.IssuedBounce},
	},
	{
		Name: "declared_income", Products: onlyAll, Source: Bank, Unit: Rupees, Monthly: true,
		events: stream{from: incomeMonths, month: func(m *monthTotal) (int64, bool) { return m.declared[income], true }},
	},
	{
		Name: "detected_instalment", Products: onlyAll, Source: Bank, Unit: Rupees, Monthly: true,
		events: stream{from: instalmentMonths, month: func(m *monthTotal) (int64, bool) { return m.found[instalments], true }},
	},
}

// anyDays lets a payment month count however late it was.
const anyDays = -1 << 15

// daysInMonth turns the income of a number of days into that of a month.
const daysInMonth = 30

// lowBalancePaise is the balance below which a day ends low: ₹1,000.
const lowBalancePaise = 1_000 * 100

// mostPaise is the most one record counts for, ₹10,000 crore, so that no sum
// can overflow. No person's record comes near it.
const mostPaise = 100_000_000_000 * 100

// amount is the value of an amount: nothing when it was not given, and a
// balance in the borrower's favour is no debt.
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

// reported is the day the lender last spoke of the account. One that does not
// say spoke of a closed account when it was closed, and of any other in this
// report.
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

// instalment is what an account costs a month. A card has no instalment of its
// own; 5 percent of its balance is what has to be paid at least.
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

// monthTotal is a whole month of a statement: what was found in it, and what
// the borrower says of any month.
type monthTotal struct{ found, declared [2]int64 }

func incomeShort(m *monthTotal) (int64, bool) {
	short := m.declared[income] - m.found[income]
	return short, short > 0
}

func undeclared(m *monthTotal) (int64, bool) {
	more := m.found[instalments] - m.declared[instalments]
	return more, more > 0
}
