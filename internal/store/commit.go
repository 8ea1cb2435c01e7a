package store

import (
	"context"
	"database/sql"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"verdict/internal/admission"
)

// committer commits together what waits together. A commit costs one fsync
// however much it holds, so while one is under way the next writes gather, and
// all of them share the next. Nobody is held back to gather more.
type committer struct {
	db      *DB
	queue   chan *job
	done    chan struct{} // closed when the last write was answered
	mu      sync.RWMutex  // held by senders, so that closing cannot pass them
	closed  bool
	batches atomic.Int64
	writes  atomic.Int64
}

// job is one caller's write. It is either a function, or a decision with what
// belongs to it, which is inserted with its neighbours'.
type job struct {
	run      func(*session) error
	decision *DecisionWrite
	voice    voice // of the scope it is for

	state    atomic.Int32
	answer   chan error
	panicked any
}

const (
	jobWaiting   int32 = iota
	jobBegun           // the committer has it: the outcome must be waited for
	jobWithdrawn       // the caller went away before that
)

func newCommitter(db *DB) *committer {
	c := &committer{db: db, queue: make(chan *job, db.options.QueueSize), done: make(chan struct{})}
	go c.loop()
	return c
}

// write hands a function to the committer and waits for its commit.
func (db *DB) write(ctx context.Context, run func(*session) error) error {
	return db.commits.submit(ctx, &job{run: run})
}

// submit waits until a job is durable or refused.
func (c *committer) submit(ctx context.Context, j *job) error {
	j.answer = make(chan error, 1)
	admission.SlotOf(ctx).Pause() // what follows a write is short
	if err := c.enqueue(ctx, j); err != nil {
		return err
	}
	var err error
	select {
	case err = <-j.answer:
	case <-ctx.Done():
		if j.state.CompareAndSwap(jobWaiting, jobWithdrawn) {
			return ctx.Err()
		}
		err = <-j.answer // bounded by the batch's own timeout
	}
	if j.panicked != nil {
		panic(j.panicked) // where the caller's stack is, and not the committer's end
	}
	return err
}

func (c *committer) enqueue(ctx context.Context, j *job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return unavailable("the service is shutting down")
	}
	select {
	case c.queue <- j:
		return nil
	default:
	}
	patience := time.NewTimer(c.db.options.QueueWait)
	defer patience.Stop()
	select {
	case c.queue <- j:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-patience.C:
		return unavailable("too many writes are waiting")
	}
}

// drain refuses new jobs and returns when the accepted ones are answered.
func (c *committer) drain() {
	c.mu.Lock()
	c.closed = true
	close(c.queue)
	c.mu.Unlock()
	<-c.done
}

func (c *committer) loop() {
	defer close(c.done)
	batch := make([]*job, 0, c.db.options.BatchSize)
	for first := range c.queue {
		batch = c.gather(batch[:0], first)
		if len(batch) > 0 {
			c.commit(batch)
		}
		clear(batch)
	}
}

// gather takes the job that was waited for and whatever else is there already.
// It looks a second time after letting others run: those whom the last batch
// has just answered are about to write again.
func (c *committer) gather(batch []*job, first *job) []*job {
	batch = begun(batch, first)
	for range 2 {
		for len(batch) < cap(batch) && len(c.queue) > 0 { // nobody else receives
			batch = begun(batch, <-c.queue)
		}
		runtime.Gosched()
	}
	return batch
}

// begun adds a job unless its caller has gone away.
func begun(batch []*job, j *job) []*job {
	if j.state.CompareAndSwap(jobWaiting, jobBegun) {
		batch = append(batch, j)
	}
	return batch
}

// maxAttempts is how often a job is tried that another transaction is in the
// way of. Between nodes on PostgreSQL that is a deadlock or a lock held long.
const maxAttempts = 4

// commit answers every job of a batch. Those that another transaction was in
// the way of are tried again, each by itself.
func (c *committer) commit(jobs []*job) {
	results := c.transact(jobs, false)
	for i, j := range jobs {
		err := results[i]
		for attempt := 1; attempt < maxAttempts && c.db.dialect.class(err) == classConflict; attempt++ {
			err = c.transact(jobs[i:i+1], false)[0]
		}
		j.answer <- c.db.failure("write", err)
	}
}

// transact runs jobs in one transaction, with the result of each. It has its
// own context: no caller's cancellation may interrupt the others. What can be
// done in one piece is, unless it is to be done apart.
func (c *committer) transact(jobs []*job, apart bool) []error {
	ctx, cancel := c.db.dialect.patience(c.db.options.Timeout)
	defer cancel()
	defer c.db.writer.prepared.settle(ctx)
	if !apart && ofOneScope(jobs) {
		stored, err := c.db.dialect.insertWhole(ctx, c.db, jobs[0].voice, writesOf(jobs))
		if stored {
			c.batches.Add(1)
			c.writes.Add(int64(len(jobs)))
		}
		if stored || err != nil {
			return all(len(jobs), err)
		}
	}
	s, err := c.begin(ctx)
	if err != nil {
		return all(len(jobs), err)
	}
	b := newBatch(s, jobs, apart)
	b.run()
	if s.broken != nil {
		_ = s.tx.Rollback() // there may be nothing left to roll back
		return all(len(jobs), s.broken)
	}
	if b.split {
		_ = s.tx.Rollback()
		return c.transact(jobs, true)
	}
	kept := b.kept()
	if kept == 0 {
		_ = s.tx.Rollback()
		return b.results
	}
	if err := s.tx.Commit(); err != nil {
		// Refusals count for nothing either: they may be about what the others
		// would have written, the last unit of a quota for instance.
		return all(len(jobs), err)
	}
	c.batches.Add(1)
	c.writes.Add(int64(kept))
	return b.results
}

// begin starts a transaction. Nothing has been done yet, so nothing can be done
// twice by starting again on another connection.
func (c *committer) begin(ctx context.Context) (*session, error) {
	var tx *sql.Tx
	err := c.db.pastDeadConnections(func() (err error) {
		tx, err = c.db.writer.BeginTx(ctx, nil)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &session{db: c.db, ctx: ctx, tx: tx, prepared: c.db.writer.prepared}, nil
}

func all(n int, err error) []error {
	errs := make([]error, n)
	for i := range errs {
		errs[i] = err
	}
	return errs
}
