package loan

import (
	"time"

	"verdict/internal/civil"
)

// ValidUntil returns the last second of an offer made at from: 23:59:59 in
// India, in UTC, on the day that is the given number of working days after
// from's own Indian day. With 0 days or fewer the offer ends on the day it was
// made.
func ValidUntil(from time.Time, days int) time.Time {
	return civil.DayAt(from).AddWorkdays(days).LastSecond()
}
