package recovery

import (
	"slices"
	"time"

	"verdict/internal/civil"
)

// horizon is the number of days that slot searches for a permitted day. It is
// longer than the longest list of holidays.
const horizon = maxHolidays + 100

// calendar sets the contact hours and counts the attempts that the caps limit.
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

// attempts returns the number of attempts on day d, and in the seven days that
// end with d.
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

// open reports whether the strategy allows contact on day d.
func (s *Strategy) open(d civil.Day) bool {
	_, holiday := slices.BinarySearch(s.Holidays, d)
	return !holiday && !s.ClosedWeekdays[d.Weekday()]
}

// slot returns the first permitted time. It is not before the parameter "from", and its day is not before the
// parameter "earliest". An action that contacts the borrower must also stay within the caps. ok is false if no day
// within the horizon is permitted.
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
