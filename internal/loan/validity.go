package loan

import (
	"time"

	"verdict/internal/civil"
)

// ValidUntil returns the last second, in UTC, of an offer made at the time "from". It is 23:59:59 Indian time on the
// day that is the given number of working days after the Indian date of that time. If days is 0 or negative, the
// offer ends on the day it was made. A decision states this time, which does not depend on anything that may change
// later. Calendar.AcceptableUntil says how long the borrower can accept the offer.
func ValidUntil(from time.Time, days int) time.Time {
	return civil.DayAt(from).AddWorkdays(days).LastSecond()
}

// Calendar has the days on which a lender does not work. A nil Calendar belongs to a lender who has no profile, and
// thus makes no key facts statements.
type Calendar struct {
	Holidays []civil.Day // ascending; Sundays are not working days either
}

// leastWorkdays is the minimum number of working days that a borrower has to accept an offer with a key facts
// statement.
const leastWorkdays = 3

// AcceptableUntil returns the last second in which a borrower can accept an offer. It is the end that the decision
// states, or the end of the third working day after approvedOn if that is later. approvedOn is the day on which the
// lender approved: the day of the decision, or the day of the review that approved a referral. If c is nil,
// AcceptableUntil returns the stated end.
//
// Every place that asks whether an offer is still valid uses this function.
func (c *Calendar) AcceptableUntil(stated time.Time, approvedOn civil.Day) time.Time {
	if c == nil {
		return stated
	}
	least := approvedOn.AddWorkdaysExcept(leastWorkdays, c.Holidays).LastSecond()
	if stated.After(least) {
		return stated
	}
	return least
}
