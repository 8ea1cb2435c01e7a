package loan

import (
	"testing"
	"time"
)

// TestAssetClassDates checks that an instalment due on 31 March is SMA-1 at the
// end of 30 April, SMA-2 at the end of 30 May and NPA at the end of 29 June.
func TestAssetClassDates(t *testing.T) {
	t.Parallel()
	day := func(month time.Month, day int) time.Time {
		return time.Date(2026, month, day, 23, 59, 59, 0, time.FixedZone("IST", 5*60*60+30*60))
	}
	due := day(time.March, 31)
	for _, tc := range []struct {
		at   time.Time
		dpd  int
		want AssetClass
	}{
		{day(time.March, 30), 0, Standard},
		{day(time.March, 31), 1, SMA0},
		{day(time.April, 29), 30, SMA0},
		{day(time.April, 30), 31, SMA1},
		{day(time.May, 29), 60, SMA1},
		{day(time.May, 30), 61, SMA2},
		{day(time.June, 28), 90, SMA2},
		{day(time.June, 29), 91, NPA},
	} {
		dpd := DaysPastDue(due, tc.at)
		if dpd != tc.dpd || ClassOf(dpd) != tc.want {
			t.Errorf("at the end of %s: %d days, %s; want %d, %s",
				tc.at.Format(time.DateOnly), dpd, ClassOf(dpd), tc.dpd, tc.want)
		}
	}
}
