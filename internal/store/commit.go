package store

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"verdict/internal/admission"
)

// committer commits together what waits together. A commit costs one fsync
// however much it holds, so while one is under way the next writes gather, and
// all of them share the next. Nobody is held back to gather more.
//
// A scope whose rows another transaction has locked is set aside, so that its
// neighbours are committed without it (lane.go). ADR 7 has the state diagram.
type committer struct {
	db      *DB
	wake    chan struct{} // tells the loop that a job or the end has come
	done    chan struct{} // closed when the last write was answered
	lanes   sync.WaitGroup
	side    chan struct{} // a place for each connection of the side lanes
	batches atomic.Int64
	writes  atomic.Int64
	hurried int // batches until a second look is taken again; of the loop alone

	mu     sync.Mutex
	queue  *queue
	aside  map[voice]*lane // the scopes that are blocked
	freed  chan struct{}   // closed when a job left the queue or a lane; nil while nobody waits for it
	closed bool
}

// job is one caller's write. It is either a function, or a decision with what
// belongs to it, which is inserted with its neighbours'.
type job struct {
	run      func(*session) error
	decision *DecisionWrite
	voice    voice // for whom its statements speak; the zero voice for the system
	scope    voice // what is set aside when the job is blocked

	ctx      context.Context // of the caller
	deadline time.Time
	state    atomic.Int32
	answer   chan error
	panicked any
	took     time.Duration // by the committer, about
}

const (
	jobWaiting   int32 = iota
	jobBegun           // the committer has it: the outcome must be waited for
	jobWithdrawn       // the caller went away before that, or its time was over
)

func newCommitter(db *DB) *committer {
	c := &committer{
		db: db, wake: make(chan struct{}, 1), done: make(chan struct{}),
		side: make(chan struct{}, postgresSide), queue: newQueue(), aside: map[voice]*lane{},
	}
	go c.loop()
	return c
}

// timers are used again: every write needs one, and few run out.
var timers = sync.Pool{New: func() any { return time.NewTimer(time.Hour) }}

// submit waits until a job is durable or refused.
func (c *committer) submit(ctx context.Context, j *job) error {
	j.ctx, j.answer, j.deadline = ctx, make(chan error, 1), time.Now().Add(c.db.options.Timeout)
	if j.decision != nil {
		j.took = takes(j.cost())
	}
	if err := c.enqueue(ctx, j); err != nil {
		return err
	}
	// The slot is given up after the committer was woken. So whoever gets it is the
	// last that was made ready, which Go runs next: it holds the slot and should not
	// wait behind all others that are ready. What follows a write is short, and needs
	// no slot.
	admission.SlotOf(ctx).Pause()
	patience, _ := timers.Get().(*time.Timer) // the pool holds nothing else
	patience.Reset(time.Until(j.deadline))
	defer func() {
		patience.Stop()
		timers.Put(patience)
	}()
	var err error
	select {
	case err = <-j.answer:
	case <-ctx.Done():
		if j.withdraw() {
			return ctx.Err()
		}
		err = <-j.answer // bounded by the transaction's own deadline
	case <-patience.C:
		if j.withdraw() {
			return tooLate()
		}
		err = <-j.answer
	}
	admission.SlotOf(ctx).Charge(j.took)
	if j.panicked != nil {
		panic(j.panicked) // where the caller's stack is, and not the committer's end
	}
	return err
}

// withdraw prevents a job that has not begun.
func (j *job) withdraw() bool { return j.state.CompareAndSwap(jobWaiting, jobWithdrawn) }

// over is why a job is not to be tried again; nil if it is.
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

// enqueue hands a job to the shared batch, or to the side lane of its scope if
// that is blocked. It waits for room no longer than QueueWait.
func (c *committer) enqueue(ctx context.Context, j *job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var patience <-chan time.Time
	for {
		accepted, freed, err := c.accept(j)
		if accepted || err != nil {
			return err
		}
		if patience == nil {
			admission.SlotOf(ctx).Pause()
			timer := time.NewTimer(c.db.options.QueueWait)
			defer timer.Stop()
			patience = timer.C
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return ctx.Err()
		case <-patience:
			return unavailable("too many writes are waiting")
		}
	}
}

// accept takes a job if there is room for it. If not, freed is closed when a
// job has left.
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

// scopeShare is the part of the queue that one scope may fill.
const scopeShare = 2

func (c *committer) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// hasLeft lets those who wait for room look again. The caller holds the lock.
func (c *committer) hasLeft() {
	if c.freed != nil {
		close(c.freed)
		c.freed = nil
	}
}

// drain refuses new jobs and returns when the accepted ones are answered.
func (c *committer) drain() {
	c.mu.Lock()
	c.closed = true
	c.hasLeft()
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

// gather takes what waits, and returns what it costs. It looks a second time
// after letting others run: those whom the last batch has just answered are
// about to write again. When that took long, because so much else is ready to
// run, the second look is left out for a while.
func (c *committer) gather(batch []*job) (_ []*job, cost int64) {
	batch, cost = c.takeWaiting(batch, 0)
	switch {
	case cost == 0:
	case c.hurried > 0:
		c.hurried--
	default:
		before := time.Now()
		runtime.Gosched()
		if time.Since(before) > longLook {
			c.hurried = hurriedBatches
		}
		batch, cost = c.takeWaiting(batch, cost)
	}
	return batch, cost
}

const (
	// longLook is how long letting others run may take.
	longLook = time.Millisecond
	// hurriedBatches is for how many batches it is left out when it took longer.
	hurriedBatches = 100
)

// takeWaiting adds what waits to a batch that costs something already.
func (c *committer) takeWaiting(batch []*job, cost int64) ([]*job, int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	budget := c.queue.budget(time.Now())
	if budget > 0 {
		budget = max(1, budget-cost)
	}
	batch, taken := c.queue.take(batch, budget)
	if taken > 0 {
		c.hasLeft()
	}
	return batch, cost + taken
}

// begin adds a job unless its caller has gone away.
func begin(batch []*job, j *job) []*job {
	if j.state.CompareAndSwap(jobWaiting, jobBegun) {
		batch = append(batch, j)
	}
	return batch
}
