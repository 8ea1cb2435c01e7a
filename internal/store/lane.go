package store

import "maps"

// lane holds the jobs of a scope that is blocked, in their order. A goroutine
// tries them on a connection of the side lanes until each is stored, refused
// or out of time. The lane ends when it is empty and the scope is not blocked
// any more; until then it is parked, so that the scope's next job does not make
// the shared batch wait again.
type lane struct {
	scope   voice
	jobs    []*job // under the committer's lock, like all of it
	blocked bool   // the last try met another transaction's lock
	parked  bool   // no goroutine serves it
}

const (
	// maxLanes bounds the scopes that are set aside. If more are blocked, it is
	// the database that is.
	maxLanes = 64
	// laneShare is the part of QueueSize that a lane may hold.
	laneShare = 4
)

// setAside moves the scopes of blocked jobs to side lanes, with what the queue
// still holds of them.
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
		if !c.toLane(scope, its) {
			for _, j := range its {
				j.answer <- tooLate()
			}
		}
		blocked = others
	}
}

// toLane reports whether there is a lane for the jobs.
func (c *committer) toLane(scope voice, jobs []*job) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.aside) >= maxLanes {
		maps.DeleteFunc(c.aside, func(_ voice, l *lane) bool { return l.parked })
	}
	if len(c.aside) >= maxLanes {
		return false
	}
	l := &lane{scope: scope, blocked: true, jobs: append(again(jobs), c.queue.remove(scope)...)}
	c.aside[scope] = l
	c.lanes.Go(func() { c.serve(l) })
	return true
}

// again makes jobs wait that were begun and undone, and answers those whose
// time is over.
func again(jobs []*job) (waiting []*job) {
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

// serve tries the jobs of a lane until there are none.
func (c *committer) serve(l *lane) {
	batch := make([]*job, 0, c.db.options.BatchSize)
	for {
		c.side <- struct{}{} // those who wait are served in turn
		batch = c.fromLane(l, batch[:0])
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
		l.jobs = append(again(blocked), l.jobs...)
		c.mu.Unlock()
		clear(batch)
	}
}

// fromLane takes what waits in a lane, and ends or parks the lane if that is
// nothing.
func (c *committer) fromLane(l *lane, batch []*job) []*job {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := 0
	for taken < len(l.jobs) && len(batch) < cap(batch) {
		batch = begin(batch, l.jobs[taken])
		taken++
	}
	l.jobs = append([]*job(nil), l.jobs[taken:]...)
	if taken > 0 {
		c.hasLeft()
	}
	if len(batch) == 0 {
		if l.parked = l.blocked && !c.closed; !l.parked {
			delete(c.aside, l.scope)
		}
	}
	return batch
}
