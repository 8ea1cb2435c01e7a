package report

import (
	"testing"
	"time"

	"verdict/internal/civil"
)

func TestParseDate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, want string
		form       dateForm
	}{
		{"2026-11-15", "2026-11-15", isoDate},
		{" 2026-11-15 ", "2026-11-15", isoDate},
		{"2026-11-15T23:30:00+05:30", "2026-11-15", isoDate},
		{"2026-11-15T20:00:00Z", "2026-11-16", isoDate}, // the next day in India
		{"2026-11-15T20:00:00.123Z", "2026-11-16", isoDate},
		{"2026-11-15 00:00:00.0", "2026-11-15", isoDate},
		{"2026-11-15T10:00:00", "2026-11-15", isoDate},
		{"2026-11-15+05:30", "2026-11-15", isoDate},
		{"20261115", "2026-11-15", joinedDate},
		{"15112026", "2026-11-15", dayFirst},
		{"20122012", "2012-12-20", dayFirst}, // there is no month 20, so only one reading is possible
		{"19001201", "1900-12-01", joinedDate},
		{"15-11-2026", "2026-11-15", dayFirst},
		{"15/11/2026", "2026-11-15", dayFirst},
		{"29-02-2024", "2024-02-29", dayFirst},
		{"00000000", "", zeroDate},
		{"0000-00-00", "", zeroDate},
		{"2026-02-29", "", noDate},
		{"31-04-2026", "", noDate},
		{"15-11/2026", "", noDate},
		{"1899-12-31", "", noDate},
		{"2101-01-01", "", noDate},
		{"2026-11-15T99:00:00Z", "", noDate},
		{"2026-11-15x", "", noDate},
		{"2026-1-5", "", noDate},
		{"", "", noDate},
		{"tomorrow", "", noDate},
		{"２０２６-11-15", "", noDate},
	} {
		if d, form := parseDate(c.text); d.String() != c.want || form != c.form {
			t.Errorf("%q was read as %q, form %d; want %q, %d", c.text, d, form, c.want, c.form)
		}
	}
}

// TestEightDigitsAreNeverAmbiguous checks that YYYYMMDD and DDMMYYYY are both read
// correctly for every day from firstYear to lastYear.
func TestEightDigitsAreNeverAmbiguous(t *testing.T) {
	t.Parallel()
	for d := civil.DayOf(firstYear, time.January, 1); d <= civil.DayOf(lastYear, time.December, 31); d++ {
		when := time.Unix(int64(d)*86_400, 0).UTC()
		if got, form := parseDate(when.Format("20060102")); got != d || form != joinedDate {
			t.Fatalf("%s was read as %s", when.Format("20060102"), got)
		}
		if got, form := parseDate(when.Format("02012006")); got != d || form != dayFirst {
			t.Fatalf("%s was read as %s", when.Format("02012006"), got)
		}
	}
}

func TestParseMonth(t *testing.T) {
	t.Parallel()
	october := monthOf(2026, 10)
	for _, text := range []string{"2026-10", "10-2026", "10/2026", "10-26", "202610", "Oct:2026", "oct-2026"} {
		if got := parseMonth(text); got != october {
			t.Errorf("%s was read as %d, want %d", text, got, october)
		}
	}
	for _, text := range []string{"", "2026-13", "13-26", "2026", "Okt:2026", "ctn:2026", "1-26", "2026-1x", "xx-26",
		"Oct:20x6"} {
		if got := parseMonth(text); got != civil.NoMonth {
			t.Errorf("%s was read as %d", text, got)
		}
	}
}
