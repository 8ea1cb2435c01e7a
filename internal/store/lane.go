package store

import "maps"

// lane holds the jobs of a blocked scope, in their order. A goroutine tries them
// on a connection of the side lanes until each is stored, refused or past its
// deadline. The lane ends when it has no jobs left and is not blocked. If it is
// blocked, the empty lane is parked: the scope's next job is added to the parked
// lane and does not delay the shared batch again.
type lane struct {
	scope   rlsScope
	jobs    []*job // guarded by the committer's lock, like all fields of lane
	blocked kinds  // the kinds of jobs whose last attempt failed on another transaction's lock
	stuck   bool   // the last attempt in the lane failed on another transaction's lock
	parked  bool   // the lane has no goroutine
}

// kinds says which kinds of jobs wait for a lock. A decision and a function of one scope lock different rows, so the
// success of a function does not show that the next decision will succeed.
type kinds struct{ decisions, functions bool }

func (k *kinds) set(j *job, blocked bool) {
	if j.decision != nil {
		k.decisions = blocked
	} else {
		k.functions = blocked
	}
}

func (k kinds) any() bool { return k.decisions || k.functions }

const (
	// maxLanes limits the scopes that are set aside. If more scopes are blocked, the
	// whole database is probably blocked.
	maxLanes = 64
	// laneShare limits a lane to 1/laneShare of QueueSize.
	laneShare = 4
)

// setAside moves the scopes of blocked jobs to side lanes, together with their
// jobs that are still queued. If there are too many lanes, it refuses the blocked
// jobs.
func (c *committer) setAside(blocked []*job) {
	for len(blocked) > 0 {
		scope := blocked[0].scope
		var its, others []*job
		for _, j := range blocked {
			if j.scope == scope {
				its = append(its, j)
			} else {
				others = append(others, j)
			}
		}
		if !c.openLane(scope, its) {
			for _, j := range its {
				j.answer <- tooLate()
			}
		}
		blocked = others
	}
}

// openLane opens a lane for the jobs of a scope. It returns false if there are
// too many lanes.
func (c *committer) openLane(scope rlsScope, jobs []*job) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.aside) >= maxLanes {
		maps.DeleteFunc(c.aside, func(_ rlsScope, l *lane) bool { return l.parked })
	}
	if len(c.aside) >= maxLanes {
		return false
	}
	l := &lane{scope: scope}
	for _, j := range jobs {
		l.blocked.set(j, true)
	}
	c.startLane(l, requeue(jobs))
	// The transaction that locked this scope may have locked the tenant's other scopes too. Their next jobs are tried
	// in lanes as well, so that the shared batch does not wait for each of them in turn.
	for other := range c.queue.scopes {
		if other != scope && other.tenant == scope.tenant && c.aside[other] == nil && len(c.aside) < maxLanes {
			c.startLane(&lane{scope: other}, nil)
		}
	}
	return true
}

// startLane adds a lane with jobs that were already taken, and with the jobs of its scope that are still queued. A lane
// without jobs is parked.
func (c *committer) startLane(l *lane, jobs []*job) {
	l.jobs = append(jobs, c.queue.remove(l.scope)...)
	c.aside[l.scope] = l
	if l.parked = len(l.jobs) == 0; !l.parked {
		c.lanes.Go(func() { c.serve(l) })
	}
}

// requeue returns the jobs that can be tried again, marked as waiting, and
// answers those that were cancelled or are past their deadline.
func requeue(jobs []*job) (waiting []*job) {
	for _, j := range jobs {
		if err := j.over(); err != nil {
			j.answer <- err
			continue
		}
		j.state.Store(jobWaiting)
		waiting = append(waiting, j)
	}
	return waiting
}

// serve runs the jobs of a lane until it is empty.
func (c *committer) serve(l *lane) {
	batch := make([]*job, 0, c.db.options.BatchSize)
	for {
		leave := c.enterSide(l)
		batch = c.takeFromLane(l, batch[:0])
		if len(batch) == 0 {
			leave()
			return
		}
		results := c.transact(*c.db.side, batch)
		leave()
		c.settle(l, batch, results)
		clear(batch)
	}
}

// enterSide waits for a connection of the side lanes. Lanes get connections in the order of their requests, but stuck
// lanes use only some of them. So a scope that was blocked for a moment does not wait for scopes that stay blocked.
func (c *committer) enterSide(l *lane) (leave func()) {
	c.mu.Lock()
	stuck := l.stuck
	c.mu.Unlock()
	if stuck {
		c.stuck <- struct{}{}
	}
	c.side <- struct{}{}
	return func() {
		<-c.side
		if stuck {
			<-c.stuck
		}
	}
}

// settle answers the jobs of an attempt. Jobs that failed on another transaction's lock go to the front of the lane.
func (c *committer) settle(l *lane, batch []*job, results []error) {
	var blocked []*job
	kinds := l.blocked // only this goroutine changes l.blocked
	for i, j := range batch {
		if c.db.dialect.class(results[i]) == classConflict {
			blocked = append(blocked, j)
			continue
		}
		kinds.set(j, false)
		j.answer <- c.db.failure("write", results[i])
	}
	for _, j := range blocked {
		kinds.set(j, true)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	l.blocked, l.stuck = kinds, len(blocked) > 0
	l.jobs = append(requeue(blocked), l.jobs...)
}

// takeFromLane takes the waiting jobs of a lane. If there are none, it ends or
// parks the lane.
func (c *committer) takeFromLane(l *lane, batch []*job) []*job {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := 0
	for taken < len(l.jobs) && len(batch) < cap(batch) {
		batch = claim(batch, l.jobs[taken])
		taken++
	}
	l.jobs = append([]*job(nil), l.jobs[taken:]...)
	if taken > 0 {
		c.notifyFreed()
	}
	if len(batch) == 0 {
		if l.parked = l.blocked.any() && !c.closed; !l.parked {
			delete(c.aside, l.scope)
		}
	}
	return batch
}
