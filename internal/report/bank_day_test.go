package report

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"verdict/internal/civil"
)

func TestEndOfDay(t *testing.T) {
	t.Parallel()
	row := func(day civil.Day, balance int64) Transaction { return Transaction{Day: day, BalancePaise: balance} }
	for _, c := range []struct {
		name  string
		rows  []Transaction
		first civil.Day
		want  []int64
	}{
		{"empty", nil, civil.NoDay, nil},
		{"no balances", []Transaction{row(5, NoAmount), row(9, NoAmount)}, civil.NoDay, nil},
		{"one", []Transaction{row(5, 7)}, 5, []int64{7}},
		{"the day's last", []Transaction{row(5, 7), row(5, 8), row(5, NoAmount)}, 5, []int64{8}},
		{"gaps", []Transaction{row(5, 7), row(8, -1), row(9, 2)}, 5, []int64{7, 7, 7, -1, 2}},
		{"unknown before", []Transaction{row(3, NoAmount), row(5, 7), row(6, NoAmount)}, 5, []int64{7, 7}},
	} {
		first, got := EndOfDay(&Statement{Transactions: c.rows})
		if diff := cmp.Diff(c.want, got); diff != "" || first != c.first {
			t.Errorf("%s: first %d, -want +got:\n%s", c.name, first, diff)
		}
	}
	if first, got := EndOfDay(nil); first.Known() || got != nil {
		t.Errorf("no statement: got %v", got)
	}
}

func TestWholeMonths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to civil.Day
		want     string
	}{
		{civil.DayOf(2026, 1, 1), civil.DayOf(2026, 1, 31), "2026-01-01 2026-01-31"},
		{civil.DayOf(2026, 1, 2), civil.DayOf(2026, 1, 31), ""},
		{civil.DayOf(2026, 1, 1), civil.DayOf(2026, 1, 30), ""},
		{civil.DayOf(2026, 1, 2), civil.DayOf(2026, 2, 27), ""},
		{civil.DayOf(2026, 1, 2), civil.DayOf(2026, 2, 28), "2026-02-01 2026-02-28"},
		{civil.DayOf(2024, 1, 2), civil.DayOf(2024, 2, 28), ""},
		{civil.DayOf(2025, 11, 30), civil.DayOf(2026, 3, 1), "2025-12-01 2026-02-28"},
		{civil.DayOf(2026, 5, 5), civil.DayOf(2026, 5, 5), ""},
	} {
		s := &Statement{Transactions: []Transaction{{Day: c.from}, {Day: c.to}}}
		got := ""
		if first, last, ok := WholeMonths(s); ok {
			got = first.First().String() + " " + last.Last().String()
		}
		if got != c.want {
			t.Errorf("%s to %s: got %q, want %q", c.from, c.to, got, c.want)
		}
	}
	for _, s := range []*Statement{nil, {}} {
		if _, _, ok := WholeMonths(s); ok {
			t.Error("nothing has a whole month")
		}
	}
}

// dayOfTime returns the day of t, computed with the standard library.
func dayOfTime(t time.Time) civil.Day {
	year, month, day := t.Date()
	return civil.Day(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / 86_400)
}

// TestStampIsTime compares readStamp with the standard library.
func TestStampIsTime(t *testing.T) {
	t.Parallel()
	var last dated
	rapid.Check(t, func(t *rapid.T) {
		moment := time.Unix(rapid.Int64Range(-60_000_000_000, 250_000_000_000).Draw(t, "moment"), 0)
		zone := time.FixedZone("", 60*rapid.IntRange(-14*60, 14*60).Draw(t, "offset"))
		text := moment.In(zone).Format(time.RFC3339)
		got, ok := readStamp(text, &last)
		local := moment.UTC().Add(civil.IndiaOffset)
		if !ok || got.day != dayOfTime(local) || int(got.second) != local.Hour()*3600+local.Minute()*60+local.Second() {
			t.Fatalf("%s: got %+v, %v", text, got, ok)
		}
		date := moment.UTC().Format(time.DateOnly)
		for range 2 { // the second call uses the cached date
			if got, ok := readStamp(date, &last); !ok || got.second != -1 || got.day != dayOfTime(moment.UTC()) {
				t.Fatalf("%s: got %+v, %v", date, got, ok)
			}
		}
		if got := civil.DayOf(moment.UTC().Date()); got != dayOfTime(moment.UTC()) {
			t.Fatalf("%s: the day is %d", date, got)
		}
	})
	for _, text := range []string{
		"", "2026-1-01", "2026-13-01", "2026-00-10", "2026-04-31", "2026-02-29", "2026-10-01T", "2026-10-01T10:00",
		"2026-10-01T10:00:00+5", "2026-10-01T10:00:00.Z", "2026-10-01T24:00:00Z", "2026-10-01x10:00:00Z",
		"2026-10-01T10:00:00+25:00", "2026/10/01", "-026-10-01",
	} {
		if _, ok := readStamp(text, &last); ok {
			t.Errorf("%q was read", text)
		}
	}
}
