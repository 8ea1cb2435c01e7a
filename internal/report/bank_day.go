package report

import "verdict/internal/civil"

// EndOfDay returns the balance at the end of each day, from first to the day of
// the last transaction. A day without a balance gets the balance of the day
// before. Days before the first known balance are left out, because their balance
// is unknown. If no balance is known, paise is nil and first is NoDay.
func EndOfDay(s *Statement) (first civil.Day, paise []int64) {
	if s == nil {
		return civil.NoDay, nil
	}
	list := s.Transactions
	for len(list) > 0 && list[0].BalancePaise == NoAmount {
		list = list[1:]
	}
	if len(list) == 0 {
		return civil.NoDay, nil
	}
	first = list[0].Day
	paise = make([]int64, s.Last()-first+1)
	balance, filled := list[0].BalancePaise, 0
	for i := range list {
		t := &list[i]
		if t.BalancePaise == NoAmount {
			continue
		}
		for ; filled < int(t.Day-first); filled++ {
			paise[filled] = balance
		}
		balance = t.BalancePaise
	}
	for ; filled < len(paise); filled++ {
		paise[filled] = balance
	}
	return first, paise
}

// WholeMonths returns the first and the last calendar month that the statement
// covers completely. For a complete month, there is a transaction on or before
// its first day and one on or after its last day. Partly covered months do not
// count, because the salary may be in the missing days. ok is false if there is
// no whole month.
func WholeMonths(s *Statement) (first, last civil.Month, ok bool) {
	if s == nil || len(s.Transactions) == 0 {
		return civil.NoMonth, civil.NoMonth, false
	}
	from, to := s.First(), s.Last()
	first, last = from.Month(), to.Month()
	if first.First() < from {
		first++
	}
	if last.Last() > to {
		last--
	}
	if first > last {
		return civil.NoMonth, civil.NoMonth, false
	}
	return first, last, true
}
