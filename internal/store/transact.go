package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// commit runs a batch and answers its jobs. If there are side lanes, jobs that
// failed on another transaction's lock are not answered: their scopes are set
// aside.
func (c *committer) commit(jobs []*job) {
	results := c.transact(c.db.writer, jobs)
	var blocked []*job
	for i, j := range jobs {
		err := results[i]
		if c.db.dialect.class(err) == classConflict {
			if c.db.side != nil {
				blocked = append(blocked, j)
				continue
			}
			err = c.persist(j, err)
		}
		j.answer <- c.db.failure("write", err)
	}
	c.setAside(blocked)
}

// persist retries a job until its deadline. It is for SQLite, which has no side
// lanes because one lock blocks every job.
func (c *committer) persist(j *job, err error) error {
	for c.db.dialect.class(err) == classConflict && j.over() == nil {
		err = c.transact(c.db.writer, []*job{j})[0]
	}
	return err
}

// transact runs jobs in one transaction and returns the result of each. The transaction has its own context, so that a
// caller who is cancelled does not interrupt the others. If all jobs are decisions, the dialect may store them in a
// transaction with fewer round trips; the rest is stored with ordinary statements in another transaction.
func (c *committer) transact(on pool, jobs []*job) []error {
	ctx, cancel := c.db.dialect.batchContext(c.timeLeft(jobs))
	defer cancel()
	defer on.prepared.prepareWanted(ctx)
	if !decisionsOnly(jobs) {
		return c.execute(ctx, on, jobs, false, nil)
	}
	stored, err := c.db.dialect.insertPipelined(ctx, c.db, on, jobs)
	if held, is := errors.AsType[*lockedScope](err); is && !ofScope(jobs, held.scope) {
		return c.execute(ctx, on, jobs, true, map[rlsScope]error{held.scope: err})
	}
	if err != nil {
		return all(len(jobs), err)
	}
	if stored == nil {
		return c.execute(ctx, on, jobs, false, nil)
	}
	var rest []*job
	var places []int
	for i, j := range jobs {
		if !stored[i] {
			rest, places = append(rest, j), append(places, i)
		}
	}
	c.batches.Add(1)
	c.writes.Add(int64(len(jobs) - len(rest)))
	results := make([]error, len(jobs))
	if len(rest) > 0 {
		for k, err := range c.execute(ctx, on, rest, false, nil) {
			results[places[k]] = err
		}
	}
	return results
}

// ofScope reports whether all jobs belong to the scope.
func ofScope(jobs []*job, scope rlsScope) bool {
	for _, j := range jobs {
		if j.rls != scope {
			return false
		}
	}
	return true
}

// execute runs jobs in one transaction with ordinary statements and returns the result of each. Unless apart is set,
// decisions are stored without savepoints if there are no other jobs; if that fails, execute calls itself with apart
// set. blocked are the scopes that are known to be locked by another transaction, each with the error of its jobs.
func (c *committer) execute(
	ctx context.Context, on pool, jobs []*job, apart bool, blocked map[rlsScope]error,
) []error {
	s, err := c.begin(ctx, on)
	if err != nil {
		return all(len(jobs), err)
	}
	b := newBatch(s, jobs, apart, blocked)
	b.run()
	c.charge(b.excess)
	if s.broken != nil {
		_ = s.tx.Rollback() // the transaction may be rolled back already
		return all(len(jobs), s.broken)
	}
	if b.split {
		_ = s.tx.Rollback()
		return c.execute(ctx, on, jobs, true, b.blocked)
	}
	kept := b.kept()
	if kept == 0 {
		_ = s.tx.Rollback()
		return b.results
	}
	if err := on.commit(s); err != nil {
		if c.db.mayHaveCommitted(err) {
			c.db.unconfirmed.add(s.written...)
		}
		// Refusals are discarded too: a job may have been refused because of a
		// write that was not committed, for instance one that used the last
		// unit of a quota.
		return all(len(jobs), err)
	}
	c.db.grown.add(s.grown...)
	c.db.keyChanges.add(s.rekeyed)
	c.batches.Add(1)
	c.writes.Add(int64(kept))
	return b.results
}

// charge adds the cost of jobs beyond their estimates to the use of their scopes. So a function that writes a megabyte
// delays the later writes of its own scope, and not those of others.
func (c *committer) charge(excess map[rlsScope]int64) {
	if len(excess) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for scope, cost := range excess {
		c.queue.charge(scope, cost)
	}
}

// timeLeft returns how long a transaction may take: until the latest deadline
// of its jobs, but at least a second and at most Options.Timeout.
func (c *committer) timeLeft(jobs []*job) time.Duration {
	const least = time.Second
	last := jobs[0].deadline
	for _, j := range jobs {
		if j.deadline.After(last) {
			last = j.deadline
		}
	}
	return min(max(time.Until(last), least), c.db.options.Timeout)
}

// begin starts a transaction. If the connection is dead, it retries on another one, which is safe because nothing has
// been written yet.
func (c *committer) begin(ctx context.Context, on pool) (*transaction, error) {
	var tx *sql.Tx
	err := c.db.retryDeadConnections(func() (err error) {
		tx, err = on.BeginTx(ctx, nil)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &transaction{db: c.db, ctx: ctx, tx: tx, prepared: on.prepared}, nil
}

func all(n int, err error) []error {
	errs := make([]error, n)
	for i := range errs {
		errs[i] = err
	}
	return errs
}
