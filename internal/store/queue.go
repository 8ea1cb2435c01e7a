package store

import (
	"slices"
	"time"
)

// queue holds the jobs that wait for the shared batch, in one FIFO for each
// scope. The scope that has used the committer least goes next, by start-time
// fair queueing (ADR 15). While several scopes write, batches are kept short,
// because later writes wait until the batch is committed. So a scope with many or
// large jobs delays only itself. The caller of every method holds the committer's
// lock.
type queue struct {
	scopes  map[rlsScope]*fifo // scopes with jobs, and idle scopes that were not deleted yet
	turn    []*fifo            // scopes with jobs, in order of arrival
	length  int                // jobs in all FIFOs
	clock   int64              // virtual time: the largest start tag of the jobs taken; equal to most if no job waits
	most    int64              // the largest tag of any scope
	fixed   time.Duration      // the duration of a commit without its writes, averaged over the last batches
	last    rlsScope           // the scope of the latest job
	changed [3]time.Time       // the last three times at which the scope of arriving jobs changed, the latest first
}

type fifo struct {
	scope rlsScope
	jobs  []*job
	taken int   // the number of jobs taken
	used  int64 // the start tag of the scope's next job, in units of cost
}

const (
	// costBytes is the number of bytes that cost as much as a row.
	costBytes = 4 << 10
	// costTakes is the approximate time for one unit of cost.
	costTakes = 50 * time.Microsecond
	// shortBatch is the minimum time that a batch allows for each scope's work.
	shortBatch = time.Millisecond
	// severalWithin is the period within which the scope of the arriving jobs must
	// have changed three times. Otherwise one scope counts as writing alone.
	severalWithin = 50 * time.Millisecond
	// manyScopes is the number of scopes at which idle scopes begin to be
	// deleted.
	manyScopes = 1024
)

func newQueue() *queue { return &queue{scopes: map[rlsScope]*fifo{}, fixed: shortBatch} }

// cost estimates the work of a job, in units of one row. The size of a function's writes is not known before the
// function runs; queue.charge adds the rest.
func (j *job) cost() int64 {
	if j.decision == nil {
		return 2
	}
	d := &j.decision.Decision
	bytes := len(d.Response) + len(d.Facts)
	for i := range d.People {
		bytes += len(d.People[i].Facts)
	}
	if f := j.decision.Features; f != nil {
		bytes += len(f.Vector)
	}
	return costOf(bytes)
}

// costOf returns the cost of a row of the given size.
func costOf(bytes int) int64 { return 1 + int64(bytes)/costBytes }

// durationOf estimates how long the committer needs for work of the given cost.
func durationOf(cost int64) time.Duration { return time.Duration(cost) * costTakes }

// waiting returns the number of waiting jobs of a scope.
func (q *queue) waiting(scope rlsScope) int {
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
		f.used = max(f.used, q.clock) // an idle scope gains no credit
		q.turn = append(q.turn, f)
	}
	if f.taken > len(f.jobs)/2 { // without this, f.jobs would grow without bound if jobs always wait
		f.jobs = f.jobs[:copy(f.jobs, f.jobs[f.taken:])]
		f.taken = 0
	}
	f.jobs = append(f.jobs, j)
	q.length++
}

// budget returns the maximum cost of a batch, 0 for no limit. Each waiting scope
// may use as much time as a commit without writes takes. So no scope waits much
// longer for another scope than for the disk.
func (q *queue) budget(now time.Time) int64 {
	if now.Sub(q.changed[2]) > severalWithin {
		return 0
	}
	return int64(max(shortBatch, q.fixed)/costTakes) * int64(max(1, len(q.turn)))
}

// measured updates the estimated duration of a commit after a batch. It attributes to the commit the part of the
// batch's time that the writes do not account for. On a slow machine this overestimates the commit, which only
// makes batches longer.
func (q *queue) measured(cost int64, took time.Duration) {
	if cost > 0 {
		q.fixed += (max(0, took-durationOf(cost)) - q.fixed) / 8
	}
}

// take adds jobs to a batch until the batch is full or the budget is used up. An empty batch gets at least one job if
// any waits. take returns the cost of the jobs it took, 0 if there were none. Jobs that were withdrawn are dropped.
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
		batch = claim(batch, j)
		f.jobs[f.taken] = nil
		f.taken++
		q.length--
		if f.taken == len(f.jobs) {
			q.drop(f)
		}
	}
	if q.length == 0 {
		q.clock = q.most // no scope waits: all scopes start equal again
	}
	return batch, cost
}

// charge adds a cost to the use of a scope. It does nothing if forget has deleted the scope.
func (q *queue) charge(scope rlsScope, cost int64) {
	if f := q.scopes[scope]; f != nil {
		f.used += cost
	}
}

// first returns the scope that has used least. Among equals it returns the
// scope that has waited longest.
func (q *queue) first() *fifo {
	least := q.turn[0]
	for _, f := range q.turn[1:] {
		if f.used < least.used {
			least = f
		}
	}
	return least
}

// remove takes all jobs of a scope out of the queue, in their order.
func (q *queue) remove(scope rlsScope) []*job {
	f := q.scopes[scope]
	if f == nil || len(f.jobs) == 0 {
		return nil
	}
	jobs := slices.Clone(f.jobs[f.taken:])
	q.length -= len(jobs)
	q.drop(f)
	return jobs
}

// drop empties a FIFO and removes it from turn.
func (q *queue) drop(f *fifo) {
	at := slices.Index(q.turn, f)
	q.turn = slices.Delete(q.turn, at, at+1)
	clear(f.jobs)
	f.jobs, f.taken = f.jobs[:0], 0
}

// forget deletes idle scopes whose next job would get the virtual time as its start tag in any case. A new scope
// gets the same start tag.
func (q *queue) forget() {
	if len(q.scopes) < manyScopes || len(q.scopes)&(len(q.scopes)-1) != 0 { // only when the count is a power of two
		return
	}
	for scope, f := range q.scopes {
		if len(f.jobs) == 0 && f.used <= q.clock {
			delete(q.scopes, scope)
		}
	}
}
