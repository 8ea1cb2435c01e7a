package evaluate

import (
	"verdict/internal/civil"
	"verdict/internal/report"
)

// channelRow holds the index of each channel in the list "all", "upi", "transfer",
// "cash", "other".
var channelRow = [4]int{report.OtherChannel: 4, report.UPI: 1, report.Transfer: 2, report.Cash: 3}

// transactions reads the statement once and counts its events, the balance at the end of
// each day, and the sums of its months.
func (l *limit) transactions(s *report.Statement) {
	l.first, l.whole, _ = report.WholeMonths(s)
	if asOf < l.whole.Last() {
		l.whole = asOf.Month() - 1
	}
	monthEnd, ago := civil.Day(-1<<31), 0
	balance, known, day := int64(0), false, civil.NoDay
	for i := range s.Transactions {
		t := &s.Transactions[i]
		if t.Day > asOf {
			break
		}
		if t.Day > monthEnd {
			month := t.Day.Month()
			monthEnd, ago = month.Last(), int(l.whole-month)
		}
		if t.Day != day {
			if known {
				l.days(day, t.Day, balance)
			}
			day = t.Day
		}
		if t.BalancePaise != report.NoAmount {
			balance, known = t.BalancePaise, true
		}
		if ago >= 0 && ago < len(l.months) {
			if t.Credit && t.Found&report.Income != 0 {
				l.months[ago].income += t.AmountPaise
			} else if !t.Credit && t.Found&report.LoanInstalment != 0 {
				l.months[ago].emi += t.AmountPaise
			}
		}
		if age := uint(asOf - t.Day); age < uint(len(dayBucket)) {
			l.transaction(t, dayBucket[age])
		}
	}
	if known {
		l.days(day, day+1, balance)
	}
}

// days counts a range of days that all ended with the same balance. The last day of the range is the one before "to".
func (l *limit) days(from, to civil.Day, balance int64) {
	for day := max(from, asOf-civil.Day(len(dayBucket))+1); day < to; day++ {
		at := dayBucket[asOf-day]
		l.rows[rowBalance][at].add(balance)
		if balance < 100_000 {
			l.rows[rowLow][at].add(100_000 - balance)
		}
	}
}

func (l *limit) transaction(t *report.Transaction, at uint8) {
	found, value := t.Found, t.AmountPaise
	if t.Credit {
		l.rows[rowCredit+channelRow[t.Channel&3]][at].add(value)
		if found&report.Income != 0 {
			l.rows[rowIncome][at].add(value)
			switch t.Channel {
			case report.UPI:
				l.rows[rowIncome+1][at].add(value)
			case report.Cash:
				l.rows[rowIncome+2][at].add(value)
			default:
			}
		}
		if found&^report.Income != 0 {
			l.one(found, report.Salary, rowSalary, at, value)
			l.one(found, report.LoanCredit, rowLoan, at, value)
			l.one(found, report.SelfTransfer, rowSelf, at, value)
			if found&report.Cheque != 0 && found&(report.DepositedReturn|report.IssuedBounce) == 0 {
				l.rows[rowCheques][at].add(value)
			}
			l.bounced(found, at, value)
		}
		return
	}
	l.rows[rowDebit+channelRow[t.Channel&3]][at].add(value)
	if found == 0 {
		return
	}
	l.one(found, report.LoanInstalment, rowEMIDebit, at, value)
	l.one(found, report.CardBill, rowCardBill, at, value)
	l.one(found, report.BillPayment, rowBill, at, value)
	l.one(found, report.Investment, rowInvestment, at, value)
	l.one(found, report.Charge, rowCharge, at, value)
	if found&(report.Mandate|report.Cheque) != 0 && found&report.IssuedBounce == 0 {
		l.instrument(found, rowHonoured, at, value)
	}
	l.bounced(found, at, value)
}

func (l *limit) one(found, what report.Found, row int, at uint8, value int64) {
	if found&what != 0 {
		l.rows[row][at].add(value)
	}
}

func (l *limit) bounced(found report.Found, at uint8, value int64) {
	if found&report.IssuedBounce != 0 {
		l.instrument(found, rowBounce, at, value)
	}
	l.one(found, report.DepositedReturn, rowReturn, at, value)
}

func (l *limit) instrument(found report.Found, row int, at uint8, value int64) {
	l.rows[row][at].add(value)
	l.one(found, report.Mandate, row+1, at, value)
	l.one(found, report.Cheque, row+2, at, value)
}

// monthly compares each of the last 24 whole months of the statement with the declared
// amounts.
func (l *limit) monthly(s *report.Statement) {
	for month := max(l.first, l.whole-23); month <= l.whole; month++ {
		ago := l.whole - month
		at, m := monthPart[ago], &l.months[ago]
		l.rows[rowDeclared][at].add(s.DeclaredIncomePaise)
		l.rows[rowDetected][at].add(m.emi)
		if short := s.DeclaredIncomePaise - m.income; short > 0 {
			l.rows[rowIncomeGap][at].add(short)
		}
		if more := m.emi - s.DeclaredInstalmentPaise; more > 0 {
			l.rows[rowEMIGap][at].add(more)
		}
	}
}
