package evaluate

import (
	"verdict/internal/civil"
	"verdict/internal/report"
)

// eventsOf returns the function that passes over the records of a metric and
// product.
func eventsOf(metric, product string) events {
	switch metric {
	case "enquiry":
		in := inProduct(product)
		return func(p *peer, yield func(int, int64)) {
			for i := range p.h.Enquiries {
				if e := &p.h.Enquiries[i]; in(e.Product, e.AmountPaise) {
					yield(int(asOf-e.Made), max(e.AmountPaise, 0))
				}
			}
		}
	case "dpd_1plus":
		return lateMonths(product, 1)
	case "dpd_30plus":
		return lateMonths(product, 30)
	case "dpd_90plus":
		return lateMonths(product, 90)
	case "months":
		return lateMonths(product, -1)
	case "eod_balance":
		return endsOfDays(func(paise int64) (int64, bool) { return paise, true })
	case "low_balance_day":
		return endsOfDays(func(paise int64) (int64, bool) { return 100_000 - paise, paise < 100_000 })
	case "income_gap", "emi_gap", "declared", "detected":
		return func(p *peer, yield func(int, int64)) { p.gaps(metric, yield) }
	}
	if of := accountEvents[metric]; of != nil {
		in := inProduct(product)
		return func(p *peer, yield func(int, int64)) {
			for i := range p.h.Accounts {
				a := &p.h.Accounts[i]
				if a.Opened > asOf || !in(a.Product, a.SanctionedPaise) {
					continue
				}
				if on, value, ok := of(a); ok {
					yield(int(int64(asOf)-int64(on)), value)
				}
			}
		}
	}
	is, by := transactionEvents[metric], byChannel(product)
	return func(p *peer, yield func(int, int64)) {
		for i := range p.s.Transactions {
			if t := &p.s.Transactions[i]; is(t) && by(t) {
				yield(int(asOf-t.Day), t.AmountPaise)
			}
		}
	}
}

func lateMonths(product string, least int16) events {
	in := inProduct(product)
	return func(p *peer, yield func(int, int64)) {
		for i := range p.h.Accounts {
			a := &p.h.Accounts[i]
			if a.Opened > asOf || !in(a.Product, a.SanctionedPaise) {
				continue
			}
			for _, m := range a.History {
				if m.DaysPastDue >= least {
					yield(int(p.newest-m.Month), int64(m.DaysPastDue))
				}
			}
		}
	}
}

func endsOfDays(of func(paise int64) (int64, bool)) events {
	return func(p *peer, yield func(int, int64)) {
		for i, paise := range p.balances {
			if value, ok := of(paise); ok {
				yield(int(asOf-p.first)-i, value)
			}
		}
	}
}

func (p *peer) gaps(metric string, yield func(age int, value int64)) {
	for ago, m := range p.months {
		short, more := p.s.DeclaredIncomePaise-m.income, m.emi-p.s.DeclaredInstalmentPaise
		switch {
		case metric == "declared":
			yield(ago, p.s.DeclaredIncomePaise)
		case metric == "detected":
			yield(ago, m.emi)
		case metric == "income_gap" && short > 0:
			yield(ago, short)
		case metric == "emi_gap" && more > 0:
			yield(ago, more)
		}
	}
}

func inProduct(product string) func(p report.Product, paise int64) bool {
	is := func(which ...report.Product) func(report.Product, int64) bool {
		return func(p report.Product, _ int64) bool {
			return p == which[0] || p == which[len(which)-1]
		}
	}
	switch product {
	case "all":
		return func(report.Product, int64) bool { return true }
	case "secured":
		return func(p report.Product, _ int64) bool { return p.Secured() }
	case "unsecured":
		return func(p report.Product, _ int64) bool { return !p.Secured() }
	case "small_ticket_loan":
		return func(p report.Product, paise int64) bool {
			return p == report.PersonalLoan && paise >= 0 && paise <= 5_000_000
		}
	case "personal_loan":
		return is(report.PersonalLoan)
	case "credit_card":
		return is(report.CreditCard)
	case "consumer_loan":
		return is(report.ConsumerLoan)
	case "vehicle_loan":
		return is(report.VehicleLoan)
	case "home_loan":
		return is(report.HomeLoan)
	case "gold_loan":
		return is(report.GoldLoan)
	default:
		return is(report.BusinessLoan, report.BusinessLoanSecured)
	}
}

