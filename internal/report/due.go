package report

import (
	"cmp"
	"slices"

	"verdict/internal/civil"
)

// attempt is a lender's attempt to debit an instalment, which was paid or bounced.
type attempt struct {
	party       uint64
	amountPaise int64
	day         civil.Day
	month       civil.Month
	paid        bool
	sure        bool // the words say that it is an instalment; other attempts count only if they recur
}

// series is a group of attempts of one counterparty with similar amounts.
type series struct {
	party       uint64
	amountPaise int64 // amount of the newest attempt
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
// of each series with an attempt in the newest whole month or later. A bounced instalment counts too. A median over
// the months would miss a new loan, and would not count a bounced instalment.
func dueInstalments(rows []bankRow, newest civil.Month) int64 {
	attempts := instalmentAttempts(rows)
	if len(attempts) == 0 {
		return 0
	}
	live, lapsed := make([]series, 0, 8), make([]series, 0, 8)
	for from := 0; from < len(attempts); {
		to := from + 1
		for to < len(attempts) && attempts[to].party == attempts[from].party &&
			similar(attempts[from].amountPaise, attempts[to].amountPaise, 2) {
			to++
		}
		s, ok := newSeries(attempts[from:to], newest)
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

// instalmentAttempts returns the possible instalments, sorted by counterparty and
// amount.
func instalmentAttempts(rows []bankRow) []attempt {
	list := make([]attempt, 0, 64)
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
		list = append(list, attempt{
			party:       c.party,
			amountPaise: r.AmountPaise,
			day:         r.Day,
			month:       r.Day.Month(),
			paid:        paid,
			sure:        sure,
		})
	}
	slices.SortStableFunc(list, func(a, b attempt) int {
		return cmp.Or(cmp.Compare(a.party, b.party), cmp.Compare(a.amountPaise, b.amountPaise))
	})
	return list
}

// newSeries makes a series from the attempts of one counterparty for about one
// amount. ok is false if they are not instalments.
func newSeries(attempts []attempt, newest civil.Month) (s series, ok bool) {
	slices.SortStableFunc(attempts, func(a, b attempt) int { return cmp.Compare(a.day, b.day) })
	last := attempts[len(attempts)-1]
	s = series{party: last.party, amountPaise: last.amountPaise, first: attempts[0].day, last: last.day}
	var before, now int64
	for from := 0; from < len(attempts); {
		to := from + 1
		for to < len(attempts) && attempts[to].month == attempts[from].month {
			to++
		}
		if n := instalments(attempts[from:to]); attempts[from].month < newest {
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
	return s, slices.ContainsFunc(attempts, func(c attempt) bool { return c.sure }) || hasRhythm(attempts)
}

// instalments returns the number of instalments in the attempts of one month. An
// instalment that bounced and was paid later in the month counts once.
func instalments(attempts []attempt) int64 {
	paid := int64(0)
	for _, c := range attempts {
		if c.paid {
			paid++
		}
	}
	if !attempts[len(attempts)-1].paid {
		paid++
	}
	return paid
}

// hasRhythm reports whether any two attempts are one or two calendar months and at least
// sameSeries days apart. It returns false if a month has more than maxMonthly attempts.
// attempts must be in order of time.
func hasRhythm(attempts []attempt) bool {
	for i := range attempts {
		if i >= maxMonthly && attempts[i].month == attempts[i-maxMonthly].month {
			return false
		}
	}
	for i := range attempts {
		for k := i + 1; k < len(attempts) && attempts[k].month <= attempts[i].month+2; k++ {
			if attempts[k].month > attempts[i].month && attempts[k].day-attempts[i].day >= sameSeries {
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
// the statement. For each such charge it adds one series with an attempt in the
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
