package feature

import (
	"verdict/internal/civil"
	"verdict/internal/report"
)

// input is a history and a statement, with the data that is needed to assign
// their records to windows.
type input struct {
	history   *report.History
	statement *report.Statement
	asOf      civil.Day
	lists     [accountLists][]report.Account // the accounts that count
	present   [origins]bool
	newest    [origins]civil.Month // the newest month of a monthly origin's windows
	ended     [origins]bool        // whether that month ended within the last 7 days
	covered   [origins]int         // number of windows, from the shortest on, that have values
	firstDay  civil.Day
	balances  []int64 // balance at the end of each day from firstDay on
	months    [monthsMost]monthTotal
	whole     [monthsMost]bool // for each entry of months, counted back from the newest: whether it is a whole month
}

// The lists of accounts.
const (
	accountList = iota
	microfinanceList
	accountLists // the number of lists
)

// monthsBehind is the largest number of months by which the newest month of a
// source may be before as_of. If a source stopped earlier, windows are counted
// from that limit, because missing months are no evidence of recent good conduct.
const monthsBehind = 2

func (in *input) gather(c Catalogue, h *report.History, s *report.Statement, asOf civil.Day) {
	*in = input{history: h, statement: s, asOf: asOf}
	for from := range in.covered {
		in.covered[from] = windows
	}
	if !asOf.Known() {
		return
	}
	if h != nil {
		in.present[accounts] = h.HasAccounts
		if h.HasAccounts {
			in.lists[accountList] = h.Accounts
		}
		if c >= Catalogue2 && len(h.Microfinance) > 0 {
			in.present[accounts] = true
			in.lists[microfinanceList] = h.Microfinance
		}
		in.present[enquiries] = h.HasEnquiries
		if newest := in.newestPayment(); newest != civil.NoMonth {
			in.countFrom(payments, newest)
		}
	}
	if s == nil {
		return
	}
	in.present[transactions] = true
	in.firstDay, in.balances = report.EndOfDay(s)
	in.present[balances] = in.balances != nil && in.firstDay <= asOf
	in.gatherMonths()
	if c >= Catalogue2 {
		in.cover(s)
	}
}

// cover counts the windows that do not begin before the statement. The statement
// contains nothing about the days before its first transaction, and a longer
// window would count them as days without events. A statement without
// transactions covers no window.
func (in *input) cover(s *report.Statement) {
	first := s.First()
	count := func(begin func(window int) civil.Day) (n int) {
		for n < windows && first.Known() && begin(n) >= first {
			n++
		}
		return n
	}
	days := count(in.windowFrom)
	in.covered[transactions], in.covered[balances] = days, days
	for _, from := range [...]origin{incomeMonths, instalmentMonths} {
		in.covered[from] = count(func(window int) civil.Day { return in.monthsFrom(from, window).First() })
	}
}

// windowFrom returns the first day of a window.
func (in *input) windowFrom(window int) civil.Day {
	return in.asOf - civil.Day(windowsDays[window]) + 1
}

// monthsFrom returns the first month of a monthly origin's window.
func (in *input) monthsFrom(from origin, window int) civil.Month {
	return in.newest[from] - civil.Month(windowMonths[window]) + 1
}

// countFrom marks a monthly origin as present and sets the newest month of its
// windows.
func (in *input) countFrom(from origin, newest civil.Month) {
	newest = max(newest, in.asOf.Month()-monthsBehind)
	in.present[from] = true
	in.newest[from] = newest
	since := in.asOf - newest.Last()
	in.ended[from] = since >= 0 && int(since) < windowsDays[0]
}

// exists reports whether an account existed on as_of.
func (in *input) exists(a *report.Account) bool { return !a.Opened.Known() || a.Opened <= in.asOf }

// newestPayment returns the newest month, up to that of as_of, in the payment history of any account that existed on
// as_of.
func (in *input) newestPayment() civil.Month {
	newest, current := civil.NoMonth, in.asOf.Month()
	for _, list := range in.lists {
		for i := range list {
			a := &list[i]
			if !in.exists(a) {
				continue
			}
			for _, p := range a.History {
				if p.Month > newest && p.Month <= current {
					newest = p.Month
				}
			}
		}
	}
	return newest
}

// gatherMonths sums up the whole months of the statement that ended by as_of.
func (in *input) gatherMonths() {
	s := in.statement
	first, last, ok := report.WholeMonths(s)
	if !ok {
		return
	}
	current := in.asOf.Month()
	if in.asOf < current.Last() {
		current--
	}
	if last = min(last, current); last < first {
		return
	}
	if s.DeclaredIncomePaise != report.NoAmount {
		in.countFrom(incomeMonths, last)
	}
	if s.DeclaredInstalmentPaise != report.NoAmount {
		in.countFrom(instalmentMonths, last)
	}
	if !in.present[incomeMonths] && !in.present[instalmentMonths] {
		return
	}
	newest := max(in.newest[incomeMonths], in.newest[instalmentMonths])
	for month := max(first, newest-monthsMost+1); month <= last; month++ {
		in.whole[newest-month] = true
		in.months[newest-month] = monthTotal{
			declared: [2]int64{instalments: amount(s.DeclaredInstalmentPaise), income: amount(s.DeclaredIncomePaise)},
		}
	}
	in.addMonths(newest)
}

// monthly are the transactions that are summed by month: instalments among
// debits, income among credits.
var monthly = [2]report.Found{instalments: report.LoanInstalment, income: report.Income}

// addMonths adds income and instalments to their months. Transactions are
// sorted by day, so the month is looked up only when it changes.
func (in *input) addMonths(newest civil.Month) {
	var from, to civil.Day = 1, 0
	outside := monthTotal{} // collects transactions outside the counted months
	total := &outside
	for i := range in.statement.Transactions {
		t := &in.statement.Transactions[i]
		if t.Day < from || t.Day > to {
			month := t.Day.Month()
			from, to, total = month.First(), month.Last(), &outside
			if ago := int64(newest) - int64(month); ago >= 0 && ago < monthsMost {
				total = &in.months[ago]
			}
		}
		side := instalments
		if t.Credit {
			side = income
		}
		value := amount(t.AmountPaise)
		if t.Found&monthly[side] == 0 {
			value = 0
		}
		total.found[side] += value
	}
}
