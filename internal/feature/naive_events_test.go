package feature

import (
	"time"

	"verdict/internal/civil"
	"verdict/internal/report"
)

func (n *naive) enquiries(product string) *naiveList {
	if n.h == nil || !n.h.HasEnquiries {
		return &naiveList{absent: true}
	}
	l := &naiveList{}
	for _, e := range n.h.Enquiries {
		if e.Made != civil.NoDay && n.in(product, e.Product, e.AmountPaise) {
			l.events = append(l.events, naiveEvent{day: calendar(e.Made), value: given(e.AmountPaise)})
		}
	}
	return l
}

// hasAccounts reports whether the history has accounts that the catalogue
// counts.
func (n *naive) hasAccounts() bool {
	return n.h != nil && (n.h.HasAccounts || n.catalogue == Catalogue2 && len(n.h.Microfinance) > 0)
}

func (n *naive) accounts(metric, product string) *naiveList {
	if !n.hasAccounts() {
		return &naiveList{absent: true}
	}
	l := &naiveList{}
	for _, a := range n.onFile(product) {
		var on civil.Day
		var value int64
		is := true
		switch metric {
		case "account_opened":
			on, value = a.Opened, given(a.SanctionedPaise)
		case "outstanding":
			on, value, is = a.Opened, given(a.BalancePaise), a.Live && a.BalancePaise > 0
		case "live sanctioned":
			on, value, is = a.Opened, given(a.SanctionedPaise), a.Live
		case "account_closed":
			on, value = a.Closed, given(a.SanctionedPaise)
		case "emi":
			on, value = a.Opened, naiveInstalment(a)
			is = value > 0
		default:
			e := naiveEvent{day: n.said(a)}
			switch metric {
			case "overdue":
				e.value, is = given(a.OverduePaise), a.OverduePaise > 0
			case "adverse":
				e.value, is = given(a.AdversePaise), a.Adverse != 0
			default:
				e.value = given(a.BalancePaise)
			}
			if is {
				l.events = append(l.events, e)
			}
			continue
		}
		if is && on != civil.NoDay {
			l.events = append(l.events, naiveEvent{day: calendar(on), value: value})
		}
	}
	return l
}

func (n *naive) months(product string, least int16) *naiveList {
	l := &naiveList{absent: true}
	if !n.hasAccounts() {
		return l
	}
	now := monthNumber(n.today)
	for _, a := range n.onFile("all") {
		for _, p := range a.History {
			if int(p.Month) > now {
				continue
			}
			l.absent = false
			l.newest = max(l.newest, int(p.Month))
			if p.DaysPastDue >= least && n.in(product, a.Product, a.SanctionedPaise) {
				l.events = append(l.events, naiveEvent{month: int(p.Month), value: int64(p.DaysPastDue)})
			}
		}
	}
	l.newest = max(l.newest, now-2)
	return l
}

func (n *naive) transactions(metric, product string) *naiveList {
	if n.s == nil {
		return &naiveList{absent: true}
	}
	l := &naiveList{}
	for _, t := range n.s.Transactions {
		if naiveIs(metric, t) && naiveChannel(product, t) {
			l.events = append(l.events, naiveEvent{day: calendar(t.Day), value: given(t.AmountPaise)})
		}
	}
	return l
}

func naiveIs(metric string, t report.Transaction) bool {
	credit, debit := t.Credit, !t.Credit
	switch metric {
	case "credit":
		return credit
	case "debit":
		return debit
	case "income":
		return credit && t.Is(report.Income)
	case "salary":
		return credit && t.Is(report.Salary)
	case "loan_credit":
		return credit && t.Is(report.LoanCredit)
	case "self_transfer":
		return credit && t.Is(report.SelfTransfer)
	case "emi_debit":
		return debit && t.Is(report.LoanInstalment)
	case "card_bill":
		return debit && t.Is(report.CardBill)
	case "bill_payment":
		return debit && t.Is(report.BillPayment)
	case "investment":
		return debit && t.Is(report.Investment)
	case "charge":
		return debit && t.Is(report.Charge)
	case "issued_bounce":
		return t.Is(report.IssuedBounce)
	case "deposited_return":
		return t.Is(report.DepositedReturn)
	case "honoured":
		return debit && (t.Is(report.Mandate) || t.Is(report.Cheque)) && !t.Is(report.IssuedBounce)
	case "cheque credits":
		return credit && t.Is(report.Cheque) && !t.Is(report.DepositedReturn) && !t.Is(report.IssuedBounce)
	default:
		panic(metric)
	}
}

