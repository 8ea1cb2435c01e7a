package tenant

import (
	"time"

	"verdict/internal/civil"
)

// Period is a calendar month in India, over which usage is counted: from Start
// on, and up to but not including End, both with the offset +05:30.
type Period struct {
	Start, End time.Time
}

// PeriodOf is the period that a moment falls into.
func PeriodOf(now time.Time) Period {
	month := civil.MonthAt(now)
	return Period{Start: month.Start(), End: (month + 1).Start()}
}

// Key names the period in storage, as in 2026-11; keys sort as periods do.
func (p Period) Key() string { return p.Start.Format("2006-01") }

// SecondsLeft is what Retry-After says when the quota is used up: the whole
// seconds after which the next period has begun, at least 1.
func (p Period) SecondsLeft(now time.Time) int64 {
	left := p.End.Sub(now)
	return max(int64((left+time.Second-1)/time.Second), 1)
}

// BusinessDay is the date in India, as in 2026-11-14, under which a day's
// usage is counted.
func BusinessDay(now time.Time) string { return civil.DayAt(now).String() }
