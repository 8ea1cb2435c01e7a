package evaluate

import (
	"math"

	"verdict/internal/civil"
	"verdict/internal/feature"
	"verdict/internal/report"
)

// The limit computes the 3,492 features with code written by hand for the large request.
// It adds each record once to buckets of days, and then adds up the buckets. It relies on
// the properties of that request: every source is present, the transactions are sorted,
// and no amount is out of range.

// These constants are the first row of each metric, in the order of the catalogue. A
// metric has a row for each of its products. The rows after pairCount are the
// divisors of ratios.
const (
	rowEnquiry     = 0
	rowOpened      = rowEnquiry + 11
	rowOutstanding = rowOpened + 11
	rowLate        = rowOutstanding + 11
	rowLate30      = rowLate + 11
	rowLate90      = rowLate30 + 4
	rowClosed      = rowLate90 + 4
	rowOverdue     = rowClosed + 4
	rowAdverse     = rowOverdue + 4
	rowEMI         = rowAdverse + 4
	rowCredit      = rowEMI + 4
	rowDebit       = rowCredit + 5
	rowIncome      = rowDebit + 5
	rowSalary      = rowIncome + 3
	rowEMIDebit    = rowSalary + 1
	rowCardBill    = rowEMIDebit + 1
	rowBill        = rowCardBill + 1
	rowInvestment  = rowBill + 1
	rowBounce      = rowInvestment + 1
	rowReturn      = rowBounce + 3
	rowLoan        = rowReturn + 1
	rowSelf        = rowLoan + 1
	rowCharge      = rowSelf + 1
	rowBalance     = rowCharge + 1
	rowLow         = rowBalance + 1
	rowIncomeGap   = rowLow + 1
	rowEMIGap      = rowIncomeGap + 1
	pairCount      = rowEMIGap + 1

	rowOnFile     = pairCount
	rowSanctioned = rowOnFile + 11
	rowMonths     = rowSanctioned + 11
	rowReported   = rowMonths + 11
	rowHonoured   = rowReported + 4
	rowCheques    = rowHonoured + 3
	rowDeclared   = rowCheques + 1
	rowDetected   = rowDeclared + 1
	allRows       = rowDetected + 1
)

// buckets is the number of intervals into which the windows and their halves divide a
// year, plus one for everything older.
const buckets = 13

type bucket struct{ n, sum, max int64 }

type bucketRow [buckets]bucket

func (b *bucket) add(value int64) {
	b.n++
	b.sum += value
	b.max = max(b.max, value)
}

// limitVector holds the features, in the order of their names.
type limitVector struct {
	values [feature.Count]int64
	known  [feature.Count]bool
}

// limit computes features. It reuses its memory for the next request.
type limit struct {
	rows   [allRows]bucketRow
	late   [classCount][4]bucketRow // months by class: all, at least 1, 30 and 90 days late
	months [24]struct{ income, emi int64 }
	newest civil.Month // newest month of the payment histories
	whole  civil.Month // last whole month of the statement
	first  civil.Month // first whole month of the statement
	vector limitVector
}

var (
	dayCuts   = [...]int{3, 6, 7, 15, 30, 45, 60, 90, 180, 182, 364, 365}
	monthCuts = [...]int{1, 2, 3, 4, 6, 12, 24}
	dayBucket = cutInto(365, dayCuts[:])
	monthPart = cutInto(24, monthCuts[:])
)

// cutInto returns the bucket of each age below most. Each cut begins a new bucket.
func cutInto(most int, cuts []int) []uint8 {
	list := make([]uint8, most)
	at := uint8(0)
	for age := range list {
		for age >= cuts[at] {
			at++
		}
		list[age] = at
	}
	return list
}

// bucketOf returns the bucket of a day. ok is false if the day is in the future.
func bucketOf(on civil.Day) (at uint8, ok bool) {
	age := int64(asOf) - int64(on)
	if uint64(age) < uint64(len(dayBucket)) {
		return dayBucket[age], true
	}
	return buckets - 1, age >= 0
}

// classCount is the number of classes of credit: the products of a report and, as the
// last one, personal loans of up to ₹50,000.
const (
	classCount  = int(report.BusinessLoanSecured) + 2
	smallTicket = classCount - 1
)