func naiveChannel(product string, t report.Transaction) bool {
	switch product {
	case "upi":
		return t.Channel == report.UPI
	case "transfer":
		return t.Channel == report.Transfer
	case "cash":
		return t.Channel == report.Cash
	case "other":
		return t.Channel == report.OtherChannel
	case "nach":
		return t.Is(report.Mandate)
	case "cheque":
		return t.Is(report.Cheque)
	default:
		return true
	}
}

// days returns the events of a balance metric, from the day of the first
// transaction to that of the last one, but not after today. The value of a day
// comes from the newest balance on or before that day.
func (n *naive) days(metric string) *naiveList {
	l := &naiveList{absent: true}
	if n.s == nil || len(n.s.Transactions) == 0 {
		return l
	}
	last := n.s.Transactions[len(n.s.Transactions)-1].Day
	for day := n.s.Transactions[0].Day; day <= last && !calendar(day).After(n.today); day++ {
		balance := report.NoAmount
		for _, t := range n.s.Transactions {
			if t.Day <= day && t.BalancePaise != report.NoAmount {
				balance = t.BalancePaise
			}
		}
		if balance == report.NoAmount {
			continue
		}
		l.absent = false
		balance = max(min(balance, 10_000_000_000_000), -10_000_000_000_000)
		switch {
		case metric == "eod_balance":
			l.events = append(l.events, naiveEvent{day: calendar(day), value: balance})
		case balance < 100_000:
			l.events = append(l.events, naiveEvent{day: calendar(day), value: 100_000 - balance})
		}
	}
	return l
}

func (n *naive) gaps(metric string) *naiveList {
	l := &naiveList{absent: true}
	if n.s == nil || len(n.s.Transactions) == 0 {
		return l
	}
	declared := n.s.DeclaredIncomePaise
	if metric == "emi_gap" || metric == "detected" {
		declared = n.s.DeclaredInstalmentPaise
	}
	if declared == report.NoAmount {
		return l
	}
	declared = given(declared)
	first := calendar(n.s.Transactions[0].Day)
	last := calendar(n.s.Transactions[len(n.s.Transactions)-1].Day)
	for month := monthNumber(first); month <= monthNumber(n.today); month++ {
		begin, end := time.Date(month/12, time.Month(month%12+1), 1, 0, 0, 0, 0, time.UTC), monthEnd(month)
		if begin.Before(first) || end.After(last) || end.After(n.today) {
			continue
		}
		var income, instalments int64
		for _, t := range n.s.Transactions {
			if day := calendar(t.Day); !day.Before(begin) && !day.After(end) {
				if naiveIs("income", t) {
					income += given(t.AmountPaise)
				}
				if naiveIs("emi_debit", t) {
					instalments += given(t.AmountPaise)
				}
			}
		}
		l.absent, l.newest = false, month
		switch {
		case metric == "declared":
			l.events = append(l.events, naiveEvent{month: month, value: declared})
		case metric == "detected":
			l.events = append(l.events, naiveEvent{month: month, value: instalments})
		case metric == "income_gap" && income < declared:
			l.events = append(l.events, naiveEvent{month: month, value: declared - income})
		case metric == "emi_gap" && instalments > declared:
			l.events = append(l.events, naiveEvent{month: month, value: instalments - declared})
		}
	}
	l.newest = max(l.newest, monthNumber(n.today)-2)
	return l
}
