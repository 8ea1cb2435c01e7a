package load

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// Closed keeps so many connections busy for a while, each sending its next
// request when the last was answered. The rate it comes to is what the target
// can do; the latencies say nothing of what callers would see who do not wait
// for each other.
func (g *Generator) Closed(ctx context.Context, connections int, lasting time.Duration) *Result {
	g.begin()
	begun := time.Now()
	r := &recorder{timeout: g.options.Timeout, begun: begun, result: Result{Lasted: lasting, Conns: connections}}
	end := begun.Add(lasting)
	var busy sync.WaitGroup
	for i := range connections {
		random := rand.New(rand.NewPCG(g.options.Seed^uint64(i), g.stages)) //nolint:gosec // a load that can be repeated, not a secret
		busy.Go(func() {
			c := newConnection(g, r)
			defer c.close()
			for now := time.Now(); now.Before(end) && ctx.Err() == nil; now = time.Now() {
				r.note(func(r *Result) { r.Due++ })
				c.do(ctx, g.draw(random, now))
			}
		})
	}
	busy.Wait()
	return &r.result
}
