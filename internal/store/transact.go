package store

import (
	"context"
	"database/sql"
	"time"
)

// commit runs a batch and answers its jobs. If there are side lanes, jobs that
// failed on another transaction's lock are not answered: their scopes are set
// aside.
func (c *committer) commit(jobs []*job) {
	results := c.transact(c.db.writer, jobs, false)
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
		err = c.transact(c.db.writer, []*job{j}, false)[0]
	}
	return err
}

// transact runs jobs in one transaction and returns the result of each. The
// transaction has its own context, so that a caller who is cancelled does not
// interrupt the others. Unless apart is set, decisions of one scope are stored
// together, without savepoints; if that fails, transact calls itself with apart
// set.
func (c *committer) transact(on pool, jobs []*job, apart bool) []error {
	ctx, cancel := c.db.dialect.batchContext(c.timeLeft(jobs))
	defer cancel()
	defer on.prepared.prepareWanted(ctx)
	if !apart && ofOneScope(jobs) {
		stored, err := c.db.dialect.insertPipelined(ctx, c.db, on, jobs[0].rls, writesOf(jobs))
		if stored {
			c.db.grown.add(jobs[0].rls)
			c.batches.Add(1)
			c.writes.Add(int64(len(jobs)))
		}
		if stored || err != nil {
			return all(len(jobs), err)
		}
	}
	s, err := c.begin(ctx, on)
	if err != nil {
		return all(len(jobs), err)
	}
	b := newBatch(s, jobs, apart)
	b.run()
	c.charge(b.excess)
	if s.broken != nil {
		_ = s.tx.Rollback() // the transaction may be rolled back already
		return all(len(jobs), s.broken)
	}
	if b.split {
		_ = s.tx.Rollback()
		return c.transact(on, jobs, true)
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

// charge adds what functions have written in excess of their estimated cost to the use of their scopes.
// A function that writes a megabyte then delays the later writes of its own scope, and not those of others.
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
