package store

import (
	"slices"
	"time"
)

// queue holds the jobs that wait for the shared batch: one FIFO for each scope.
// The scope that has used least of the committer goes next, by start-time fair
// queueing (ADR 15). While several scopes write, a batch is kept short, since
// whoever comes next waits until it is committed: a scope with many jobs, or
// with large ones, delays itself. The caller holds a lock around every method.
type queue struct {
	scopes  map[voice]*fifo // those with jobs, and those that have used more than others
	turn    []*fifo         // those with jobs, in order of arrival
	length  int             // of all FIFOs
	clock   int64           // the start tag of the latest job that was taken
	most    int64           // the largest tag of any scope
	fixed   time.Duration   // what a commit takes by itself, by the last batches
	last    voice           // whose job came last
	changed [3]time.Time    // when jobs came for another scope than the one before, the latest first
}

type fifo struct {
	scope voice
	jobs  []*job
	taken int   // of jobs
	used  int64 // the start tag of its next job, in units of cost
}

const (
	// costBytes is how many bytes cost as much as a row.
	costBytes = 4 << 10
	// costTakes is about how long one unit of cost takes.
	costTakes = 50 * time.Microsecond
	// shortBatch is how long the work of one scope in a batch may always take.
	shortBatch = time.Millisecond
	// severalWithin is the time within which jobs must have come for one scope,
	// another and again another for several to be writing.
	severalWithin = 50 * time.Millisecond
	// manyScopes is how many scopes are remembered before idle ones are forgotten.
	manyScopes = 1024
)

func newQueue() *queue { return &queue{scopes: map[voice]*fifo{}, fixed: shortBatch} }

// cost returns about how many rows' worth of work a job is.
func (j *job) cost() int64 {
	if j.decision == nil {
		return 2
	}
	d := &j.decision.Decision
	bytes := len(d.Response) + len(d.Facts)
	if f := j.decision.Features; f != nil {
		bytes += len(f.Vector)
	}
	return costOf(bytes)
}

// costOf returns the cost of a row of so many bytes.
func costOf(bytes int) int64 { return 1 + int64(bytes)/costBytes }

// takes returns about how long the committer needs for something of a cost.
func takes(cost int64) time.Duration { return time.Duration(cost) * costTakes }

// waiting returns how many jobs of a scope wait.
func (q *queue) waiting(scope voice) int {
	if f := q.scopes[scope]; f != nil {
		return len(f.jobs) - f.taken
	}
	return 0
}

func (q *queue) push(j *job, now time.Time) {
	if j.scope != q.last {
		q.last, q.changed = j.scope, [3]time.Time{now, q.changed[0], q.changed[1]}
	}
	f := q.scopes[j.scope]
	if f == nil {
		q.forget()
		f = &fifo{scope: j.scope}
		q.scopes[j.scope] = f
	}
	if len(f.jobs) == 0 {
		f.used = max(f.used, q.clock) // an idle scope saves nothing up
		q.turn = append(q.turn, f)
	}
	f.jobs = append(f.jobs, j)
	q.length++
}

// budget returns how much a batch may cost, 0 for no bound: for each scope that
// waits as much work as a commit takes by itself, so that nobody waits much
// longer for a neighbour than for the disk.
func (q *queue) budget(now time.Time) int64 {
	if now.Sub(q.changed[2]) > severalWithin {
		return 0
	}
	return int64(max(shortBatch, q.fixed)/costTakes) * int64(max(1, len(q.turn)))
}

// measured notes how long a batch took. What its writes do not account for is
// the commit's own; on a slow machine that is too much, which makes batches
// longer and wastes nothing.
func (q *queue) measured(cost int64, took time.Duration) {
	if cost > 0 {
		q.fixed += (max(0, took-takes(cost)) - q.fixed) / 8
	}
}

// take adds jobs to a batch until it is full or costs more than the budget; one
// job it takes in any case. It reports what they cost, 0 if there were none.
// Jobs whose caller has gone away are dropped.
func (q *queue) take(batch []*job, budget int64) (_ []*job, cost int64) {
	for len(batch) < cap(batch) && q.length > 0 {
		f := q.first()
		j := f.jobs[f.taken]
		each := j.cost()
		if budget > 0 && len(batch) > 0 && cost+each > budget {
			break
		}
		cost += each
		q.clock = max(q.clock, f.used)
		f.used += each
		q.most = max(q.most, f.used)
		batch = begin(batch, j)
		f.jobs[f.taken] = nil
		f.taken++
		q.length--
		if f.taken == len(f.jobs) {
			q.drop(f)
		}
	}
	if q.length == 0 {
		q.clock = q.most // nobody competes: all debts are settled
	}
	return batch, cost
}

// first returns the scope that has used least, of equals the one that has
// waited longest.
func (q *queue) first() *fifo {
	least := q.turn[0]
	for _, f := range q.turn[1:] {
		if f.used < least.used {
			least = f
		}
	}
	return least
}

// remove takes all jobs of a scope off the queue, in their order.
func (q *queue) remove(scope voice) []*job {
	f := q.scopes[scope]
	if f == nil || len(f.jobs) == 0 {
		return nil
	}
	jobs := slices.Clone(f.jobs[f.taken:])
	q.length -= len(jobs)
	q.drop(f)
	return jobs
}

// drop empties a FIFO, which has no turn then.
func (q *queue) drop(f *fifo) {
	at := slices.Index(q.turn, f)
	q.turn = slices.Delete(q.turn, at, at+1)
	clear(f.jobs)
	f.jobs, f.taken = f.jobs[:0], 0
}

// forget drops idle scopes that would start at the clock anyway.
func (q *queue) forget() {
	if len(q.scopes) < manyScopes || len(q.scopes)&(len(q.scopes)-1) != 0 { // at powers of two
		return
	}
	for scope, f := range q.scopes {
		if len(f.jobs) == 0 && f.used <= q.clock {
			delete(q.scopes, scope)
		}
	}
}
