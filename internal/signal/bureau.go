package signal

import (
	"verdict/internal/civil"
	"verdict/internal/exact"
	"verdict/internal/report"
	"verdict/internal/rule"
)

// The windows of the bureau facts.
const (
	enquiryDays      = 180
	writtenOffMonths = 36
	seriousDays      = 30 // days past due from which a month counts as serious
)

// dpdWindows are the windows of the max_dpd facts, in months.
var dpdWindows = [...]int64{12, 24, 36}

// Bureau derives the facts of a credit history as of a day. It calls add once
// for each known fact, in a fixed order.
//
// Sums include only the accounts that state the amount. If there are accounts and
// none of them states the amount, the sum is absent.
func Bureau(h *report.History, asOf civil.Day, add func(name string, v rule.Value)) {
	if h == nil {
		return
	}
	if n, ok := enquiries(h, asOf); ok {
		add("enquiries_6m", integer(n))
	}
	if h.HasAccounts {
		counts(h, asOf, add)
		amounts(h, add)
		payments(h, asOf, add)
	}
	if h.HasAccounts || len(h.Microfinance) > 0 {
		owned(h, asOf, add)
	}
	if h.Reported.Known() {
		add("bureau_report_age_days", integer(max(0, int64(asOf-h.Reported))))
	}
}

// enquiries counts the listed enquiries of the last enquiryDays days. If there is
// no list, it returns the bureau's own count. ok is false if there is neither.
func enquiries(h *report.History, asOf civil.Day) (n int64, ok bool) {
	if !h.HasEnquiries {
		return int64(h.Last180), h.Last180 != report.NoCount
	}
	for i := range h.Enquiries {
		if age := asOf - h.Enquiries[i].Made; h.Enquiries[i].Made.Known() && age >= 0 && age < enquiryDays {
			n++
		}
	}
	return n, true
}

// counts adds the facts that count accounts, and the age of the oldest account.
func counts(h *report.History, asOf civil.Day, add func(string, rule.Value)) {
	var live, unsecured, writtenOff int64
	var suit bool
	oldest := civil.NoDay
	for i := range h.Accounts {
		a := &h.Accounts[i]
		if a.Live {
			live++
			if !a.Product.Secured() {
				unsecured++
			}
		}
		if a.Adverse&(report.WrittenOff|report.Settled) != 0 && recentlyWrittenOff(a, asOf) {
			writtenOff++
		}
		suit = suit || a.Adverse&(report.SuitFiled|report.Wilful) != 0
		if a.Opened.Known() && (!oldest.Known() || a.Opened < oldest) {
			oldest = a.Opened
		}
	}
	add("active_tradelines", integer(live))
	add("bureau_written_off_36m", integer(writtenOff))
	add("bureau_suit_or_wilful", rule.Bool(suit))
	add("bureau_live_unsecured", integer(unsecured))
	if oldest.Known() {
		add("bureau_oldest_account_months", integer(monthsBetween(oldest, asOf)))
	}
}

// recentlyWrittenOff reports whether a write-off or settlement is in the window.
// Its date is the closing day, otherwise the reporting day. Without either day it
// counts as recent.
func recentlyWrittenOff(a *report.Account, asOf civil.Day) bool {
	at := a.Closed
	if !at.Known() {
		at = a.Reported
	}
	return !at.Known() || monthsBetween(at, asOf) < writtenOffMonths
}

// amounts adds the sums of overdue amounts, balances and monthly instalments.
func amounts(h *report.History, add func(string, rule.Value)) {
	var overdue, owed, unsecured, emi sum
	var drawnPaise, limitPaise int64
	for i := range h.Accounts {
		a := &h.Accounts[i]
		overdue.add(a.OverduePaise)
		if !a.Live {
			continue
		}
		balancePaise := a.BalancePaise
		if balancePaise != report.NoAmount {
			balancePaise = max(0, balancePaise) // an overpaid card reduces no other debt
		}
		owed.add(balancePaise)
		if !a.Product.Secured() {
			unsecured.add(balancePaise)
		}
		if a.Product != report.CreditCard {
			emi.add(a.InstalmentPaise)
			continue
		}
		emi.add(cardInstalment(balancePaise))
		if balancePaise != report.NoAmount && a.SanctionedPaise > 0 {
			drawnPaise += balancePaise
			limitPaise += a.SanctionedPaise
		}
	}
	overdue.addFact("bureau_overdue_amount", add)
	owed.addFact("bureau_total_outstanding", add)
	unsecured.addFact("bureau_unsecured_outstanding", add)
	emi.addFact("bureau_total_emi", add)
	if limitPaise > 0 {
		add("bureau_card_utilisation", rule.Num(ratio(drawnPaise, limitPaise)))
	}
}

// cardInstalment returns 5 percent of a card's balance, rounded half up to the
// paisa.
func cardInstalment(balancePaise int64) int64 {
	if balancePaise == report.NoAmount {
		return report.NoAmount
	}
	return exact.DivHalfAway(balancePaise*5, 100)
}

// payments adds the highest days past due in each window, and the number of
// months since the last serious month.
func payments(h *report.History, asOf civil.Day, add func(string, rule.Value)) {
	now := asOf.Month()
	var worst [len(dpdWindows)]extreme
	since := int64(-1)
	for i := range h.Accounts {
		for _, p := range h.Accounts[i].History {
			age := int64(now - p.Month)
			if age < 0 {
				continue
			}
			for w, window := range dpdWindows {
				if age < window {
					worst[w].atLeast(int64(p.DaysPastDue))
				}
			}
			if p.DaysPastDue >= seriousDays && (since < 0 || age < since) {
				since = age
			}
		}
	}
	for w, name := range []string{"max_dpd_12m", "max_dpd_24m", "max_dpd_36m"} {
		worst[w].addFact(name, add)
	}
	if since >= 0 {
		add("bureau_months_since_30dpd", integer(since))
	}
}

// sum adds up the known amounts of accounts. asked is the number of accounts, and
// known is the number of accounts that state the amount.
type sum struct {
	paise        int64
	asked, known int
}

func (s *sum) add(paise int64) {
	s.asked++
	if paise != report.NoAmount {
		s.known++
		s.paise += paise
	}
}

func (s *sum) addFact(name string, add func(string, rule.Value)) {
	if s.known > 0 || s.asked == 0 {
		add(name, rule.Num(rupees(s.paise)))
	}
}

func integer(n int64) rule.Value { return rule.Num(rule.Int(n)) }

// rupees converts paise to a Number. A sum above the largest Number becomes the
// largest Number. If the fact were absent instead, a rule could treat it as a
// smaller amount.
func rupees(paise int64) rule.Number { return min(rule.Rupees(paise), rule.MaxNumber) }

// ratio returns a ÷ b, rounded half up to six decimals. b must be positive and
// a not negative.
func ratio(a, b int64) rule.Number {
	quotient, ok := exact.MulDivHalfUp(uint64(a), uint64(rule.One), uint64(b))
	if !ok {
		return rule.MaxNumber
	}
	return rule.Number(min(quotient, uint64(rule.MaxNumber)))
}

// monthsBetween returns the number of whole months between two days, or 0 if the second day is earlier. A month is
// complete on the same day of the month as the first day. If a month is too short to have that day, it is complete on
// its last day.
func monthsBetween(from, to civil.Day) int64 {
	_, _, day := from.Date()
	_, _, today := to.Date()
	n := int64(to.Month() - from.Month())
	if today < day && to != to.Month().Last() {
		n--
	}
	return max(0, n)
}
