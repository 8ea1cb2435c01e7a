package loan

import "time"

// ist is Indian Standard Time. It has had one offset since 1945, so a fixed
// zone is right and spares the time zone database, which may be absent or
// differ between machines.
var ist = time.FixedZone("IST", (5*60+30)*60)

// workdays is how many days of a week count: all but Sunday.
const workdays = 6

// ValidUntil is the last second of an offer made at from: 23:59:59 IST, in
// UTC, on the day that lies the given number of days after from's own IST day.
// Sundays are not counted; other holidays are, because they differ between
// states. With 0 days or fewer the offer ends on the day it was
// made.
func ValidUntil(from time.Time, days int) time.Time {
	from = from.In(ist)
	days = max(days, 0)
	// With Sunday as 0 and Saturday as 6, every sixth day counted after a
	// Monday's 1 steps over one Sunday.
	sundays := (int(from.Weekday()) + days - 1) / workdays
	year, month, day := from.Date()
	return time.Date(year, month, day+days+sundays, 23, 59, 59, 0, ist).UTC()
}
