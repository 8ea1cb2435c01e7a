package decisioning

import (
	"cmp"
	"context"
	"slices"
	"time"

	"verdict/internal/civil"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Range is a range of time that ends now and that Statistics can show.
type Range struct {
	Slots  int  // the number of hours or days, including the current one
	Hourly bool // the slots are hours
}

// Ranges returns the ranges of Statistics, shortest first.
func Ranges() []Range {
	return []Range{{Slots: 24, Hourly: true}, {Slots: 7}, {Slots: 30}, {Slots: 90}}
}

// Days returns the length of the range in days.
func (r Range) Days() int {
	if r.Hourly {
		return r.Slots / 24
	}
	return r.Slots
}

// Statistics are counts of decisions, and of the requests for them, in a range of time.
type Statistics struct {
	Range   Range
	Slots   []Counts // the hours or days of the range, oldest first; the last is not over yet
	Before  []Counts // the same number of hours or days immediately before the range
	Reasons []Named  // the main reasons of decisions that are not approved, most frequent first
	Errors  []Named  // the codes of requests without a decision, most frequent first
}

// Counts has the counts of one hour or day, or sums of them.
type Counts struct {
	At                           time.Time // the beginning of the hour or day in India
	Approved, Referred, Declined int64
	Offers                       int64 // approved decisions with an offer
	LimitPaise, RateBP           int64 // sums over Offers
	Errors                       int64 // requests that were not answered with a decision
	latencies                    [len(latencyNames)]int64
}

// Named is the count of a name in a range of time, and in the range before.
type Named struct {
	Name          string
	Count, Before int64
}

// Decisions returns the number of decisions.
func (c *Counts) Decisions() int64 { return c.Approved + c.Referred + c.Declined }

// Requests returns the number of answered requests.
func (c *Counts) Requests() (n int64) {
	for _, of := range c.latencies {
		n += of
	}
	return n
}

// Within returns the shortest counted duration within which at least the given share of the requests was answered.
// The share is in percent. ok is false if there was no request, or if the requests took longer than every counted
// duration.
func (c *Counts) Within(percent int64) (d time.Duration, ok bool) {
	all, answered := c.Requests(), int64(0)
	for i, limit := range latencyLimits {
		if answered += c.latencies[i]; all > 0 && answered*100 >= all*percent {
			return limit, true
		}
	}
	return 0, false
}

// Sum adds up counts.
func Sum(list []Counts) (sum Counts) {
	for i := range list {
		c := &list[i]
		sum.Approved += c.Approved
		sum.Referred += c.Referred
		sum.Declined += c.Declined
		sum.Offers += c.Offers
		sum.LimitPaise += c.LimitPaise
		sum.RateBP += c.RateBP
		sum.Errors += c.Errors
		for k, n := range c.latencies {
			sum.latencies[k] += n
		}
	}
	return sum
}

// In returns the counts of a range of time. They are collected in memory and stored every few seconds, so the
// newest decisions may be missing.
func (s *DecisionCounter) In(ctx context.Context, p tenant.Principal, r Range) (Statistics, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Statistics{}, err
	}
	if !slices.Contains(Ranges(), r) {
		return Statistics{}, fault.New(fault.Invalid, fault.CodeInvalidField, "there are no counts for this time range")
	}
	var read *statisticsReader
	now := s.core.Now()
	err := s.core.Scope(p).Read(ctx, func(tx *store.Tx) error {
		read = newStatisticsReader(r, now) // begin again, because the read may be repeated
		return read.all(tx.Decisions().DecisionReader)
	})
	if err != nil {
		return Statistics{}, err
	}
	return read.found(), nil
}

// statisticsReader reads the counts of a range and of the range before it.
type statisticsReader struct {
	r               Range
	span            string
	before, from    string // the first slot of the earlier range, and the first slot of the range
	to              string // sorts after every slot
	slots           []Counts
	at              map[string]*Counts
	reasons, errors []Named
}

func newStatisticsReader(r Range, now time.Time) *statisticsReader {
	read := &statisticsReader{r: r, span: store.StatDay, at: map[string]*Counts{}, to: "~"}
	read.slots = make([]Counts, 2*r.Slots)
	format, last := time.DateOnly, civil.DayAt(now).LastSecond().Add(time.Second).In(civil.India).AddDate(0, 0, -1)
	if r.Hourly {
		read.span, format = store.StatHour, hourFormat
		last = time.Unix(hourOf(now)*secondsPerHour-int64(civil.IndiaOffset/time.Second), 0).In(civil.India)
	}
	for i := range read.slots {
		back := len(read.slots) - 1 - i
		slot := &read.slots[i]
		if slot.At = last.AddDate(0, 0, -back); r.Hourly {
			slot.At = last.Add(-time.Duration(back) * time.Hour)
		}
		read.at[slot.At.Format(format)] = slot
	}
	read.before, read.from = read.slots[0].At.Format(format), read.slots[r.Slots].At.Format(format)
	return read
}

func (read *statisticsReader) all(from store.DecisionReader) error {
	for kind, add := range map[string]func(*Counts, *store.DecisionStat){
		statStatus: (*Counts).addStatus, statOffer: (*Counts).addOffer, statLatency: (*Counts).addLatency,
		statError: (*Counts).addError,
	} {
		stats, err := from.Stats(read.span, kind, read.before, read.to)
		if err != nil {
			return err
		}
		for i := range stats {
			if slot := read.at[stats[i].At]; slot != nil {
				add(slot, &stats[i])
			}
		}
	}
	var err error
	if read.reasons, err = read.named(from, statReason); err != nil {
		return err
	}
	read.errors, err = read.named(from, statError)
	return err
}

// named reads the counts by name of both ranges.
func (read *statisticsReader) named(from store.DecisionReader, kind string) ([]Named, error) {
	now, err := from.StatSums(read.span, kind, read.from, read.to)
	if err != nil {
		return nil, err
	}
	before, err := from.StatSums(read.span, kind, read.before, read.from)
	if err != nil {
		return nil, err
	}
	was := map[string]int64{}
	for i := range before {
		was[before[i].Name] = before[i].Count
	}
	list := make([]Named, len(now))
	for i := range now {
		list[i] = Named{Name: now[i].Name, Count: now[i].Count, Before: was[now[i].Name]}
	}
	slices.SortStableFunc(list, func(a, b Named) int { return cmp.Compare(b.Count, a.Count) })
	return list, nil
}

func (read *statisticsReader) found() Statistics {
	return Statistics{
		Range:   read.r,
		Slots:   read.slots[read.r.Slots:],
		Before:  read.slots[:read.r.Slots],
		Reasons: read.reasons,
		Errors:  read.errors,
	}
}

func (c *Counts) addStatus(stat *store.DecisionStat) {
	switch stat.Name {
	case engine.Approved.String():
		c.Approved += stat.Count
	case engine.Referred.String():
		c.Referred += stat.Count
	case engine.Declined.String():
		c.Declined += stat.Count
	}
}

func (c *Counts) addOffer(stat *store.DecisionStat) {
	switch stat.Name {
	case offerLimit:
		c.Offers += stat.Count
		c.LimitPaise += stat.Total
	case offerRate:
		c.RateBP += stat.Total
	}
}

func (c *Counts) addLatency(stat *store.DecisionStat) {
	if i := slices.Index(latencyNames[:], stat.Name); i >= 0 {
		c.latencies[i] += stat.Count
	}
}

func (c *Counts) addError(stat *store.DecisionStat) { c.Errors += stat.Count }
