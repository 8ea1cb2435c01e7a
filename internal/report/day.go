package report

import "verdict/internal/civil"

// The names under which callers of this package know the calendar.
type Day = civil.Day

const NoDay = civil.NoDay

var (
	DayAt = civil.DayAt
	DayOf = civil.DayOf
)
