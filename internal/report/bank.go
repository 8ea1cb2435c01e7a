package report

import (
	"slices"
	"sync"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// MaxTransactions is the maximum number of transactions in a statement.
const MaxTransactions = 20_000

// maxBankPaise is the maximum of one amount or balance, ₹1,000 crore, so that
// the sums of a whole statement cannot overflow.
const maxBankPaise = 1_000_000_000_000

// bankRow is a transaction of a statement that is being read. It has additional members, which only the function
// detect uses.
type bankRow struct {
	Transaction
	second   int32 // second of the day, -1 when only the date is known
	interest bool  // the source marks the row as interest
	clue     clue
}

// ReadStatement reads bank_summary.transactions and classifies each transaction. It returns nil if there is no list or
// the list is refused, and an empty statement for an empty list. asOf is the day of the decision. Transactions more
// than a day later are left out with a warning.
func ReadStatement(summary wire.Value, asOf civil.Day, faults, warnings *fault.List) *Statement {
	list := summary.Get("transactions")
	switch {
	case !list.Given():
		return nil
	case list.Kind() != wire.Array:
		faults.Add(list.Pointer(), fault.CodeWrongType, "must be an array, but is %s", list.Kind())
		return nil
	case list.Len() > MaxTransactions:
		faults.Add(list.Pointer(), fault.CodeTooMany, "has more than %d entries", MaxTransactions)
		return nil
	}
	rows := borrowRows(list.Len())
	defer rowLists.Put(rows)
	r := bankReader{asOf: asOf, faults: faults, rows: (*rows)[:0]}
	for at, v := range list.Elements() {
		r.row(v, int32(at))
	}
	r.warn(list.Pointer(), warnings)
	r.unknownMembers.warn(warnings, unread...)
	inOrder(r.rows)
	detect(r.rows)
	s := &Statement{
		Transactions:            make([]Transaction, len(r.rows)),
		DeclaredIncomePaise:     declared(summary.Get("declared_monthly_income")),
		DeclaredInstalmentPaise: declared(summary.Get("declared_emi")),
	}
	for i := range r.rows {
		s.Transactions[i] = r.rows[i].Transaction
	}
	s.Breaks = breaks(s.Transactions)
	s.DueInstalmentPaise = NoAmount
	if _, newest, ok := WholeMonths(s); ok {
		s.DueInstalmentPaise = dueInstalments(r.rows, newest)
	}
	return s
}

// rowLists pools lists of rows, because a large list needs as much memory as the
// statement made from it.
var rowLists = sync.Pool{New: func() any { return new([]bankRow) }}

// borrowRows returns a list from the pool with capacity for n rows. The caller
// puts it back.
func borrowRows(n int) *[]bankRow {
	list, ok := rowLists.Get().(*[]bankRow)
	if !ok || cap(*list) < n {
		rows := make([]bankRow, 0, n)
		list = &rows
	}
	return list
}

// declared reads an amount that the applicant declares. It returns NoAmount if the amount is missing or invalid. It
// reports no fault for an invalid amount, because the reader of the block's scalars reports it.
func declared(v wire.Value) int64 {
	if v.Kind() != wire.Number {
		return NoAmount
	}
	paise, _, ok := wire.ParseDecimal(v.Text(), 2)
	if !ok || paise < 0 {
		return NoAmount
	}
	return paise
}

// inOrder sorts the rows chronologically: by day, and within a day by time if
// every row has a time. Otherwise the rows of a day stay in the order they were
// sent. A list sent newest first, as many banks print it, is reversed; otherwise
// the balances of each day would be read backwards.
func inOrder(rows []bankRow) {
	timed, down, up := true, false, false
	for i := range rows {
		timed = timed && rows[i].second >= 0
	}
	order := func(a, b *bankRow) int {
		if a.Day != b.Day || !timed {
			return int(a.Day - b.Day)
		}
		return int(a.second - b.second)
	}
	for i := 1; i < len(rows); i++ {
		c := order(&rows[i-1], &rows[i])
		down, up = down || c > 0, up || c < 0
	}
	switch {
	case down && !up:
		slices.Reverse(rows)
	case down:
		slices.SortStableFunc(rows, func(a, b bankRow) int { return order(&a, &b) })
	}
}

// breaks counts the balances that do not follow from the last known balance and
// the amounts since. A row without a balance is not checked, but its amount is
// still added.
func breaks(list []Transaction) int {
	n, known, balance := 0, false, int64(0)
	for i := range list {
		t := &list[i]
		if t.Credit {
			balance += t.AmountPaise
		} else {
			balance -= t.AmountPaise
		}
		if t.BalancePaise == NoAmount {
			continue
		}
		if known && balance != t.BalancePaise {
			n++
		}
		known, balance = true, t.BalancePaise
	}
	return n
}
