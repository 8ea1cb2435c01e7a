package recovery

import (
	"slices"
	"time"

	"verdict/internal/civil"
)

// horizon is how many days ahead a permitted one is looked for. It outlasts
// the longest list of holidays.
const horizon = maxHolidays + 100

// calendar settles the hours of contact and counts the attempts that the caps
// are held against.
func (a *advisor) calendar() {
	c, b := &a.Compliance, &a.c.Borrower
	c.Legal, c.Window = legalWindow, a.s.Window
	if a.c.Loan.Microfinance {
		c.Legal, c.Window = legalMicrofinance, a.s.MicrofinanceWindow
	}
	c.Window = c.Window.intersect(c.Legal)
	if b.HasHours {
		c.Window = c.Window.intersect(b.Hours)
	}
	c.Zone = b.Zone.String()
	c.MaxPerDay, c.MaxPerWeek = a.s.MaxPerDay, a.s.MaxPerWeek
	for _, contact := range a.past {
		if d := civil.LocalDay(contact.At.In(b.Zone)); d > a.today-daysPerWeek {
			a.spent = append(a.spent, d)
		}
	}
	c.AttemptsToday, c.AttemptsWeek = a.attempts(a.today)
}

const daysPerWeek = 7

// attempts are those of a day, and of the seven days that end with it.
func (a *advisor) attempts(d civil.Day) (ofDay, ofWeek int) {
	for _, on := range a.spent {
		if on == d {
			ofDay++
		}
		if on <= d && on > d-daysPerWeek {
			ofWeek++
		}
	}
	return ofDay, ofWeek
}

// open reports whether the strategy works on a day.
func (s *Strategy) open(d civil.Day) bool {
	_, holiday := slices.BinarySearch(s.Holidays, d)
	return !holiday && !s.ClosedWeekdays[d.Weekday()]
}

// slot is the first permitted time on or after a day and not before a moment.
// What reaches the borrower also needs room under the caps.
func (a *advisor) slot(earliest civil.Day, from time.Time, reaches bool) (d civil.Day, start, end time.Time, ok bool) {
	w := a.Compliance.Window
	for d = earliest; d < earliest+horizon; d++ {
		if !a.s.open(d) {
			continue
		}
		if ofDay, ofWeek := a.attempts(d); reaches && (ofDay >= a.s.MaxPerDay || ofWeek >= a.s.MaxPerWeek) {
			continue
		}
		start, end = d.At(w.From, a.now.Location()), d.At(w.To, a.now.Location())
		if start.Before(from) {
			start = wholeSecond(from)
		}
		if start.Before(end) {
			return d, start, end, true
		}
	}
	return 0, time.Time{}, time.Time{}, false
}
