package decisioning

import (
	"testing"
	"time"

	"verdict/internal/tenant"
)

// The remembered day is the one that would be worked out anew, at every edge.
func TestTodayIsTheBusinessDay(t *testing.T) {
	t.Parallel()
	var s Service
	midnight := time.Date(2026, 11, 30, 18, 30, 0, 0, time.UTC) // 1 December in India
	for _, at := range []time.Time{
		midnight.Add(-24 * time.Hour), midnight.Add(-time.Nanosecond), midnight, midnight.Add(time.Second),
		midnight.Add(24*time.Hour - time.Nanosecond), midnight.Add(24 * time.Hour), midnight.Add(-time.Second), midnight.Add(30 * 24 * time.Hour),
	} {
		got := s.today(at)
		if got.day != tenant.BusinessDay(at) || got.period != tenant.PeriodOf(at).Key() {
			t.Errorf("%s is %s in %s, want %s in %s", at, got.day, got.period, tenant.BusinessDay(at), tenant.PeriodOf(at).Key())
		}
	}
}
