package study

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"verdict/internal/admission"
	"verdict/internal/backtest"
	"verdict/internal/engine/prover"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Comparisons compares two versions of a policy for all applicants. It also counts the applications of each
// prover.Kind.
type Comparisons struct {
	core    *operation.Core
	desk    *policydesk.Service
	lookups Lookups

	most   int64           // the maximum number of applications that are counted
	trying *admission.Pool // shared with Backtests: work whose callers wait for it
}

// DiffRequest is a request to compare two versions.
type DiffRequest struct {
	Against    string      // as in policydesk.Comparison
	Population *Population // nil to count no applications
	// Progress is called while the comparison runs. It may be nil.
	Progress func(Progress)
}

// Progress says how far a comparison has progressed.
type Progress struct {
	Counting  bool  // whether the comparison is done and applications are being counted
	Done, All int64 // steps of the comparison, or applications; All is 0 if it is not known
}

// Population names the applications to count. Exactly one of Replay and Book must be set. The PolicyKey and the
// Status of Replay are not used: all decisions of the rule set's policy_key are counted.
type Population struct {
	Replay *Replay
	Book   *Book
	// What names the applications in the summary; "" for a default text.
	What string
}

// MaxPopulation is the maximum number of applications that a comparison counts. countingTime limits the time for
// counting them. The comparison and the counting together take less time than a request may take.
const (
	MaxPopulation = 50_000
	countingTime  = 6 * time.Second
)

// Check adds the faults of the population to faults. at is the JSON pointer of the population.
func (p *Population) Check(faults *fault.List, at string, now time.Time) {
	if (p.Replay == nil) == (p.Book == nil) {
		faults.Add(at, fault.CodeInvalidField, `must have exactly one of "decisions" and "synthetic"`)
	}
	if p.Replay != nil {
		p.Replay.check(faults.Check(at+"/"+sourceDecisions), now)
	}
	if p.Book != nil {
		p.Book.check(faults, at+"/"+sourceSynthetic, MaxPopulation)
	}
}

// Difference is the difference of two versions. If the request had a population, the difference includes its counts.
type Difference struct {
	policydesk.Difference
	Counted *Counted // nil if no applications were counted
}

// Counted describes the applications that were counted for a difference.
type Counted struct {
	From, To time.Time // the range of the decisions; zero for a book
	Book     *Book     // nil for decisions
	// Erased is the number of decisions that could not be counted because the data of the applicant was erased.
	// Failed is the number of all applications that could not be counted.
	Erased, Failed int64
	Complete       bool // whether all applications of the range were counted
	Warnings       []backtest.Warning
}

// Diff compares a rule set with another one for all applicants, and counts the applications of the population by
// prover.Kind. It stores and bills nothing.
func (s *Comparisons) Diff(ctx context.Context, p tenant.Principal, id string, r DiffRequest) (Difference, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Difference{}, err
	}
	now := s.core.Moment()
	if r.Population != nil {
		var faults fault.List
		if r.Population.Check(&faults, "/population", now); faults.Err() != nil {
			return Difference{}, faults.Err()
		}
		if !s.trying.Take(p.TenantID, 1) {
			return Difference{}, fault.New(fault.Unavailable, fault.CodeUnavailable,
				"too many backtests and comparisons are running on this node; try again in a moment")
		}
		defer s.trying.Give(p.TenantID, 1)
	}
	compared, err := s.desk.Diff(ctx, p, id, policydesk.Comparison{Against: r.Against, Progress: r.comparing()})
	d := Difference{Difference: compared}
	if err != nil || r.Population == nil {
		return d, err
	}
	c := &counting{
		Comparisons: s,
		scope:       s.core.Scope(p),
		difference:  &d,
		population:  r.Population,
		progress:    r.Progress,
		until:       s.core.Now().Add(countingTime),
	}
	for _, policy := range []*policydesk.Policy{d.From, d.To} {
		if err := s.lookups.check(ctx, operation.ScopeOf(p), policy); err != nil {
			return Difference{}, err
		}
	}
	if err := c.run(ctx, now); err != nil {
		return Difference{}, err
	}
	return d, nil
}

// comparing returns the progress function of the comparison itself, or nil.
func (r *DiffRequest) comparing() func(done, all int) {
	if r.Progress == nil {
		return nil
	}
	return func(done, all int) { r.Progress(Progress{Done: int64(done), All: int64(all)}) }
}

// counting counts the applications of a population for a difference.
type counting struct {
	*Comparisons
	scope      *store.Scope
	difference *Difference
	population *Population
	progress   func(Progress)
	until      time.Time
}

