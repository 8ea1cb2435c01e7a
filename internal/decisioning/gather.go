package decisioning

import (
	"context"
	"sync"
	"time"

	"verdict/internal/civil"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// gathered counts free requests. Nobody is billed for them, so the counts may be stored
// later, together.
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

// take returns the counts and resets them.
func (g *gathered) take() map[gatheredKey]int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	counts := g.counts
	g.counts = map[gatheredKey]int64{}
	return counts
}

// giveBack adds counts that could not be stored, so that the next flush stores them.
func (g *gathered) giveBack(counts map[gatheredKey]int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for k, n := range counts {
		g.counts[k] += n
	}
}

// meterUnbilled counts a free request.
func (s *Service) meterUnbilled(p tenant.Principal, endpoint string) {
	today := s.today(s.core.Now())
	s.gathered.count(gatheredKey{p.TenantID, string(p.Environment), today.period, today.day, endpoint})
}

// businessDay is a day in India with its names in usage records.
type businessDay struct {
	period, day string
	from, to    int64 // Unix seconds, to exclusive
}

// today returns the business day of a time. It caches the last result, because every
// request needs the day and the day changes only once in 24 hours.
func (s *Service) today(now time.Time) *businessDay {
	at := now.Unix()
	if d := s.lastDay.Load(); d != nil && d.from <= at && at < d.to {
		return d
	}
	d := &businessDay{
		period: tenant.PeriodOf(now).Key(),
		day:    tenant.BusinessDay(now),
		from:   at,
		to:     civil.DayAt(now).LastSecond().Unix() + 1,
	}
	s.lastDay.Store(d)
	return d
}

// Flush stores the counts of free requests. If that fails, the next flush stores them.
func (s *Service) Flush(ctx context.Context) {
	counts := s.gathered.take()
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
		if err := s.core.DB.System().AddUsage(ctx, adds); err != nil {
			s.gathered.giveBack(counts)
			s.core.Logger.WarnContext(ctx, "could not store the usage of free requests; the next flush retries",
				"error", err)
		}
	}
}
