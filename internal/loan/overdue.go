package loan

import (
	"time"

	"verdict/internal/civil"
)

// AssetClass is the class of a loan in arrears at the end of a day.
type AssetClass uint8

// The classes, with the days past due at which each begins.
const (
	Standard AssetClass = iota // nothing is overdue
	SMA0                       // 1 day
	SMA1                       // 31 days
	SMA2                       // 61 days
	NPA                        // 91 days
)

var assetClassNames = [...]string{Standard: "STANDARD", SMA0: "SMA-0", SMA1: "SMA-1", SMA2: "SMA-2", NPA: "NPA"}

// String returns the name of the class as regulators spell it.
func (c AssetClass) String() string { return assetClassNames[c] }

// DaysPastDue returns the number of days that an instalment is overdue at the
// end of a day. At the end of the due day itself it is 1; before that day it is
// 0. Only the calendar dates of the two times count, each in its own time zone.
func DaysPastDue(due, dayEnd time.Time) int {
	return max(0, int(civil.LocalDay(dayEnd)-civil.LocalDay(due))+1)
}

// ClassOf returns the class for a number of days past due. An NPA loan becomes
// standard again only when all arrears are paid. The number of days does not
// show that, so the caller must track it.
func ClassOf(daysPastDue int) AssetClass {
	switch {
	case daysPastDue <= 0:
		return Standard
	case daysPastDue <= 30:
		return SMA0
	case daysPastDue <= 60:
		return SMA1
	case daysPastDue <= 90:
		return SMA2
	default:
		return NPA
	}
}