func byChannel(product string) func(t *report.Transaction) bool {
	switch product {
	case "upi":
		return func(t *report.Transaction) bool { return t.Channel == report.UPI }
	case "transfer":
		return func(t *report.Transaction) bool { return t.Channel == report.Transfer }
	case "cash":
		return func(t *report.Transaction) bool { return t.Channel == report.Cash }
	case "other":
		return func(t *report.Transaction) bool { return t.Channel == report.OtherChannel }
	case "nach":
		return func(t *report.Transaction) bool { return t.Is(report.Mandate) }
	case "cheque":
		return func(t *report.Transaction) bool { return t.Is(report.Cheque) }
	default:
		return func(*report.Transaction) bool { return true }
	}
}

func said(a *report.Account) civil.Day {
	switch {
	case a.Reported.Known():
		return a.Reported
	case a.Closed.Known():
		return a.Closed
	default:
		return asOf
	}
}

var accountEvents = map[string]func(a *report.Account) (on civil.Day, value int64, ok bool){
	"on file": func(a *report.Account) (civil.Day, int64, bool) { return a.Opened, 0, true },
	"account_opened": func(a *report.Account) (civil.Day, int64, bool) {
		return a.Opened, max(a.SanctionedPaise, 0), a.Opened.Known()
	},
	"sanctioned": func(a *report.Account) (civil.Day, int64, bool) {
		return a.Opened, max(a.SanctionedPaise, 0), a.Live
	},
	"outstanding": func(a *report.Account) (civil.Day, int64, bool) {
		return a.Opened, a.BalancePaise, a.Live && a.BalancePaise > 0
	},
	"account_closed": func(a *report.Account) (civil.Day, int64, bool) {
		return a.Closed, max(a.SanctionedPaise, 0), a.Closed.Known()
	},
	"overdue": func(a *report.Account) (civil.Day, int64, bool) { return said(a), a.OverduePaise, a.OverduePaise > 0 },
	"balance": func(a *report.Account) (civil.Day, int64, bool) { return said(a), max(a.BalancePaise, 0), true },
	"adverse": func(a *report.Account) (civil.Day, int64, bool) {
		return said(a), max(a.AdversePaise, 0), a.Adverse != 0
	},
	"emi": func(a *report.Account) (civil.Day, int64, bool) {
		emi := max(a.InstalmentPaise, 0)
		if a.Product == report.CreditCard {
			emi = (max(a.BalancePaise, 0) + 10) / 20
		}
		return a.Opened, emi, a.Live && emi > 0
	},
}

func credited(what report.Found) func(t *report.Transaction) bool {
	return func(t *report.Transaction) bool { return t.Credit && t.Is(what) }
}

func debited(what report.Found) func(t *report.Transaction) bool {
	return func(t *report.Transaction) bool { return !t.Credit && t.Is(what) }
}

var transactionEvents = map[string]func(t *report.Transaction) bool{
	"credit":           credited(0),
	"income":           credited(report.Income),
	"salary":           credited(report.Salary),
	"loan_credit":      credited(report.LoanCredit),
	"self_transfer":    credited(report.SelfTransfer),
	"debit":            debited(0),
	"emi_debit":        debited(report.LoanInstalment),
	"card_bill":        debited(report.CardBill),
	"bill_payment":     debited(report.BillPayment),
	"investment":       debited(report.Investment),
	"charge":           debited(report.Charge),
	"issued_bounce":    func(t *report.Transaction) bool { return t.Is(report.IssuedBounce) },
	"deposited_return": func(t *report.Transaction) bool { return t.Is(report.DepositedReturn) },
	"honoured": func(t *report.Transaction) bool {
		return !t.Credit && (t.Is(report.Mandate) || t.Is(report.Cheque)) && !t.Is(report.IssuedBounce)
	},
	"cheque credits": func(t *report.Transaction) bool {
		return t.Credit && t.Is(report.Cheque) && !t.Is(report.DepositedReturn) && !t.Is(report.IssuedBounce)
	},
}
