package store

import "slices"

// queue holds the jobs that wait for the shared batch: one FIFO for each
// scope, served in turn, so that a scope with many jobs delays nobody else by
// more than one job in a round. The caller holds a lock around every method.
type queue struct {
	byScope map[voice]*fifo
	turn    []*fifo // those that hold jobs, in the order in which they are served
	next    int     // whose turn it is
	length  int
	spare   []*fifo // empty ones to use again
}

type fifo struct {
	scope voice
	jobs  []*job
	taken int // of jobs
}

func newQueue() *queue { return &queue{byScope: map[voice]*fifo{}} }

// waiting returns how many jobs of a scope wait.
func (q *queue) waiting(scope voice) int {
	if f := q.byScope[scope]; f != nil {
		return len(f.jobs) - f.taken
	}
	return 0
}

func (q *queue) push(j *job) {
	f := q.byScope[j.scope]
	if f == nil {
		if n := len(q.spare); n > 0 {
			f, q.spare = q.spare[n-1], q.spare[:n-1]
		} else {
			f = &fifo{}
		}
		f.scope = j.scope
		q.byScope[j.scope] = f
		q.turn = append(q.turn, f)
	}
	f.jobs = append(f.jobs, j)
	q.length++
}

// take adds jobs to a batch up to its capacity, one of each scope in turn, and
// reports whether it took any off the queue. Jobs whose caller has gone away
// are dropped.
func (q *queue) take(batch []*job) (_ []*job, taken bool) {
	for len(batch) < cap(batch) && q.length > 0 {
		f := q.turn[q.next]
		batch = begin(batch, f.jobs[f.taken])
		f.jobs[f.taken] = nil
		f.taken++
		q.length--
		taken = true
		if f.taken == len(f.jobs) {
			q.drop(q.next)
		} else {
			q.next++
		}
		if q.next >= len(q.turn) {
			q.next = 0
		}
	}
	return batch, taken
}

// remove takes all jobs of a scope off the queue, in their order.
func (q *queue) remove(scope voice) []*job {
	f := q.byScope[scope]
	if f == nil {
		return nil
	}
	jobs := slices.Clone(f.jobs[f.taken:])
	q.length -= len(jobs)
	at := slices.Index(q.turn, f)
	q.drop(at)
	if at < q.next {
		q.next--
	}
	if q.next >= len(q.turn) {
		q.next = 0
	}
	return jobs
}

// drop removes a FIFO that has no turn any more.
func (q *queue) drop(at int) {
	f := q.turn[at]
	q.turn = slices.Delete(q.turn, at, at+1)
	delete(q.byScope, f.scope)
	clear(f.jobs)
	f.jobs, f.taken = f.jobs[:0], 0
	const spareKept = 64
	if len(q.spare) < spareKept {
		q.spare = append(q.spare, f)
	}
}
