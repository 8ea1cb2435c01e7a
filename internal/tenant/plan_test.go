package tenant

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDefaultPlans(t *testing.T) {
	t.Parallel()
	plans := DefaultPricePlans()
	if got := plans.String(); got != "free=100000,growth=5000000,enterprise=unmetered" {
		t.Errorf("got %s", got)
	}
	free, ok := plans.Get(FreePlan)
	want := PricePlan{Name: "free", MonthlyQuota: 100_000, StoredBytes: 4 << 30, Rates: Rates{
		Decide:   Rate{500, time.Second, 1000},
		Write:    Rate{60, time.Minute, 60},
		Backtest: Rate{30, time.Minute, 30},
	}}
	if diff := cmp.Diff(want, free); !ok || diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"", "Free", "unlimited"} {
		if got, ok := plans.Get(name); ok || got.Admits(0, 1) {
			t.Errorf("%q is the plan %v", name, got)
		}
	}
	if got := DefaultSignupRate().String(); got != "60/m burst 20" {
		t.Errorf("signup: %s", got)
	}
}

func TestPlanQuota(t *testing.T) {
	t.Parallel()
	free := PricePlan{MonthlyQuota: 100}
	for _, c := range []struct {
		used, n   int64
		admits    bool
		remaining int64
	}{
		{0, 1, true, 100}, {99, 1, true, 1}, {100, 1, false, 0}, {99, 2, false, 1}, {100, 0, true, 0},
		{150, 1, false, 0}, {0, 101, false, 100}, {0, math.MaxInt64, false, 100}, {math.MaxInt64, 1, false, 0},
	} {
		if got := free.Admits(c.used, c.n); got != c.admits {
			t.Errorf("%d beside %d: %v", c.n, c.used, got)
		}
		if got, ok := free.Remaining(c.used); !ok || got != c.remaining {
			t.Errorf("with %d used %d remain", c.used, got)
		}
	}
	open := PricePlan{Unmetered: true}
	if _, ok := open.Remaining(5); ok || !open.Admits(math.MaxInt64, math.MaxInt64) {
		t.Error("a plan without a meter counts")
	}
}

func TestWithQuotas(t *testing.T) {
	t.Parallel()
	plans := DefaultPricePlans().WithRates(Rates{Decide: Rate{1, time.Second, 1}})
	for setting, want := range map[string]string{
		"":                               "free=100000,growth=5000000,enterprise=unmetered",
		" free = 5 , partner-2=1 ,":      "free=5,growth=5000000,enterprise=unmetered,partner-2=1",
		"enterprise=0,free=unmetered":    "free=unmetered,growth=5000000,enterprise=0",
		"free=1,free=2":                  "free=2,growth=5000000,enterprise=unmetered",
		DefaultPricePlans().String():     DefaultPricePlans().String(),
		"growth=1000000000000":           "free=100000,growth=1000000000000,enterprise=unmetered",
		"a_very-long.name=1":             "error",
		strings.Repeat("x", 33) + "=1":   "error",
		"free":                           "error",
		"free=":                          "error",
		"=5":                             "error",
		"free=-1":                        "error",
		"free=1.5":                       "error",
		"free=1e3":                       "error",
		"free=1000000000001":             "error",
		"free=99999999999999999999999":   "error",
		"Free=1":                         "error",
		"2nd=1":                          "error",
		"free=5;growth=6":                "error",
		"free=unlimited,growth=5000000 ": "error",
	} {
		changed, err := plans.WithQuotas(setting)
		switch {
		case want == "error" && err == nil:
			t.Errorf("%q reads as %v", setting, changed)
		case want != "error" && (err != nil || changed.String() != want):
			t.Errorf("%q reads as %v and %v, want %s", setting, changed, err, want)
		}
	}
	if plans.String() != DefaultPricePlans().String() {
		t.Error("a setting changed the plans it was applied to")
	}
	changed, err := plans.WithQuotas("free=5")
	if free, _ := changed.Get("free"); err != nil || free.Rates.Decide.Burst != 1 {
		t.Errorf("a new quota changed the rates: %v, %v", free, err)
	}
	if diff := cmp.Diff([]string{"free", "growth", "enterprise"}, changed.Names()); diff != "" {
		t.Error(diff)
	}
}

func TestRate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Rate{
		"500/s burst 1000":    {500, time.Second, 1000},
		"60/m":                {60, time.Minute, 60},
		" 7/h  burst 1 ":      {7, time.Hour, 1},
		"1000000000/s":        {1e9, time.Second, 1e9},
		"":                    {},
		"500":                 {},
		"500/":                {},
		"/s":                  {},
		"0/s":                 {},
		"-1/s":                {},
		"5/d":                 {},
		"5/s burst":           {},
		"5/s burst 0":         {},
		"5/s bursts 6":        {},
		"5/s burst 6 7":       {},
		"1000000001/s":        {},
		"5.5/s":               {},
		"5/s burst 1e3":       {},
		"99999999999999999/s": {},
	} {
		got, err := ParseRate(text)
		if got != want || (err == nil) != (want != Rate{}) {
			t.Errorf("%q reads as %v and %v", text, got, err)
		}
		if err == nil {
			if back, err := ParseRate(got.String()); err != nil || back != got {
				t.Errorf("%q is written as %q", text, got)
			}
		}
	}
	if got := DefaultRates().Write.PerSecond(); got != 1 {
		t.Errorf("60 a minute is %v a second", got)
	}
	if got := (Rate{1, time.Millisecond, 2}).String(); got != "1/1ms burst 2" {
		t.Errorf("got %s", got)
	}
}

