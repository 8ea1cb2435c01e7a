package decisioning

import (
	"context"
	"sync"
	"time"

	"verdict/internal/civil"
	"verdict/internal/engine"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// The kinds of store.DecisionStat that this package counts.
const (
	statStatus  = "status"  // decisions by status
	statOffer   = "offer"   // approved decisions: the limits in paise and the rates in basis points
	statReason  = "reason"  // the main reasons of decisions that are not approved
	statLatency = "latency" // answered requests by duration, see latencyNames
	statError   = "error"   // requests that were not answered with a decision, by code
)

// The names of statOffer.
const (
	offerLimit = "limit"
	offerRate  = "rate"
)

// latencyLimits are the upper bounds of the durations that are counted together. Longer requests are counted under
// the last name.
var latencyLimits = [...]time.Duration{
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond,
	50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second,
}

// latencyNames are the names of statLatency. Stored counts contain these names, so a name must keep its meaning.
var latencyNames = [len(latencyLimits) + 1]string{
	"0001ms", "0002ms", "0005ms", "0010ms", "0020ms", "0050ms", "0100ms", "0200ms", "0500ms", "1000ms", "2000ms",
	"5000ms", "longer",
}

// mostNames limits how many reasons, and how many errors, are counted by name for a tenant between two flushes. All
// others are counted under otherName.
const (
	mostNames = 200
	otherName = "other"
)

// DecisionCounter counts decisions and requests for Statistics. It collects the counts until Flush stores them. Storing
// each count with its decision would make every transaction of a tenant wait for the same rows.
type DecisionCounter struct {
	core *operation.Core

	mu     sync.Mutex
	counts map[statisticsKey]*statisticsCounts
}

// statisticsKey identifies one hour of a tenant in an environment. hour is the number of hours since the beginning of
// 1970 in India.
type statisticsKey struct {
	tenant, environment string
	hour                int64
}

type statisticsCounts struct {
	statuses   [len(countedStatuses)]int64 // by engine.Status
	offers     int64
	limitPaise int64
	rateBP     int64
	latencies  [len(latencyNames)]int64
	micros     [len(latencyNames)]int64
	reasons    map[string]int64
	errors     map[string]int64
}

var countedStatuses = [...]engine.Status{engine.Approved, engine.Referred, engine.Declined}

const secondsPerHour = 3600

func hourOf(at time.Time) int64 {
	return (at.Unix() + int64(civil.IndiaOffset/time.Second)) / secondsPerHour
}

// of returns the counts of a tenant for an hour. The caller must hold s.mu.
func (s *DecisionCounter) of(p tenant.Principal, at time.Time) *statisticsCounts {
	key := statisticsKey{p.TenantID, string(p.Environment), hourOf(at)}
	c := s.counts[key]
	if c == nil {
		c = &statisticsCounts{reasons: map[string]int64{}, errors: map[string]int64{}}
		s.counts[key] = c
	}
	return c
}

// addName adds to the count of a name, or of otherName if there are too many names.
func addName(counts map[string]int64, name string, n int64) {
	if _, known := counts[name]; !known && len(counts) >= mostNames {
		name = otherName
	}
	counts[name] += n
}

// decided counts a stored decision.
func (s *DecisionCounter) decided(p tenant.Principal, at time.Time, d *engine.Decision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.of(p, at)
	c.statuses[d.Status]++
	switch {
	case d.Status == engine.Approved && d.Offer.Made:
		c.offers++
		c.limitPaise += d.Offer.LimitPaise
		c.rateBP += d.Offer.RateBP
	case d.Status != engine.Approved && len(d.Reasons) > 0:
		addName(c.reasons, d.Reasons[0].Code, 1)
	}
}

// take returns the counts and resets them.
func (s *DecisionCounter) take() map[statisticsKey]*statisticsCounts {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := s.counts
	s.counts = map[statisticsKey]*statisticsCounts{}
	return counts
}

// giveBack adds counts that could not be stored, so that the next flush stores them.
func (s *DecisionCounter) giveBack(counts map[statisticsKey]*statisticsCounts) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, c := range counts {
		if now := s.counts[key]; now != nil {
			c.add(now)
		}
		s.counts[key] = c
	}
}

