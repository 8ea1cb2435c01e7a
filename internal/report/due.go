package report

import (
	"cmp"
	"slices"

	"verdict/internal/civil"
)

// call is a lender's collection of an instalment, which was paid or bounced.
type call struct {
	party       uint64
	amountPaise int64
	day         civil.Day
	month       civil.Month
	paid        bool
	sure        bool // the words say that it is an instalment; other calls count only if they recur
}

// series is a group of calls from one counterparty with similar amounts.
type series struct {
	party       uint64
	amountPaise int64 // amount of the newest call
	first, last civil.Day
	times       int64 // number of instalments of this amount in a month
	gone        bool  // another series continues this one, or bouncedUnseen has counted it
}

func (s *series) paise() int64 { return s.amountPaise * s.times }

// A series continues another series of the same counterparty, for example after a
// reset of the interest rate. It does so if it begins within replacedWithin days
// of the next due day and its amount differs by at most replacedPercent.
const (
	replacedWithin  = 10
	replacedPercent = 25
)

// dueInstalments returns the sum of the monthly instalments due at the end of a statement. It adds the instalments
// of each series that was called in the newest whole month or later. A bounced instalment counts too. A median over
// the months would miss a new loan, and would not count a bounced instalment.
func dueInstalments(rows []bankRow, newest civil.Month) int64 {
	calls := instalmentCalls(rows)
	if len(calls) == 0 {
		return 0
	}
	live, lapsed := make([]series, 0, 8), make([]series, 0, 8)
	for from := 0; from < len(calls); {
		to := from + 1
		for to < len(calls) && calls[to].party == calls[from].party &&
			similar(calls[from].amountPaise, calls[to].amountPaise, 2) {
			to++
		}
		s, ok := newSeries(calls[from:to], newest)
		switch {
		case ok && s.last.Month() >= newest:
			live = append(live, s)
		case ok && s.last.Month() == newest-1:
			lapsed = append(lapsed, s)
		}
		from = to
	}
	markReplaced(live, live)
	markReplaced(lapsed, live)
	due := int64(0)
	for i := range live {
		if !live[i].gone {
			due += live[i].paise()
		}
	}
	return due + bouncedUnseen(rows, lapsed, newest)
}

// instalmentCalls returns the possible instalments, sorted by counterparty and
// amount.
func instalmentCalls(rows []bankRow) []call {
	list := make([]call, 0, 64)
	for i := range rows {
		r := &rows[i]
		c := &r.clue
		sure := c.has(wordEMI|wordLoan|wordInstalment) || c.has(wordMandate) && c.has(wordAnyLender)
		paid := false
		switch {
		case r.Found&LoanInstalment != 0:
			paid, sure = true, true
		case c.role == maybeEMI:
			paid = true
		case c.role == bouncedEMI, c.role == bounceTrace, c.role == returnedTrace:
		case c.role == returnCredit && r.Found&Mandate != 0:
		default:
			continue
		}
		list = append(list, call{
			party:       c.party,
			amountPaise: r.AmountPaise,
			day:         r.Day,
			month:       r.Day.Month(),
			paid:        paid,
			sure:        sure,
		})
	}
	slices.SortStableFunc(list, func(a, b call) int {
		return cmp.Or(cmp.Compare(a.party, b.party), cmp.Compare(a.amountPaise, b.amountPaise))
	})
	return list
}

// newSeries makes a series from the calls of one counterparty for about one
// amount. ok is false if they are not instalments.
func newSeries(calls []call, newest civil.Month) (s series, ok bool) {
	slices.SortStableFunc(calls, func(a, b call) int { return cmp.Compare(a.day, b.day) })
	last := calls[len(calls)-1]
	s = series{party: last.party, amountPaise: last.amountPaise, first: calls[0].day, last: last.day}
	var before, now int64
	for from := 0; from < len(calls); {
		to := from + 1
		for to < len(calls) && calls[to].month == calls[from].month {
			to++
		}
		if n := instalments(calls[from:to]); calls[from].month < newest {
			before = max(before, n)
		} else {
			now = max(now, n)
		}
		from = to
	}
	switch {
	case now == 0:
		s.times = before
	case before == 0:
		s.times = now
	default: // an additional payment above the earlier maximum settles an arrear
		s.times = min(now, before)
	}
	return s, slices.ContainsFunc(calls, func(c call) bool { return c.sure }) || hasRhythm(calls)
}

// instalments returns the number of instalments in the calls of one month. An
// instalment that bounced and was paid later in the month counts once.
func instalments(calls []call) int64 {
	paid := int64(0)
	for _, c := range calls {
		if c.paid {
			paid++
		}
	}
	if !calls[len(calls)-1].paid {
		paid++
	}
	return paid
}

// hasRhythm reports whether any two calls are one or two calendar months and at least
// sameSeries days apart. It returns false if a month has more than maxMonthly calls. calls
// must be in order of time.
func hasRhythm(calls []call) bool {
	for i := range calls {
		if i >= maxMonthly && calls[i].month == calls[i-maxMonthly].month {
			return false
		}
	}
	for i := range calls {
		for k := i + 1; k < len(calls) && calls[k].month <= calls[i].month+2; k++ {
			if calls[k].month > calls[i].month && calls[k].day-calls[i].day >= sameSeries {
				return true
			}
		}
	}
	return false
}

// markReplaced marks each series of list that is continued by a series of later, if the amounts differ by at most
// replacedPercent. Series without a counterparty's name are skipped, because they may belong to different lenders.
func markReplaced(list, later []series) {
	for i := range list {
		a := &list[i]
		next := a.last.Month() + 1
		_, _, day := a.last.Date()
		due := min(next.First()+civil.Day(day)-1, next.Last())
		for k := range later {
			b := &later[k]
			if a.party != 0 && a.party == b.party && b.first > a.last &&
				b.first >= due-replacedWithin && b.first <= due+replacedWithin &&
				similar(a.amountPaise, b.amountPaise, replacedPercent) {
				a.gone = true
			}
		}
	}
}

// bouncedUnseen returns the instalments that bounced and left only a charge in
// the statement. For each such charge it adds one series that was called in the
// month before the newest whole month and not since. It uses a series of the
// counterparty that the charge names. If the charge names none, it uses the
// largest series.
func bouncedUnseen(rows []bankRow, lapsed []series, newest civil.Month) int64 {
	slices.SortStableFunc(lapsed, func(a, b series) int { return cmp.Compare(b.paise(), a.paise()) })
	due := int64(0)
	for i := range rows {
		r := &rows[i]
		if r.clue.role != bounceCharge || r.Found&IssuedBounce == 0 || r.Day.Month() < newest {
			continue
		}
		for k := range lapsed {
			if s := &lapsed[k]; !s.gone && (r.clue.party == 0 || r.clue.party == s.party) {
				due += s.paise()
				s.gone = true
				break
			}
		}
	}
	return due
}
