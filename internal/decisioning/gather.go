package decisioning

import (
	"context"
	"sync"
	"time"

	"verdict/internal/civil"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// freeCounts counts free requests. Free requests are not billed, so their counts may be
// stored later, together.
type freeCounts struct {
	mu     sync.Mutex
	counts map[freeKey]int64
}

type freeKey struct{ tenant, environment, period, day, endpoint string }

func (f *freeCounts) count(k freeKey) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts[k]++
}

// take returns the counts and resets them.
func (f *freeCounts) take() map[freeKey]int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	counts := f.counts
	f.counts = map[freeKey]int64{}
	return counts
}

// giveBack adds counts that could not be stored, so that the next flush stores them.
func (f *freeCounts) giveBack(counts map[freeKey]int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for k, n := range counts {
		f.counts[k] += n
	}
}

// countFree counts a free request.
func (m *UsageMeter) countFree(p tenant.Principal, endpoint string) {
	today := m.today(m.core.Now())
	m.free.count(freeKey{p.TenantID, string(p.Environment), today.period, today.day, endpoint})
}

// businessDay is a day in India with its names in usage records.
type businessDay struct {
	period, day string
	from, to    int64 // in Unix seconds; the end "to" is exclusive
}

// today returns the business day of a time. It caches the last result, because every
// request needs the day and the day changes only once in 24 hours.
func (m *UsageMeter) today(now time.Time) *businessDay {
	at := now.Unix()
	if d := m.lastDay.Load(); d != nil && d.from <= at && at < d.to {
		return d
	}
	d := &businessDay{
		period: tenant.PeriodOf(now).Key(),
		day:    tenant.BusinessDay(now),
		from:   at,
		to:     civil.DayAt(now).LastSecond().Unix() + 1,
	}
	m.lastDay.Store(d)
	return d
}

// Flush stores the counts of free requests. If that fails, the next flush stores them.
func (m *UsageMeter) Flush(ctx context.Context) {
	counts := m.free.take()
	if len(counts) > 0 {
		adds := make([]store.UsageAdd, 0, len(counts))
		for k, n := range counts {
			adds = append(adds, store.UsageAdd{TenantID: k.tenant, Environment: k.environment, Meter: store.Meter{
				Period:   k.period,
				Day:      k.day,
				Endpoint: k.endpoint,
				Units:    n,
				Quota:    store.Unmetered,
			}})
		}
		if err := m.core.DB.System().AddUsage(ctx, adds); err != nil {
			m.free.giveBack(counts)
			m.core.Logger.WarnContext(ctx, "could not store the usage of free requests; the next flush retries",
				"error", err)
		}
	}
}
