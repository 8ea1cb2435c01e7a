package civil

import "time"

// Month is a calendar month, as the number of months since January of the
// year 0. Months can be compared and subtracted as numbers.
type Month int32

// NoMonth represents an unknown month. It is less than every other Month.
const NoMonth Month = -1 << 31

// MonthOf returns the given month of the given year as a Month.
func MonthOf(year int, month time.Month) Month { return Month(year*12 + int(month) - 1) }

// MonthAt returns the month in India at the time t.
func MonthAt(t time.Time) Month { return DayAt(t).Month() }

// Known reports whether the month is known.
func (m Month) Known() bool { return m != NoMonth }

// Date returns the year and the month of the year. m must be known and not before the year 0.
func (m Month) Date() (year int, month time.Month) { return int(m) / 12, time.Month(int(m)%12 + 1) }

// First returns the first day of the month.
func (m Month) First() Day {
	year, month := m.Date()
	return DayOf(year, month, 1)
}

// Last returns the last day of the month.
func (m Month) Last() Day { return (m + 1).First() - 1 }

// Start returns the time at which the month begins in India.
func (m Month) Start() time.Time { return m.First().At(0, India) }

// String formats the month as in 2026-11. It returns "" for an unknown month.
func (m Month) String() string {
	if !m.Known() {
		return ""
	}
	return m.First().Midnight().Format("2006-01")
}

// DaysIn returns how many days a month from 1 to 12 has.
func DaysIn(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	default:
		return 31
	}
}
