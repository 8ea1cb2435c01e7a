package civil_test

import (
	"errors"
	"testing"

	"verdict/internal/civil"
)

// TestParsePeriod checks which durations are periods, and how they are written.
func TestParsePeriod(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"P5Y": "P5Y", "P1Y6M": "P1Y6M", "P18M": "P18M", "P2W": "P14D", "P90D": "P90D", "P1Y2M3W4D": "P1Y2M25D",
		"P0D": "P0D", "P0Y": "P0D", "P007D": "P7D", "P100000D": "P100000D",
	} {
		p, err := civil.ParsePeriod(text)
		if err != nil || p.String() != want {
			t.Errorf("%s is %s, %v; want %s", text, p, err, want)
		}
		if again, err := civil.ParsePeriod(p.String()); err != nil || again != p {
			t.Errorf("%s is read again as %v, %v", p, again, err)
		}
	}
	for _, text := range []string{
		"", "P", "p5y", "5Y", "P5", "PY", "PT24H", "P1DT1H", "P1D1Y", "P1Y1Y", "P1M1M", "-P1D", "P-1D", "+P1D", "P1.5Y",
		"P 1Y", "P1Y ", "P1H", "P100001Y", "P99999999999999999999Y", "P１Y", "P1年",
	} {
		if p, err := civil.ParsePeriod(text); !errors.Is(err, civil.ErrNotAPeriod) {
			t.Errorf("%q is %v, %v", text, p, err)
		}
	}
}

// TestPeriodBefore checks both directions on the calendar, in particular at the ends of months.
func TestPeriodBefore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ period, from, before, end string }{
		{"P1M", "2026-03-31", "2026-02-28", "2026-05-01"},
		{"P1M", "2024-03-31", "2024-02-29", "2024-05-01"},
		{"P1Y", "2024-02-29", "2023-02-28", "2025-03-01"},
		{"P5Y", "2026-11-17", "2021-11-17", "2031-11-18"},
		{"P18M", "2026-11-17", "2025-05-17", "2028-05-18"},
		{"P2W", "2026-01-03", "2025-12-20", "2026-01-18"},
		{"P1M1D", "2026-03-31", "2026-02-27", "2026-05-02"},
		{"P0D", "2026-11-17", "2026-11-17", "2026-11-18"},
	} {
		p, err := civil.ParsePeriod(c.period)
		if err != nil {
			t.Fatal(err)
		}
		var year, month, day int
		for i, n := range []*int{&year, &month, &day} {
			for _, digit := range []string{c.from[:4], c.from[5:7], c.from[8:]}[i] {
				*n = 10**n + int(digit-'0')
			}
		}
		from := civil.Date(year, month, day)
		if got := p.Before(from).String(); got != c.before {
			t.Errorf("%s before %s is %s, want %s", c.period, c.from, got, c.before)
		}
		if got := p.End(from).String(); got != c.end {
			t.Errorf("%s of %s ends on %s, want %s", c.period, c.from, got, c.end)
		}
	}
}

// TestPeriodEnd checks for each day of several years that End returns the first day for which Before returns a later
// day.
func TestPeriodEnd(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"P1D", "P30D", "P1M", "P2M", "P1M1D", "P11M30D", "P1Y", "P4Y", "P1Y1M1D"} {
		p, err := civil.ParsePeriod(text)
		if err != nil {
			t.Fatal(err)
		}
		for d := civil.Date(2023, 1, 1); d < civil.Date(2029, 1, 1); d++ {
			if end := p.End(d); p.Before(end) <= d || p.Before(end-1) > d {
				t.Fatalf("%s of %s ends on %s, a period before which is %s, and before the day before %s",
					text, d, end, p.Before(end), p.Before(end-1))
			}
		}
	}
}

// TestPeriodAtMost compares periods of different units.
func TestPeriodAtMost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p, q       string
		atMost, by bool // p is at most q, and q at most p
	}{
		{"P1M", "P1M", true, true},
		{"P12M", "P1Y", true, true},
		{"P2W", "P14D", true, true},
		{"P28D", "P1M", true, false},
		{"P29D", "P1M", false, false},
		{"P30D", "P1M", false, false},
		{"P1M", "P31D", true, false},
		{"P365D", "P1Y", true, false},
		{"P1Y", "P366D", true, false},
		{"P1826D", "P5Y", true, false},
		{"P1Y", "P13M", true, false},
		{"P1M1D", "P32D", true, false},
	} {
		p, err := civil.ParsePeriod(c.p)
		if err != nil {
			t.Fatal(err)
		}
		q, err := civil.ParsePeriod(c.q)
		if err != nil {
			t.Fatal(err)
		}
		if p.AtMost(q) != c.atMost || q.AtMost(p) != c.by {
			t.Errorf("%s is at most %s: %v, and %v the other way round", c.p, c.q, p.AtMost(q), q.AtMost(p))
		}
	}
}
