package feature

import (
	"slices"

	"verdict/internal/civil"
)

// The time before as_of is divided into segments. A segment ends wherever a window or a period of a trend ends.
// Events are summed by segment, and the segments are then turned into running totals. The total of a window or of
// such a period is a running total, or the difference of two running totals.
const (
	daySegments = 12
	beyond      = daySegments // older than any window and any period of a trend, or without a known date
	later       = beyond + 1  // after as_of, to be ignored
	windows     = 6
	daysMost    = 365
	monthsMost  = 24
)

// span is a window in segments. end is the exclusive end of the window. newer and older are the exclusive ends of the
// two periods that a trend compares. These periods are the halves of the window, without its oldest day if the number
// of days is odd. For a monthly metric they are the window and as many months before it.
type span struct{ end, newer, older uint8 }

// axis maps ages to segments and windows to spans.
type axis struct {
	segmentOf []uint8 // indexed by age in days or months
	spans     [windows]span
}

var (
	dayAxis = newAxis(daysMost, func(w int) (end, newer, older int) {
		days := windowsDays[w]
		return days, days / 2, days / 2 * 2
	})
	monthAxis = newAxis(monthsMost, func(w int) (end, newer, older int) {
		months := windowMonths[w]
		return months, months, 2 * months
	})
)

func newAxis(most int, ends func(window int) (end, newer, older int)) axis {
	var cuts []int
	for w := range windows {
		end, newer, older := ends(w)
		cuts = append(cuts, end, newer, older)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	at := func(cut int) uint8 { return uint8(slices.Index(cuts, cut) + 1) }
	a := axis{segmentOf: make([]uint8, most)}
	for age := range a.segmentOf {
		a.segmentOf[age] = uint8(slices.IndexFunc(cuts, func(cut int) bool { return age < cut }))
	}
	for w := range windows {
		end, newer, older := ends(w)
		a.spans[w] = span{at(end), at(newer), at(older)}
	}
	return a
}

// segment returns the segment of an event on a day. An unknown day counts as far
// in the past, before every window.
func segment(asOf, on civil.Day) uint8 {
	age := int64(asOf) - int64(on)
	switch {
	case age < 0:
		return later
	case age >= daysMost:
		return beyond
	default:
		return dayAxis.segmentOf[age]
	}
}

// monthSegment returns the segment of an event in a month, counted back from
// newest.
func monthSegment(newest, month civil.Month) uint8 {
	age := int64(newest) - int64(month)
	switch {
	case age < 0:
		return later
	case age >= monthsMost:
		return beyond
	default:
		return monthAxis.segmentOf[age]
	}
}
