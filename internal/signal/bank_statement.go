package signal

import (
	"verdict/internal/civil"
	"verdict/internal/report"
)

// statement adds the facts derived from the transactions.
func (b *bank) statement(s *report.Statement) {
	b.detected(s)
	b.salaries(s)
	b.issuedBounces(s)
	b.breaks(s)
	if len(s.Transactions) == 0 {
		b.count("bank_statement_days", 0)
		return
	}
	b.count("bank_statement_days", int(s.Last()-s.First())+1)
	b.count("bank_statement_age_days", b.age(s.Last()))
}

// age returns the days since a day. It returns 0 for a day after the decision,
// because a statement may be one day ahead.
func (b *bank) age(d civil.Day) int { return max(0, int(b.asOf-d)) }

// recent reports whether a day is in the last 90 days.
func (b *bank) recent(d civil.Day) bool { return d <= b.asOf && b.asOf-d < recentDays }

// detected adds the monthly income and instalments, each as the median over the whole months of the statement, and
// their differences from the declared amounts. It also adds the instalments that are due at the end of the statement.
func (b *bank) detected(s *report.Statement) {
	first, last, ok := report.WholeMonths(s)
	if !ok {
		return
	}
	months := int(last-first) + 1
	incomes, instalments := make([]int64, months), make([]int64, months)
	from, to := first.First(), last.Last()
	month, end := first, first.Last()
	for i := range s.Transactions {
		t := &s.Transactions[i]
		if t.Day < from || t.Day > to {
			continue
		}
		for t.Day > end {
			month++
			end = month.Last()
		}
		switch {
		case t.Is(report.Income):
			incomes[month-first] += t.AmountPaise
		case t.Is(report.LoanInstalment):
			instalments[month-first] += t.AmountPaise
		}
	}
	income := amount{median(incomes), true}
	b.emi = amount{median(instalments), true}
	b.money("bank_detected_income", income)
	b.money("bank_detected_emi", b.emi)
	b.share("bank_detected_foir", b.emi, income)
	due := amount{s.DueInstalmentPaise, s.DueInstalmentPaise != report.NoAmount}
	b.money("bank_due_emi", due)
	b.share("bank_due_foir", due, income)
	b.declared(s, income.paise, months)
}

// declared adds the differences between detected and declared amounts. For both
// mismatches a higher value is worse.
func (b *bank) declared(s *report.Statement, incomePaise int64, months int) {
	if d := s.DeclaredIncomePaise; d != report.NoAmount && d > 0 && months >= mismatchMonths {
		b.percent("bank_income_mismatch_pct", d-incomePaise, d)
	}
	d := s.DeclaredInstalmentPaise
	if d == report.NoAmount {
		return
	}
	b.money("bank_undeclared_emi", amount{max(0, b.emi.paise-d), true})
	switch larger := max(d, b.emi.paise); {
	case months < mismatchMonths:
	case larger == 0:
		b.count("bank_emi_mismatch_pct", 0)
	default:
		b.percent("bank_emi_mismatch_pct", b.emi.paise-d, larger)
	}
}

// salaries adds the number of calendar months with a salary and the age of the last salary.
func (b *bank) salaries(s *report.Statement) {
	months, last, latest := 0, civil.NoMonth, civil.NoDay
	for i := range s.Transactions {
		t := &s.Transactions[i]
		if !t.Is(report.Salary) {
			continue
		}
		latest = t.Day
		if m := t.Day.Month(); m != last {
			months, last = months+1, m
		}
	}
	b.count("bank_salary_months", months)
	if latest.Known() {
		b.count("bank_last_salary_age_days", b.age(latest))
	}
}

// issuedBounces counts the bounces of the last 90 days. If the statement ends
// before that window, the fact stays absent, because the statement says nothing
// about the window.
func (b *bank) issuedBounces(s *report.Statement) {
	if len(s.Transactions) == 0 || b.asOf-s.Last() >= recentDays {
		return
	}
	n := 0
	for i := range s.Transactions {
		if t := &s.Transactions[i]; t.Is(report.IssuedBounce) && b.recent(t.Day) {
			n++
		}
	}
	b.count("bank_issued_bounces_90d", n)
}

// negativeDays counts the days among the last 90 that ended with a negative balance, if the statement reaches into
// that window.
func (b *bank) negativeDays(first civil.Day, paise []int64) {
	if b.asOf-first-civil.Day(len(paise))+1 >= recentDays {
		return
	}
	n := 0
	for i, p := range paise {
		if p < 0 && b.recent(first+civil.Day(i)) {
			n++
		}
	}
	b.count("bank_negative_days_90d", n)
}

// breaks adds the number of balances that do not follow from the balance before,
// if the statement has at least two balances to compare.
func (b *bank) breaks(s *report.Statement) {
	balances := 0
	for i := range s.Transactions {
		if s.Transactions[i].BalancePaise != report.NoAmount {
			balances++
		}
	}
	if balances > 1 {
		b.count("bank_balance_breaks", s.Breaks)
	}
}
