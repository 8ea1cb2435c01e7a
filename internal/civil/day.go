package civil

import "time"

// Day is a calendar date, as the number of days since 1 January 1970. Dates can
// be compared and subtracted as numbers.
type Day int32

// NoDay represents an unknown date. It is less than every other Day.
const NoDay Day = -1 << 31

// DayOf returns the day of a calendar date. Months and days outside their usual
// range are carried over in the same way as by [time.Date].
func DayOf(year int, month time.Month, day int) Day {
	if year >= 0 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= 28 {
		return Date(year, int(month), day)
	}
	return Day(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / SecondsPerDay)
}

// Date returns the day of a date that exists in a year from 0 to 9999. It does
// not check the date. It is faster than [DayOf] and is meant for reading many
// dates.
func Date(year, month, day int) Day {
	// Let years begin in March, so that the leap day is the last day of a year.
	if month < 3 {
		year, month = year-1, month+12
	}
	year += 400 // avoid negative years
	days := year*365 + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 1
	const toEpoch = 719_468 + 146_097 // days from 1 March of the year 0 to 1 January 1970, plus the days of 400 years
	return Day(days - toEpoch)
}

// DayAt returns the date in India at the time t.
func DayAt(t time.Time) Day { return DayAtSecond(t.Unix()) }

// DayAtSecond returns the date in India at a Unix time in seconds.
func DayAtSecond(unix int64) Day {
	day, _ := InIndia(unix)
	return day
}

// InIndia returns the date in India and the second of that day at a Unix time
// in seconds.
func InIndia(unix int64) (day Day, second int32) {
	unix += int64(indiaSeconds)
	days := unix / SecondsPerDay
	if unix%SecondsPerDay < 0 { // round down before 1970 too
		days--
	}
	return Day(days), int32(unix - days*SecondsPerDay)
}

// LocalDay returns the date of t in its own time zone.
func LocalDay(t time.Time) Day { return DayOf(t.Date()) }

// Known reports whether the date is known.
func (d Day) Known() bool { return d != NoDay }

// Midnight returns the start of the day in UTC, for calendar arithmetic and
// formatting.
func (d Day) Midnight() time.Time { return time.Unix(int64(d)*SecondsPerDay, 0).UTC() }

// Date returns the calendar date.
func (d Day) Date() (year int, month time.Month, day int) { return d.Midnight().Date() }

// Weekday returns the day of the week.
func (d Day) Weekday() time.Weekday { return d.Midnight().Weekday() }

// Month returns the month that the day is in.
func (d Day) Month() Month {
	year, month, _ := d.Date()
	return MonthOf(year, month)
}

// String formats the date as in 2026-11-15. It returns "" for an unknown date.
func (d Day) String() string {
	if !d.Known() {
		return ""
	}
	return d.Midnight().Format(time.DateOnly)
}

// At returns the time at which a minute of the day, counted from 0, begins in a
// zone.
func (d Day) At(minute int, zone *time.Location) time.Time {
	year, month, day := d.Date()
	return time.Date(year, month, day, 0, minute, 0, 0, zone)
}

// LastSecond returns 23:59:59 of the day in India, in UTC.
func (d Day) LastSecond() time.Time { return time.Unix(d.next()-1, 0).UTC() }

// next returns the Unix time in seconds at which the next day begins in India.
func (d Day) next() int64 { return (int64(d)+1)*SecondsPerDay - int64(indiaSeconds) }

// workdaysPerWeek counts all days but Sunday.
const workdaysPerWeek = 6

// AddWorkdays returns the day that is n working days later. Sundays are not
// working days. Other holidays count as working days, because they differ
// between states. If n is 0 or less, it returns d itself.
func (d Day) AddWorkdays(n int) Day {
	n = max(n, 0)
	// Weekday is 0 for Sunday and 6 for Saturday. Counted from Monday, every six
	// working days skip one Sunday.
	sundays := (int(d.Weekday()) + n - 1) / workdaysPerWeek
	return d + Day(n+sundays)
}

// AddWorkdaysExcept returns the day that is n working days later. Sundays and the
// holidays, which must be in ascending order, are not working days.
func (d Day) AddWorkdaysExcept(n int, holidays []Day) Day {
	end := d.AddWorkdays(n)
	passed := 0
	for _, h := range holidays {
		if h <= d || h.Weekday() == 0 { // a Sunday is skipped anyway
			continue
		}
		if h > end {
			break
		}
		passed++
		// Each holiday that is passed moves the end by a working day, which may pass further holidays.
		end = d.AddWorkdays(n + passed)
	}
	return end
}
