package load

import (
	"context"
	"sync"
	"time"
)

// Open sends requests at a rate for a time, independently of the answers. Each
// request takes an idle connection or opens a new one. If the maximum number of
// connections is reached, the request waits for a connection until its timeout.
func (g *Generator) Open(ctx context.Context, rate float64, lasting time.Duration) *Result {
	p := &pool{generator: g, most: g.options.Connections}
	p.record = &recorder{timeout: g.options.Timeout, begun: time.Now(), result: Result{Offered: rate, Lasted: lasting}}
	random := g.begin()
	s := newSchedule(g.options.Arrivals, rate, random)
	for at := s.next(); at < lasting && ctx.Err() == nil; at = s.next() {
		due := p.record.begun.Add(at)
		for wait := time.Until(due); wait > 0; wait = time.Until(due) {
			nap(wait)
		}
		p.submit(ctx, g.draw(random, due))
	}
	p.finish()
	p.record.result.Conns = p.made
	return &p.record.result
}

// pool holds the connections of an open loop.
type pool struct {
	generator *Generator
	record    *recorder
	most      int
	busy      sync.WaitGroup

	mu      sync.Mutex
	idle    []*connection // a stack, so that no more connections are opened than needed
	waiting []job         // jobs that wait for a connection, in the order in which they were due
	made    int
	ended   bool
}

// submit passes a job that is due now to a connection, or queues the job if no
// connection is free.
func (p *pool) submit(ctx context.Context, j job) {
	late := time.Since(j.due)
	p.record.note(func(r *Result) {
		r.Due++
		r.Behind.Add(late)
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	switch n := len(p.idle); {
	case n > 0:
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		c.work <- j // the connection is idle, so the channel has capacity
	case p.made < p.most:
		p.made++
		c := newConnection(p.generator, p.record)
		c.work <- j
		p.busy.Go(func() { p.run(ctx, c) })
	default:
		p.waiting = append(p.waiting, j)
	}
}

// run sends jobs on a connection until there are no more.
func (p *pool) run(ctx context.Context, c *connection) {
	defer c.close()
	for j := range c.work {
		for more := true; more; {
			c.do(ctx, j)
			j, more = p.next(c)
		}
	}
}

// next returns the job that has waited longest. If there is no job, next
// returns false, and the connection becomes idle, or ends if finish was called.
// next abandons jobs past their timeout, as real callers would.
func (p *pool) next(c *connection) (j job, more bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.waiting) > 0 {
		j, p.waiting = p.waiting[0], p.waiting[1:]
		if time.Since(j.due) < p.record.timeout {
			return j, true
		}
		p.record.note(func(r *Result) { r.Unsent++ })
	}
	if p.ended {
		close(c.work)
		return job{}, false
	}
	p.idle = append(p.idle, c)
	return job{}, false
}

// finish waits until every job is answered or abandoned.
func (p *pool) finish() {
	p.mu.Lock()
	p.ended = true
	for _, c := range p.idle {
		close(c.work)
	}
	p.idle = nil
	p.mu.Unlock()
	p.busy.Wait()
}
