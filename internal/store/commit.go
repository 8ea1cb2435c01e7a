package store

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"verdict/internal/admission"
	"verdict/internal/fault"
)

// committer commits waiting writes together (group commit). A commit costs one
// fsync for any number of writes, so writes that arrive during a commit are
// gathered and share the next one. There is no timer that delays writes to gather more.
//
// A scope whose rows are locked by another transaction is set aside, so that
// the other scopes are committed without it (lane.go). ADR 7 has the state
// diagram.
type committer struct {
	db          *DB
	wake        chan struct{} // wakes the loop when a job arrives or the committer is closed
	done        chan struct{} // closed when the loop has ended; jobs in lanes may still be unanswered
	lanes       sync.WaitGroup
	side        chan struct{} // a semaphore: one slot for each connection of the side lanes
	stuck       chan struct{} // a semaphore: one slot for each side-lane connection that stuck lanes may use
	batches     atomic.Int64
	writes      atomic.Int64
	skipGosched int // the number of batches until gather yields again; used only by the loop

	mu     sync.Mutex
	queue  *queue
	aside  map[rlsScope]*lane // the lanes of blocked scopes
	freed  chan struct{}      // closed when a job leaves the queue or a lane; nil while nobody waits
	closed bool
}

// job is one caller's write. It is either a function, or a decision with
// everything that belongs to it, which is inserted together with others.
type job struct {
	run      func(*transaction) error
	decision *DecisionWrite
	rls      rlsScope // the row-level security scope of the job's statements; zero for the system
	scope    rlsScope // the scope that is set aside if the job is blocked

	ctx      context.Context // the context of the caller
	deadline time.Time
	state    atomic.Int32
	answer   chan error
	panicked *fault.Panic
	took     time.Duration // the time that the committer spends on the job, estimated or measured
}

const (
	jobWaiting   int32 = iota
	jobBegun           // the committer has claimed the job: the caller must wait for the outcome
	jobWithdrawn       // the caller was cancelled or its deadline passed before the committer claimed the job
)

func newCommitter(db *DB) *committer {
	c := &committer{
		db: db, wake: make(chan struct{}, 1), done: make(chan struct{}),
		side: make(chan struct{}, postgresSide), stuck: make(chan struct{}, postgresStuck),
		queue: newQueue(), aside: map[rlsScope]*lane{},
	}
	go c.loop()
	return c
}

// longWrite is the maximum time that the committer may spend on a write without charging the owner of the write for
// it.
const longWrite = 500 * time.Microsecond

// timers holds timers for reuse, because every write needs a timer and few timers expire.
var timers = sync.Pool{New: func() any { return time.NewTimer(time.Hour) }}

// submit queues a job and waits until it is durable or refused. [committer.loop] takes the jobs from the queue, and
// [committer.transact] runs them in a transaction.
func (c *committer) submit(ctx context.Context, j *job) error {
	j.ctx, j.answer = ctx, make(chan error, 1)
	if j.deadline.IsZero() { // a job that is tried again keeps its deadline
		j.deadline = time.Now().Add(c.db.options.Timeout)
	}
	if j.decision != nil {
		j.took = durationOf(j.cost())
	}
	if err := c.enqueue(ctx, j); err != nil {
		return err
	}
	// Release the admission slot after waking the committer, not before. The goroutine that
	// gets the slot is then the last goroutine made ready, which Go runs next. Otherwise
	// the goroutine with the slot would wait behind all other ready goroutines. The work
	// after a write is short and needs no slot.
	admission.SlotOf(ctx).PauseLast()
	timeout, _ := timers.Get().(*time.Timer) // the pool contains only timers
	timeout.Reset(time.Until(j.deadline))
	defer func() {
		timeout.Stop()
		timers.Put(timeout)
	}()
	var err error
	select {
	case err = <-j.answer:
	case <-ctx.Done():
		if j.withdraw() {
			return ctx.Err()
		}
		err = <-j.answer // the job has begun, so its outcome decides
	case <-timeout.C:
		if j.withdraw() {
			return tooLate()
		}
		err = <-j.answer
	}
	if j.took > longWrite {
		admission.SlotOf(ctx).Charge(j.took)
	}
	if j.panicked != nil {
		panic(j.panicked) // panic on the caller's goroutine, so that the committer continues
	}
	return err
}

// withdraw cancels a job that has not begun. It returns false if the job has begun.
func (j *job) withdraw() bool { return j.state.CompareAndSwap(jobWaiting, jobWithdrawn) }

// over returns an error if the job must not be tried again, because its context
// is done or its deadline has passed.
func (j *job) over() error {
	if err := j.ctx.Err(); err != nil {
		return err
	}
	if !time.Now().Before(j.deadline) {
		return tooLate()
	}
	return nil
}

