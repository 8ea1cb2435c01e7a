package decisioning

import (
	"context"
	"sync"
	"time"

	"verdict/internal/store"
	"verdict/internal/tenant"
)

// gathered is what may be stored a second late: counts that nobody pays for.
type gathered struct {
	mu     sync.Mutex
	counts map[gatheredKey]int64
}

type gatheredKey struct{ tenant, environment, period, day, endpoint string }

func (g *gathered) count(k gatheredKey) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.counts[k]++
}

// take empties what was gathered.
func (g *gathered) take() map[gatheredKey]int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	counts := g.counts
	g.counts = map[gatheredKey]int64{}
	return counts
}

// giveBack returns what could not be stored, to be tried again.
func (g *gathered) giveBack(counts map[gatheredKey]int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for k, n := range counts {
		g.counts[k] += n
	}
}

// meterUnbilled counts a request that is free.
func (s *Service) meterUnbilled(p tenant.Principal, endpoint string) {
	today := s.today(s.core.Now())
	s.gathered.count(gatheredKey{p.TenantID, string(p.Environment), today.period, today.day, endpoint})
}

// businessDay is a day in India, under the names that usage is counted by.
type businessDay struct {
	period, day string
	from, to    int64 // Unix seconds, to exclusive
}

// today is the business day of a moment. Every request asks, and the answer is
// the same all day, so the last one is remembered.
func (s *Service) today(now time.Time) *businessDay {
	at := now.Unix()
	if d := s.lastDay.Load(); d != nil && d.from <= at && at < d.to {
		return d
	}
	const day = 24 * 60 * 60
	midnight := at - (at+indiaOffset)%day + day
	d := &businessDay{period: tenant.PeriodOf(now).Key(), day: tenant.BusinessDay(now), from: at, to: midnight}
	s.lastDay.Store(d)
	return d
}

// indiaOffset is how many seconds India is ahead.
const indiaOffset = (5*60 + 30) * 60

// Flush stores what was gathered. Counts that could not be stored are tried
// again with the next flush.
func (s *Service) Flush(ctx context.Context) {
	counts := s.gathered.take()
	if len(counts) > 0 {
		adds := make([]store.UsageAdd, 0, len(counts))
		for k, n := range counts {
			adds = append(adds, store.UsageAdd{TenantID: k.tenant, Environment: k.environment, Meter: store.Meter{
				Period: k.period, Day: k.day, Endpoint: k.endpoint, Units: n, Quota: store.Unmetered,
			}})
		}
		if err := s.core.DB.System().AddUsage(ctx, adds); err != nil {
			s.gathered.giveBack(counts)
			s.core.Logger.WarnContext(ctx, "unbilled usage is stored later", "error", err)
		}
	}
}
