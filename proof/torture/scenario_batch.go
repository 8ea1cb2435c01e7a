package torture

import (
	"context"
	"math/rand/v2"
	"time"
)

// killedAtWork waits until a batch is accepted, and kills the only node, or one of several, while rows are decided.
func killedAtWork(ctx context.Context, w *World, rng *rand.Rand) error {
	accepted := w.Workload.Figures().Batches
	err := w.await(ctx, "a batch to be accepted", func() bool { return w.Workload.Figures().Batches > accepted })
	if err != nil {
		return err
	}
	wait(ctx, between(rng, 0, 300*time.Millisecond))
	if len(w.Nodes) == 1 {
		return killed(ctx, w, rng)
	}
	return oneDies(ctx, w, rng)
}
