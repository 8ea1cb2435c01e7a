package report

import (
	"cmp"
	"slices"

	"verdict/internal/civil"
)

// repeat is a row that may belong to a monthly series.
type repeat struct {
	party   uint64
	day     civil.Day
	month   civil.Month
	ofMonth int16 // day of the month
	matched bool
	crowded bool // there is a similar row too few days away
	amount  int64
	at      int32
}

// maxMonthly limits the rows of one counterparty in one calendar month. A
// counterparty with more rows is neither an employer nor a lender, and the
// search for a rhythm would be slow.
const maxMonthly = 31

// sameSeries is the minimum number of days between two dates of one monthly
// series.
const sameSeries = 20

// findRepeats marks salaries and instalments that recur monthly.
func findRepeats(rows []bankRow) {
	list := make([]repeat, 0, 64)
	for _, kind := range [...]struct {
		roles [2]role
		like  func(a, b *repeat) bool
		close func(a, b *repeat) bool
		found Found
	}{
		{[2]role{maybeSalary, maybeSalary}, likeSalary, closeSalary, Salary},
		{[2]role{maybeEMI, bouncedEMI}, likeInstalment, nil, LoanInstalment},
	} {
		list = candidates(rows, list[:0], kind.roles)
		for from := 0; from < len(list); {
			to := from + 1
			for to < len(list) && list[to].party == list[from].party {
				to++
			}
			if group := list[from:to]; len(group) > 1 && monthly(group) {
				match(group, kind.like, kind.close)
			}
			from = to
		}
		for i := range list {
			if r := &rows[list[i].at]; list[i].matched && !list[i].crowded && r.clue.role != bouncedEMI {
				r.Found |= kind.found
			}
		}
	}
}

// candidates returns the rows with one of the roles, sorted by counterparty and
// then chronologically.
func candidates(rows []bankRow, list []repeat, roles [2]role) []repeat {
	for i := range rows {
		r := &rows[i]
		if r.clue.role == roles[0] || r.clue.role == roles[1] {
			year, month, day := r.Day.Date()
			list = append(list, repeat{
				party:   r.clue.party,
				day:     r.Day,
				month:   civil.Month(year*12 + int(month) - 1),
				ofMonth: int16(day),
				amount:  r.AmountPaise,
				at:      int32(i),
			})
		}
	}
	slices.SortFunc(list, func(a, b repeat) int {
		return cmp.Or(cmp.Compare(a.party, b.party), cmp.Compare(a.at, b.at))
	})
	return list
}

// monthly reports whether the group has at most maxMonthly rows in every calendar
// month.
func monthly(group []repeat) bool {
	for i := maxMonthly; i < len(group); i++ {
		if group[i].month == group[i-maxMonthly].month {
			return false
		}
	}
	return true
}

// match marks two rows of one counterparty as matched if they are similar and
// about a month apart, and as crowded if they are similar and too close
// together.
func match(group []repeat, like, near func(a, b *repeat) bool) {
	for i := range group {
		for k := i + 1; k < len(group) && group[k].month <= group[i].month+2; k++ {
			a, b := &group[i], &group[k]
			if like(a, b) {
				a.matched, b.matched = true, true
			} else if near != nil && near(a, b) {
				a.crowded, b.crowded = true, true
			}
		}
	}
}

// similar reports whether two amounts differ by at most the given percentage of the larger amount.
func similar(a, b, percent int64) bool {
	return 100*(max(a, b)-min(a, b)) <= percent*max(a, b)
}

// likeSalary reports whether b is a month after a, plus or minus five days, with
// an amount within 15 %.
func likeSalary(a, b *repeat) bool {
	next := a.month + 1
	due := min(next.First()+civil.Day(a.ofMonth)-1, next.Last())
	return b.day >= due-5 && b.day <= due+5 && similar(a.amount, b.amount, 15)
}

// closeSalary reports whether similar amounts come too often for a salary.
func closeSalary(a, b *repeat) bool {
	return b.day-a.day < sameSeries && similar(a.amount, b.amount, 15)
}

// likeInstalment reports whether b is in a later calendar month than a and at
// least sameSeries days after a, with an amount within 2 %. match compares rows
// up to two months apart, because one instalment may have been missed.
func likeInstalment(a, b *repeat) bool {
	return b.month > a.month && b.day-a.day >= sameSeries && similar(a.amount, b.amount, 2)
}
