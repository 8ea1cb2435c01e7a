package civil_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"verdict/internal/civil"
)

// moments generates points in time in the years 5 to 9987, in any time zone.
func moments(t *rapid.T) time.Time {
	second := rapid.Int64Range(-62_000_000_000, 253_000_000_000).Draw(t, "second")
	zone := time.FixedZone("", 60*rapid.IntRange(-14*60, 14*60).Draw(t, "offset"))
	return time.Unix(second, rapid.Int64Range(0, 999_999_999).Draw(t, "nanosecond")).In(zone)
}

// dateIn returns the date that the time package computes. The tests use it as a reference.
func dateIn(t time.Time, zone *time.Location) string { return t.In(zone).Format(time.DateOnly) }

func TestIndia(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 15, 12, 0, 0, 0, civil.India)
	if got := at.Format(time.RFC3339); got != "2026-11-15T12:00:00+05:30" {
		t.Errorf("noon in India is %s", got)
	}
	if name := at.Location().String(); name != "Asia/Kolkata" {
		t.Errorf("the zone is called %q", name)
	}
}

func TestDaysAgainstTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := moments(t)
		year, month, day := at.Date()

		local := civil.LocalDay(at)
		if got, want := local.String(), dateIn(at, at.Location()); got != want {
			t.Fatalf("LocalDay(%s) is %s", at, got)
		}
		if fast := civil.Date(year, int(month), day); fast != local {
			t.Fatalf("Date gives %s, DayOf %s", fast, local)
		}
		if y, m, d := local.Date(); y != year || m != month || d != day {
			t.Fatalf("%s has the date %d-%d-%d", local, y, m, d)
		}
		if got, want := local.Weekday(), at.Weekday(); got != want {
			t.Fatalf("%s is a %s, not a %s", local, got, want)
		}
		minute := rapid.IntRange(0, 24*60).Draw(t, "minute")
		got, want := local.At(minute, at.Location()), time.Date(year, month, day, 0, minute, 0, 0, at.Location())
		if got != want {
			t.Fatalf("minute %d of %s is %s, not %s", minute, local, got, want)
		}
	})
}

func TestIndianDaysAgainstTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := moments(t)
		local := at.In(civil.India)

		day, second := civil.InIndia(at.Unix())
		if got, want := day.String(), dateIn(at, civil.India); got != want || civil.DayAt(at) != day {
			t.Fatalf("the day in India at %s is %s, not %s", at, got, want)
		}
		hour, minute, sec := local.Clock()
		if want := int32(hour*3600 + minute*60 + sec); second != want {
			t.Fatalf("the second in India at %s is %d, not %d", at, second, want)
		}
		year, month, date := local.Date()
		if got, want := day.LastSecond(), time.Date(year, month, date, 23, 59, 59, 0, civil.India).UTC(); got != want {
			t.Fatalf("%s ends at %s, not %s", day, got, want)
		}
	})
}

func TestMonthsAgainstTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := moments(t)
		year, month, _ := at.In(civil.India).Date()
		m := civil.MonthAt(at)
		if got, want := m.String(), at.In(civil.India).Format("2006-01"); got != want {
			t.Fatalf("the month in India at %s is %s, not %s", at, got, want)
		}
		if got, want := m.Start(), time.Date(year, month, 1, 0, 0, 0, 0, civil.India); got != want {
			t.Fatalf("%s begins at %s, not %s", m, got, want)
		}
		if got, want := (m + 1).Start(), time.Date(year, month+1, 1, 0, 0, 0, 0, civil.India); got != want {
			t.Fatalf("the month after %s begins at %s, not %s", m, got, want)
		}
		_, _, last := time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Date()
		if got := civil.DaysIn(year, int(month)); got != last || int(m.Last()-m.First())+1 != last {
			t.Fatalf("%s has %d days, not %d", m, got, last)
		}
	})
}

// TestAddWorkdays compares AddWorkdays with counting the days one by one.
func TestAddWorkdays(t *testing.T) {
	t.Parallel()
	start := civil.DayOf(2026, time.November, 9) // a Monday
	for from := start; from < start+7; from++ {
		want := from
		for n := range 40 {
			if n > 0 {
				for want++; want.Weekday() == time.Sunday; {
					want++
				}
			}
			if got := from.AddWorkdays(n); got != want {
				t.Fatalf("%d working days after %s (%s) is %s, not %s", n, from, from.Weekday(), got, want)
			}
		}
		if got := from.AddWorkdays(-3); got != from {
			t.Errorf("-3 working days after %s is %s", from, got)
		}
	}
}

func TestUnknownDates(t *testing.T) {
	t.Parallel()
	if civil.NoDay.Known() || civil.NoMonth.Known() || civil.NoDay.String() != "" || civil.NoMonth.String() != "" {
		t.Error("an unknown date shows as a known one")
	}
}

// TestCarriedDates checks that a day or month out of range is carried over into the next or
// previous month or year.
func TestCarriedDates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		year, month, day int
		want             string
	}{
		{2026, 2, 29, "2026-03-01"},
		{2024, 2, 29, "2024-02-29"},
		{2026, 13, 1, "2027-01-01"},
		{2026, 1, 0, "2025-12-31"},
		{1969, 12, 31, "1969-12-31"},
		{1900, 2, 29, "1900-03-01"},
	} {
		if got := civil.DayOf(c.year, time.Month(c.month), c.day).String(); got != c.want {
			t.Errorf("%d-%d-%d is %s, not %s", c.year, c.month, c.day, got, c.want)
		}
	}
}