func tooLate() error { return unavailable("the database is busy") }

// enqueue adds a job to the queue, or to the side lane of its scope if the scope is blocked. It waits for capacity no
// longer than QueueWait.
func (c *committer) enqueue(ctx context.Context, j *job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var timeout <-chan time.Time
	for {
		accepted, freed, err := c.accept(j)
		if accepted || err != nil {
			return err
		}
		if timeout == nil {
			admission.SlotOf(ctx).Pause()
			timer := time.NewTimer(c.db.options.QueueWait)
			defer timer.Stop()
			timeout = timer.C
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return ctx.Err()
		case <-timeout:
			return unavailable("too many writes are waiting")
		}
	}
}

// accept queues a job if there is capacity. If there is no capacity, freed is closed when a job leaves the queue or a
// lane, or when the committer is closed.
func (c *committer) accept(j *job) (accepted bool, freed <-chan struct{}, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	size := c.db.options.QueueSize
	switch lane := c.aside[j.scope]; {
	case c.closed:
		return false, nil, unavailable("the service is shutting down")
	case lane != nil && len(lane.jobs) < max(1, size/laneShare):
		lane.jobs = append(lane.jobs, j)
		if lane.parked {
			lane.parked = false
			c.lanes.Go(func() { c.serve(lane) })
		}
		return true, nil, nil
	case lane == nil && c.queue.length < size && c.queue.waiting(j.scope) < max(1, size/scopeShare):
		c.queue.push(j, time.Now())
		c.signal()
		return true, nil, nil
	}
	if c.freed == nil {
		c.freed = make(chan struct{})
	}
	return false, c.freed, nil
}

// scopeShare limits one scope to 1/scopeShare of the queue.
const scopeShare = 2

func (c *committer) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// notifyFreed wakes the callers that wait for capacity. The caller of notifyFreed holds the
// committer's lock.
func (c *committer) notifyFreed() {
	if c.freed != nil {
		close(c.freed)
		c.freed = nil
	}
}

// drain refuses new jobs and returns when all accepted jobs are answered.
func (c *committer) drain() {
	c.mu.Lock()
	c.closed = true
	c.notifyFreed()
	c.signal()
	c.mu.Unlock()
	<-c.done
	c.lanes.Wait()
}

func (c *committer) loop() {
	defer close(c.done)
	batch := make([]*job, 0, c.db.options.BatchSize)
	for range c.wake {
		for more := true; more; {
			var cost int64
			batch, cost = c.gather(batch[:0])
			begun := time.Now()
			if len(batch) > 0 {
				c.commit(batch)
			}
			clear(batch)
			c.mu.Lock()
			c.queue.measured(cost, time.Since(begun))
			c.mu.Unlock()
			more = cost > 0
		}
		c.mu.Lock()
		over := c.closed && c.queue.length == 0
		c.mu.Unlock()
		if over {
			return
		}
	}
}

// gather takes the waiting jobs and returns their cost. Then it yields to other goroutines
// and takes jobs again, because callers whose writes were just committed often write again.
// If yielding took long, because many goroutines are ready to run, it does not yield for
// the next skippedGoscheds batches.
func (c *committer) gather(batch []*job) (_ []*job, cost int64) {
	batch, cost = c.takeWaiting(batch, 0)
	switch {
	case cost == 0:
	case c.skipGosched > 0:
		c.skipGosched--
	default:
		before := time.Now()
		runtime.Gosched()
		if time.Since(before) > longGosched {
			c.skipGosched = skippedGoscheds
		}
		batch, cost = c.takeWaiting(batch, cost)
	}
	return batch, cost
}

const (
	// longGosched is the duration of a yield above which the next yields are skipped.
	longGosched = time.Millisecond
	// skippedGoscheds is the number of batches without yielding after a yield that took longer than longGosched.
	skippedGoscheds = 100
)

// takeWaiting adds waiting jobs to a batch and returns its new cost. cost is
// the cost of the jobs that the batch has already.
func (c *committer) takeWaiting(batch []*job, cost int64) ([]*job, int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	budget := c.queue.budget(time.Now())
	if budget > 0 {
		budget = max(1, budget-cost)
	}
	batch, taken := c.queue.take(batch, budget)
	if taken > 0 {
		c.notifyFreed()
	}
	return batch, cost + taken
}

// claim adds a job to a batch unless the job was withdrawn.
func claim(batch []*job, j *job) []*job {
	if j.state.CompareAndSwap(jobWaiting, jobBegun) {
		batch = append(batch, j)
	}
	return batch
}
