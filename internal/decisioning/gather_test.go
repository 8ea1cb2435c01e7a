package decisioning

import (
	"context"
	"testing"
	"time"

	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
)

// TestTodayIsTheBusinessDay checks that the cached business day equals the
// computed one, also right before and after midnight in India.
func TestTodayIsTheBusinessDay(t *testing.T) {
	t.Parallel()
	var m UsageMeter
	midnight := time.Date(2026, 11, 30, 18, 30, 0, 0, time.UTC) // 1 December in India
	for _, at := range []time.Time{
		midnight.Add(-24 * time.Hour), midnight.Add(-time.Nanosecond), midnight, midnight.Add(time.Second),
		midnight.Add(24*time.Hour - time.Nanosecond), midnight.Add(24 * time.Hour), midnight.Add(-time.Second),
		midnight.Add(30 * 24 * time.Hour),
	} {
		got := m.today(at)
		if got.day != tenant.BusinessDay(at) || got.period != tenant.PeriodOf(at).Key() {
			t.Errorf("%s is %s in %s, want %s in %s", at, got.day, got.period, tenant.BusinessDay(at),
				tenant.PeriodOf(at).Key())
		}
	}
}

// TestUnbilledCountsAreTriedAgain lets a flush fail and checks that the next
// flush stores its counts once, together with those added in the meantime.
func TestUnbilledCountsAreTriedAgain(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		t.Helper()
		db := storetest.Open(t, databaseURL, store.Options{})
		core := operation.New(db, operation.Options{})
		m := newUsageMeter(core, tenant.DefaultPricePlans())
		p := tenant.Principal{TenantID: "ten_A", Environment: "sandbox"}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		m.countFree(p, EndpointEligibility)
		m.countFree(p, EndpointPreview)
		m.Flush(gone)
		m.countFree(p, EndpointEligibility)
		for range 2 { // the second flush has nothing to store
			m.Flush(t.Context())
		}
		usage, err := db.Scope("ten_A", "sandbox").Usage(t.Context()).Get(m.today(core.Now()).period)
		counts := map[string]int64{}
		for _, c := range usage.Counts {
			counts[c.Endpoint] += c.Units
		}
		if err != nil || counts[EndpointEligibility] != 2 || counts[EndpointPreview] != 1 || usage.Used != 0 {
			t.Errorf("stored %v and %d billed, %v", counts, usage.Used, err)
		}
	})
}
