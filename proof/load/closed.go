package load

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// Closed keeps connections busy for the given time. Each connection sends its
// next request when the last request was answered. The resulting rate is the
// capacity of the target. The latencies are not those that independent callers
// would see.
func (g *Generator) Closed(ctx context.Context, connections int, lasting time.Duration) *Result {
	g.begin()
	begun := time.Now()
	r := &recorder{timeout: g.options.Timeout, begun: begun, result: Result{Lasted: lasting, Conns: connections}}
	end := begun.Add(lasting)
	var busy sync.WaitGroup
	for i := range connections {
		random := rand.New(
			rand.NewPCG(g.options.Seed^uint64(i), g.stages)) //nolint:gosec // a repeatable load, not a secret
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
