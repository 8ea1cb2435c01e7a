package report

import "time"

// Day is a date in India, as the number of days since 1 January 1970.
type Day int32

// NoDay is the date of what has none.
const NoDay Day = -1 << 31

// Known reports whether the date is one.
func (d Day) Known() bool { return d != NoDay }

// Date is the calendar date.
func (d Day) Date() (year int, month time.Month, day int) {
	return time.Unix(int64(d)*86_400, 0).UTC().Date()
}

// Month is the month the day lies in.
func (d Day) Month() Month {
	year, month, _ := d.Date()
	return Month(year*12 + int(month) - 1)
}

// String is the date as 2026-11-15.
func (d Day) String() string {
	if !d.Known() {
		return ""
	}
	return time.Unix(int64(d)*86_400, 0).UTC().Format(time.DateOnly)
}

// DayOf is the day of a calendar date.
func DayOf(year int, month time.Month, day int) Day {
	if year >= 0 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= 28 {
		return civil(year, int(month), day)
	}
	return Day(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / 86_400)
}

// india is five and a half hours ahead, the whole year.
const india = 5*time.Hour + 30*time.Minute

// DayAt is the day it is in India at a moment.
func DayAt(t time.Time) Day { return Day((t.Unix() + int64(india/time.Second)) / 86_400) }

// Month is a calendar month, as the number of months since the year 0.
type Month int32

// NoMonth is the month of what has none.
const NoMonth Month = -1 << 31

// First is the first day of the month.
func (m Month) First() Day { return DayOf(int(m)/12, time.Month(int(m)%12+1), 1) }

// Last is the last day of the month.
func (m Month) Last() Day { return (m + 1).First() - 1 }
