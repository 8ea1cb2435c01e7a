package store

import (
	"context"
	"database/sql"
	"time"
)

// commit answers every job of a batch, except those that another transaction
// was in the way of: their scopes are set aside.
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

// persist tries a job again and again until its deadline. It is for a database
// without side lanes: what is in the way there is in everybody's way.
func (c *committer) persist(j *job, err error) error {
	for c.db.dialect.class(err) == classConflict && j.over() == nil {
		err = c.transact(c.db.writer, []*job{j}, false)[0]
	}
	return err
}

// transact runs jobs in one transaction, with the result of each. It has its
// own context: no caller's cancellation may interrupt the others. What can be
// done in one piece is, unless it is to be done apart.
func (c *committer) transact(on pool, jobs []*job, apart bool) []error {
	ctx, cancel := c.db.dialect.patience(c.timeLeft(jobs))
	defer cancel()
	defer on.prepared.settle(ctx)
	if !apart && ofOneScope(jobs) {
		stored, err := c.db.dialect.insertWhole(ctx, c.db, on, jobs[0].voice, writesOf(jobs))
		if stored {
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
	if s.broken != nil {
		_ = s.tx.Rollback() // there may be nothing left to roll back
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
	if err := on.acknowledged(s); err != nil {
		if c.db.uncertain(err) {
			c.db.doubts.add(s.written...)
		}
		// Refusals count for nothing either: they may be about what the others
		// would have written, the last unit of a quota for instance.
		return all(len(jobs), err)
	}
	c.batches.Add(1)
	c.writes.Add(int64(kept))
	return b.results
}

// timeLeft is how long a transaction may take: until the last deadline of its
// jobs, and long enough to be worth the try.
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

// begin starts a transaction. Nothing has been done yet, so nothing can be done
// twice by starting again on another connection.
func (c *committer) begin(ctx context.Context, on pool) (*session, error) {
	var tx *sql.Tx
	err := c.db.pastDeadConnections(func() (err error) {
		tx, err = on.BeginTx(ctx, nil)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &session{db: c.db, ctx: ctx, tx: tx, prepared: on.prepared}, nil
}

func all(n int, err error) []error {
	errs := make([]error, n)
	for i := range errs {
		errs[i] = err
	}
	return errs
}