// countingPiece is the number of applications that are counted between two checks of the time.
const countingPiece = 200

// run counts the applications and adds the result to the difference. It keeps no application, so its memory use does
// not depend on their number.
func (c *counting) run(ctx context.Context, now time.Time) error {
	d := c.difference
	a := &asked{source: sourceDecisions, champion: d.From, challenger: d.To}
	counted := &Counted{Complete: true}
	var feeds []feed
	if book := c.population.Book; book != nil {
		a.source, counted.Book = sourceSynthetic, book
		a.useBook(*book)
		feeds = []feed{&bookFeed{rows: a.rows, each: countingPiece}}
	} else {
		a.replay = c.population.Replay.span(now)
		a.replay.policyKey, a.replay.status = d.To.Key, ""
		counted.From, counted.To = a.replay.from, a.replay.to
		feeds = c.stretches(a.replay)
	}
	run, err := a.run()
	if err != nil {
		return err
	}
	job := &backtestRun{
		run: run, book: a.book, rows: a.rows, replay: a.replay, features: a.replayFeatures(),
		keys: c.core.Keys, lookups: c.lookups,
	}
	job.record.Source, job.record.CreatedMicros = a.source, now.UnixMicro()
	people := prover.NewPopulation(d.From.Plan, d.To.Plan, &d.Result)
	worker := run.NewWorker()
	worker.Observe(people.Count)
	if counted.Complete, err = c.count(ctx, job, worker, feeds); err != nil {
		return err
	}
	partial := worker.Take()
	_, counted.Failed = partial.Rows()
	counted.Erased = partial.FailedAs(fault.CodeErased)
	counted.Warnings = run.Report(partial).Warnings
	people.What = cmp.Or(c.population.What, counted.what())
	if !counted.Complete && people.Rows == 0 {
		people.What = "" // no application was counted in time, so the summary leaves the population out
	}
	d.Population, d.Counted = people, counted
	return nil
}

// stretches is the number of parts into which a range of decisions is divided. stride is coprime to it, so steps of
// stride reach every part.
const stretches, stride = 30, 7

// stretches divides a range of decisions into parts of equal length. The parts are counted in an order that jumps
// over the range, so that a count that ends early is still spread over it.
func (c *counting) stretches(s span) (feeds []feed) {
	length := s.to.Sub(s.from)
	bound := func(i time.Duration) time.Time {
		if i == stretches {
			return s.to
		}
		return wholeMillis(s.from.Add(length / stretches * i))
	}
	for i := range time.Duration(stretches) {
		at, part := i*stride%stretches, s
		part.from, part.to = bound(at), bound(at+1)
		if part.from.Before(part.to) {
			feeds = append(feeds, &replayFeed{scope: c.scope, which: part, each: countingPiece})
		}
	}
	return feeds
}

// count counts one piece of each feed in turn until all feeds have ended. whole is false if count stopped earlier,
// because it reached the maximum number of applications or the time was over.
func (c *counting) count(
	ctx context.Context, j *backtestRun, w *backtest.Worker, feeds []feed,
) (whole bool, err error) {
	for done := int64(0); len(feeds) > 0; {
		next := feeds[:0]
		for _, f := range feeds {
			if c.late(ctx) {
				return false, nil
			}
			p, err := f.next(ctx, false)
			if errors.Is(err, io.EOF) {
				continue
			}
			if err == nil && done >= c.most && p.rows > 0 { // a row beyond the maximum exists
				return false, nil
			}
			if part, is := f.(*replayFeed); is {
				j.replay = part.which // each feed has its own range
			}
			if err == nil {
				err = j.perform(ctx, c.scope, p, w, &bookTally{})
			}
			if err != nil {
				return false, err
			}
			done += p.rows
			next = append(next, f)
			if c.progress != nil {
				c.progress(Progress{Counting: true, Done: done, All: j.rows})
			}
		}
		feeds = next
	}
	return true, nil
}

// beforeDeadline is how long before the deadline of the request counting stops, so that the result can still be sent.
const beforeDeadline = 2 * time.Second

// late reports whether counting must stop: its own time is used up, or the request is about to reach its
// deadline. The deadline can come first if the comparison itself took long.
func (c *counting) late(ctx context.Context) bool {
	end, limited := ctx.Deadline()
	return c.core.Now().After(c.until) || limited && time.Until(end) < beforeDeadline
}

// what returns the words for the applications in the summary.
func (c *Counted) what() string {
	if c.Book != nil {
		return "applications of a synthetic book"
	}
	return "applications that were decided from " + tenant.BusinessDay(c.From) + " to " + tenant.BusinessDay(c.To)
}