func TestPeriodBoundaries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		now, start, end, key, day string
		left                      int64
	}{
		{"2026-11-14T12:00:00Z", "2026-11-01T00:00:00+05:30", "2026-12-01T00:00:00+05:30",
			"2026-11", "2026-11-14", 1_405_800},
		// Midnight in India is 18:30 of the day before in UTC.
		{"2026-10-31T18:29:59.999999999Z", "2026-10-01T00:00:00+05:30", "2026-11-01T00:00:00+05:30",
			"2026-10", "2026-10-31", 1},
		{"2026-10-31T18:29:59Z", "2026-10-01T00:00:00+05:30", "2026-11-01T00:00:00+05:30", "2026-10", "2026-10-31", 1},
		{"2026-10-31T18:29:58.5Z", "2026-10-01T00:00:00+05:30", "2026-11-01T00:00:00+05:30",
			"2026-10", "2026-10-31", 2},
		{"2026-10-31T18:30:00Z", "2026-11-01T00:00:00+05:30", "2026-12-01T00:00:00+05:30",
			"2026-11", "2026-11-01", 30 * 86400},
		{"2026-10-31T20:00:00-04:00", "2026-11-01T00:00:00+05:30", "2026-12-01T00:00:00+05:30",
			"2026-11", "2026-11-01", 30*86400 - 19800},
		{"2026-12-31T18:29:59Z", "2026-12-01T00:00:00+05:30", "2027-01-01T00:00:00+05:30", "2026-12", "2026-12-31", 1},
		{"2026-12-31T18:30:00Z", "2027-01-01T00:00:00+05:30", "2027-02-01T00:00:00+05:30",
			"2027-01", "2027-01-01", 31 * 86400},
		{"2028-02-29T12:00:00Z", "2028-02-01T00:00:00+05:30", "2028-03-01T00:00:00+05:30",
			"2028-02", "2028-02-29", 23400},
		{"2027-01-31T12:00:00Z", "2027-01-01T00:00:00+05:30", "2027-02-01T00:00:00+05:30",
			"2027-01", "2027-01-31", 23400},
	} {
		now, err := time.Parse(time.RFC3339Nano, c.now)
		if err != nil {
			t.Fatal(err)
		}
		p := PeriodOf(now)
		if p.Start.Format(time.RFC3339) != c.start || p.End.Format(time.RFC3339) != c.end || p.Key() != c.key {
			t.Errorf("%s lies in %v", c.now, p)
		}
		if got := BusinessDay(now); got != c.day {
			t.Errorf("%s is the day %s", c.now, got)
		}
		if got := p.SecondsLeft(now); got != c.left {
			t.Errorf("at %s %d seconds are left, want %d", c.now, got, c.left)
		}
	}
	if got := PeriodOf(noon).SecondsLeft(noon.AddDate(1, 0, 0)); got != 1 {
		t.Errorf("after the end %d seconds are left", got)
	}
}

func TestPeriodProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(rapid.Int64Range(0, 1<<32).Draw(t, "second"),
			rapid.Int64Range(0, 999_999_999).Draw(t, "nanosecond")).UTC()
		p := PeriodOf(now)
		if now.Before(p.Start) || !now.Before(p.End) {
			t.Fatalf("%v does not lie in %v", now, p)
		}
		if PeriodOf(p.Start) != p || PeriodOf(p.End.Add(-1)) != p || PeriodOf(p.End).Start != p.End {
			t.Fatalf("%v does not touch the next", p)
		}
		if !strings.HasPrefix(BusinessDay(now), p.Key()+"-") {
			t.Fatalf("%s is no day of %s", BusinessDay(now), p.Key())
		}
		left := time.Duration(p.SecondsLeft(now)) * time.Second
		if again := now.Add(left); again.Before(p.End) || !now.Add(left-time.Second).Before(p.End) {
			t.Fatalf("%v after %v is too early or too late", left, now)
		}
	})
}

// TestPercentUsedIsExact checks the rounding of the used share of a quota. The cases include a share that lies
// exactly between two hundredths, and quotas whose products exceed 64 bits.
func TestPercentUsedIsExact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ quota, used, want int64 }{
		{0, 0, 100_00},
		{200, 0, 0},
		{200, 3, 1_50},
		{200, 200, 100_00},
		{200, 301, 150_50},
		{3, 1, 33_33},
		{3, 2, 66_67},
		{1600, 602, 37_63}, // 37.625 %
		{math.MaxInt64, math.MaxInt64, 100_00},
		{math.MaxInt64, math.MaxInt64 - 1, 100_00},
		{math.MaxInt64, math.MaxInt64 / 3, 33_33},
	} {
		if got := (PricePlan{MonthlyQuota: c.quota}).PercentUsed(c.used); got != c.want {
			t.Errorf("%d of %d: %d, want %d", c.used, c.quota, got, c.want)
		}
	}
}