func (c *statisticsCounts) add(other *statisticsCounts) {
	for i, n := range other.statuses {
		c.statuses[i] += n
	}
	c.offers += other.offers
	c.limitPaise += other.limitPaise
	c.rateBP += other.rateBP
	for i, n := range other.latencies {
		c.latencies[i] += n
		c.micros[i] += other.micros[i]
	}
	for name, n := range other.reasons {
		addName(c.reasons, name, n)
	}
	for name, n := range other.errors {
		addName(c.errors, name, n)
	}
}

// Request describes an answered API request. It is the argument of Observed.
type Request struct {
	TenantID    string
	Environment tenant.Environment
	Route       string // such as "POST /v1/decisions"
	Duration    time.Duration
	Code        string // the code of the error; "" if the request succeeded
}

// Observed counts a request for the statistics. It ignores requests that are not for one decision, and those without a
// tenant.
func (s *DecisionCounter) Observed(r Request) {
	switch r.Route {
	case EndpointDecisions, EndpointEvaluate, EndpointUnderwrite:
	default:
		return
	}
	if r.TenantID == "" {
		return
	}
	at := 0
	for at < len(latencyLimits) && r.Duration > latencyLimits[at] {
		at++
	}
	now := s.core.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.of(tenant.Principal{TenantID: r.TenantID, Environment: r.Environment}, now)
	c.latencies[at]++
	c.micros[at] += r.Duration.Microseconds()
	if r.Code != "" {
		addName(c.errors, r.Code, 1)
	}
}

// hourFormat is the format of the hours of stored counts. It begins with the format of days.
const hourFormat = "2006-01-02T15"

// hourName returns the name of an hour of statisticsKey.
func hourName(hour int64) string {
	return time.Unix(hour*secondsPerHour-int64(civil.IndiaOffset/time.Second), 0).In(civil.India).Format(hourFormat)
}

// Flush stores the counts of decisions and requests. If that fails, the next call stores them. Counts that
// are not stored yet are lost if the process is killed.
func (s *DecisionCounter) Flush(ctx context.Context) {
	counts := s.take()
	if len(counts) == 0 {
		return
	}
	var stats []store.DecisionStat
	for key, c := range counts {
		c.each(func(kind, name string, count, total int64) {
			hour := hourName(key.hour)
			for span, at := range map[string]string{store.StatHour: hour, store.StatDay: hour[:len(time.DateOnly)]} {
				stats = append(stats, store.DecisionStat{
					TenantID:    key.tenant,
					Environment: key.environment,
					Span:        span,
					Kind:        kind,
					At:          at,
					Name:        name,
					Count:       count,
					Total:       total,
				})
			}
		})
	}
	if err := s.core.DB.System().AddDecisionStats(ctx, stats); err != nil {
		s.giveBack(counts)
		s.core.Logger.WarnContext(ctx, "could not store the statistics of decisions; the next flush retries", "error",
			err)
	}
}

// each calls fn with every count that is not 0.
func (c *statisticsCounts) each(fn func(kind, name string, count, total int64)) {
	for i, n := range c.statuses {
		if n > 0 {
			fn(statStatus, engine.Status(i).String(), n, 0)
		}
	}
	if c.offers > 0 {
		fn(statOffer, offerLimit, c.offers, c.limitPaise)
		fn(statOffer, offerRate, c.offers, c.rateBP)
	}
	for i, n := range c.latencies {
		if n > 0 {
			fn(statLatency, latencyNames[i], n, c.micros[i])
		}
	}
	for name, n := range c.reasons {
		fn(statReason, name, n, 0)
	}
	for name, n := range c.errors {
		fn(statError, name, n, 0)
	}
}

// The days for which counts are kept.
const (
	keptHours    = 3
	keptStatDays = 400
)

// Purge deletes counts that are too old for every Range.
func (s *DecisionCounter) Purge(ctx context.Context) {
	now := s.core.Now()
	for span, days := range map[string]int{store.StatHour: keptHours, store.StatDay: keptStatDays} {
		before := tenant.BusinessDay(now.AddDate(0, 0, -days))
		s.core.PurgeAll(ctx, "statistics of decisions", func(limit int) (int64, error) {
			return s.core.DB.System().PurgeDecisionStats(ctx, span, before, limit)
		})
	}
}