// These tables hold the products in which a class is counted, as indexes into a list of
// products. longProducts refers to the list of eleven products, fourProducts to the
// list of four that most metrics of accounts have, and emiProducts to the list for
// instalments.
var (
	longProducts = [classCount][]uint8{
		report.OtherUnsecured:      {0, 1},
		report.OtherSecured:        {0, 2},
		report.PersonalLoan:        {0, 1, 3},
		report.CreditCard:          {0, 1, 5},
		report.ConsumerLoan:        {0, 1, 6},
		report.VehicleLoan:         {0, 2, 7},
		report.HomeLoan:            {0, 2, 8},
		report.GoldLoan:            {0, 2, 9},
		report.BusinessLoan:        {0, 1, 10},
		report.BusinessLoanSecured: {0, 2, 10},
		smallTicket:                {0, 1, 3, 4},
	}
	fourProducts = shortened(report.CreditCard)
	emiProducts  = shortened(report.PersonalLoan, report.Product(smallTicket))
)

func shortened(fourth ...report.Product) (list [classCount][]uint8) {
	for class := range list {
		list[class] = longProducts[class][:2:2]
		for _, p := range fourth {
			if class == int(p) {
				list[class] = append(list[class], 3)
			}
		}
	}
	return list
}

func classOf(p report.Product, paise int64) int {
	if p == report.PersonalLoan && paise >= 0 && paise <= 5_000_000 {
		return smallTicket
	}
	return int(p)
}

func (l *limit) add(row int, products []uint8, at uint8, value int64) {
	for _, p := range products {
		l.rows[row+int(p)][at].add(value)
	}
}

// compute sets the vector to the features of a history and a statement.
func (l *limit) compute(h *report.History, s *report.Statement) {
	clear(l.rows[:])
	clear(l.late[:])
	clear(l.months[:])
	for i := range l.rows[rowBalance] {
		l.rows[rowBalance][i].max = math.MinInt64
	}
	l.accounts(h)
	for i := range h.Enquiries {
		e := &h.Enquiries[i]
		if at, ok := bucketOf(e.Made); ok {
			l.add(rowEnquiry, longProducts[classOf(e.Product, e.AmountPaise)], at, max(e.AmountPaise, 0))
		}
	}
	l.transactions(s)
	l.monthly(s)
	l.total()
	l.emit()
}

func (l *limit) accounts(h *report.History) {
	l.newest = civil.NoMonth
	current := asOf.Month()
	for i := range h.Accounts {
		for _, p := range h.Accounts[i].History {
			if p.Month > l.newest && p.Month <= current {
				l.newest = p.Month
			}
		}
	}
	l.newest = max(l.newest, current-2)
	for i := range h.Accounts {
		a := &h.Accounts[i]
		if a.Opened > asOf {
			continue
		}
		class := classOf(a.Product, a.SanctionedPaise)
		l.account(a, class)
		late := &l.late[class]
		for _, p := range a.History {
			age := uint(l.newest - p.Month)
			if age >= uint(len(monthPart)) {
				continue
			}
			at, days := monthPart[age], int64(p.DaysPastDue)
			late[0][at].add(days)
			if days < 1 {
				continue
			}
			late[1][at].add(days)
			if days >= 30 {
				late[2][at].add(days)
			}
			if days >= 90 {
				late[3][at].add(days)
			}
		}
	}
}

func (l *limit) account(a *report.Account, class int) {
	long, four := longProducts[class], fourProducts[class]
	sanctioned, balance := max(a.SanctionedPaise, 0), max(a.BalancePaise, 0)
	opened, _ := bucketOf(a.Opened)
	l.add(rowOnFile, long, opened, 0)
	if a.Opened.Known() {
		l.add(rowOpened, long, opened, sanctioned)
	}
	if a.Live {
		l.add(rowSanctioned, long, opened, sanctioned)
		if balance > 0 {
			l.add(rowOutstanding, long, opened, balance)
		}
		emi := max(a.InstalmentPaise, 0)
		if a.Product == report.CreditCard {
			emi = (balance + 10) / 20
		}
		if emi > 0 {
			l.add(rowEMI, emiProducts[class], opened, emi)
		}
	}
	if at, ok := bucketOf(a.Closed); ok && a.Closed.Known() {
		l.add(rowClosed, four, at, sanctioned)
	}
	said := a.Reported
	if !said.Known() {
		if said = a.Closed; !said.Known() {
			said = asOf
		}
	}
	if at, ok := bucketOf(said); ok {
		l.add(rowReported, four, at, balance)
		if a.OverduePaise > 0 {
			l.add(rowOverdue, four, at, a.OverduePaise)
		}
		if a.Adverse != 0 {
			l.add(rowAdverse, four, at, max(a.AdversePaise, 0))
		}
	}
}
