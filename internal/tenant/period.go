package tenant

import (
	"time"

	"verdict/internal/civil"
)

// Period is a calendar month in India, over which usage is counted. It includes
// Start and excludes End, both with the offset +05:30.
type Period struct {
	Start, End time.Time
}

// PeriodOf returns the period that contains now.
func PeriodOf(now time.Time) Period {
	month := civil.MonthAt(now)
	return Period{Start: month.Start(), End: (month + 1).Start()}
}

// Key returns the name of the period in storage, such as "2026-11". Keys sort like
// their periods.
func (p Period) Key() string { return p.Start.Format("2006-01") }

// SecondsLeft returns the Retry-After value for a used-up quota: the whole seconds
// until the next period begins, at least 1.
func (p Period) SecondsLeft(now time.Time) int64 {
	left := p.End.Sub(now)
	return max(int64((left+time.Second-1)/time.Second), 1)
}

// BusinessDay returns the date in India, such as "2026-11-14", by which usage and the
// results of rules are counted.
func BusinessDay(now time.Time) string { return civil.DayAt(now).String() }
