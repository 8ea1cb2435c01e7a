package civil

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// Period is a length of time on the calendar: years, months and days. It is written as an ISO 8601 duration,
// such as P5Y or P1Y6M.
type Period struct{ Years, Months, Days int }

// ErrNotAPeriod is the error for a text that ParsePeriod does not accept.
var ErrNotAPeriod = errors.New("not a period of years, months, weeks and days")

// maxPeriodNumber limits each number of a period, so that no date overflows.
const maxPeriodNumber = 100_000

// ParsePeriod parses an ISO 8601 duration of whole years, months, weeks and days: P, then numbers with Y, M, W and D
// in this order, each at most once. It refuses hours and shorter units, signs and fractions.
func ParsePeriod(text string) (p Period, err error) {
	rest, ok := strings.CutPrefix(text, "P")
	if !ok || rest == "" {
		return Period{}, ErrNotAPeriod
	}
	const units = "YMWD"
	for from := 0; rest != ""; {
		digits := strings.TrimLeft(rest, "0123456789")
		n, err := strconv.Atoi(rest[:len(rest)-len(digits)])
		if err != nil || n > maxPeriodNumber || digits == "" {
			return Period{}, ErrNotAPeriod
		}
		unit := strings.IndexByte(units[from:], digits[0])
		if unit < 0 {
			return Period{}, ErrNotAPeriod
		}
		switch units[from+unit] {
		case 'Y':
			p.Years = n
		case 'M':
			p.Months = n
		case 'W':
			p.Days += 7 * n
		case 'D':
			p.Days += n
		}
		from, rest = from+unit+1, digits[1:]
	}
	return p, nil
}

// String returns the period in a form that ParsePeriod accepts.
func (p Period) String() string {
	text := "P"
	for _, part := range []struct {
		n    int
		unit string
	}{{p.Years, "Y"}, {p.Months, "M"}, {p.Days, "D"}} {
		if part.n != 0 {
			text += strconv.Itoa(part.n) + part.unit
		}
	}
	if text == "P" {
		return "P0D"
	}
	return text
}

// Before returns the day that is a period before d. If the month has no such day, Before uses the month's last day: a
// month before 31 March is 28 February.
func (p Period) Before(d Day) Day {
	year, month, day := d.Date()
	m := MonthOf(year, month) - Month(12*p.Years+p.Months)
	y, mm := m.Date()
	return DayOf(y, mm, min(day, DaysIn(y, int(mm)))) - Day(p.Days)
}

// End returns the first day for which Before returns a day after d. From that day on, anything that dates from d is
// older than the period.
func (p Period) End(d Day) Day {
	year, month, day := (d + 1 + Day(p.Days)).Date()
	m := MonthOf(year, month) + Month(12*p.Years+p.Months)
	y, mm := m.Date()
	if day > DaysIn(y, int(mm)) {
		// The month m does not have this day. For the last day of m, Before still returns d or an earlier day.
		y, mm = (m + 1).Date()
		day = 1
	}
	return DayOf(y, mm, day)
}

// AtMost reports whether p is at most as long as q on every day of four years, one of which is a leap year. For
// example, one month is at most 31 days, and 28 days are at most one month. One month and 30 days are each
// sometimes longer than the other, so AtMost returns false in both directions.
func (p Period) AtMost(q Period) bool {
	const first, last = 2024, 2027
	for d := DayOf(first, time.January, 1); d <= DayOf(last, time.December, 31); d++ {
		if p.Before(d) < q.Before(d) {
			return false
		}
	}
	return true
}
