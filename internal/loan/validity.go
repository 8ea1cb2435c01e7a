package loan

import (
	"time"

	"verdict/internal/civil"
)

// ValidUntil returns the last second, in UTC, of an offer made at the time "from". It is 23:59:59 Indian time on the
// day that is the given number of working days after the Indian date of that time. If days is 0 or negative, the
// offer ends on the day it was made.
func ValidUntil(from time.Time, days int) time.Time {
	return civil.DayAt(from).AddWorkdays(days).LastSecond()
}
