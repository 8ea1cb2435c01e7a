package store

import "maps"

// lane holds the jobs of a blocked scope, in their order. A goroutine tries them
// on a connection of the side lanes until each is stored, refused or past its
// deadline. The lane ends when it has no jobs left and the last attempt did not
// fail on a lock. If the last attempt failed on a lock, the empty lane is parked:
// the scope's next job is added to the parked lane and does not delay the shared
// batch again.
type lane struct {
	scope   rlsScope
	jobs    []*job // guarded by the committer's lock, like all fields of lane
	blocked bool   // the last attempt failed on another transaction's lock
	parked  bool   // the lane has no goroutine
}

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
	l := &lane{scope: scope, blocked: true, jobs: append(requeue(jobs), c.queue.remove(scope)...)}
	c.aside[scope] = l
	c.lanes.Go(func() { c.serve(l) })
	return true
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
		c.side <- struct{}{} // lanes get connections in the order of their requests
		batch = c.takeFromLane(l, batch[:0])
		if len(batch) == 0 {
			<-c.side
			return
		}
		results := c.transact(*c.db.side, batch, false)
		<-c.side
		var blocked []*job
		for i, j := range batch {
			if c.db.dialect.class(results[i]) == classConflict {
				blocked = append(blocked, j)
				continue
			}
			j.answer <- c.db.failure("write", results[i])
		}
		c.mu.Lock()
		l.blocked = len(blocked) > 0
		l.jobs = append(requeue(blocked), l.jobs...)
		c.mu.Unlock()
		clear(batch)
	}
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
		if l.parked = l.blocked && !c.closed; !l.parked {
			delete(c.aside, l.scope)
		}
	}
	return batch
}
