package torture

import (
	"context"
	"math/rand/v2"
	"time"
)

// restarted restarts PostgreSQL in the same way as an operator.
func restarted(ctx context.Context, w *World, rng *rand.Rand) error {
	return w.fault("PostgreSQL restarted", func() error {
		w.Cluster.Stop()
		wait(ctx, between(rng, 0, 3*time.Second))
		return w.Cluster.Restart(ctx)
	})
}

// crashed kills all processes of PostgreSQL together. PostgreSQL then recovers
// from its write-ahead log.
func crashed(ctx context.Context, w *World, rng *rand.Rand) error {
	return w.fault("PostgreSQL killed", func() error {
		w.Cluster.Kill()
		wait(ctx, between(rng, 0, time.Second))
		return w.Cluster.Restart(ctx)
	})
}

// broken disturbs the network several times in a row.
func broken(ctx context.Context, w *World, rng *rand.Rand) error {
	for range 1 + rng.IntN(3) {
		if rng.IntN(4) == 0 {
			if err := w.fault("network cut", func() error { w.Proxy.Cut(); return nil }); err != nil {
				return err
			}
			if err := w.until(ctx, 1+rng.Int64N(20)); err != nil {
				return err
			}
			continue
		}
		mode := Refuse + Mode(rng.IntN(int(HalfWay-Refuse)+1))
		lasts := between(rng, 50*time.Millisecond, 2*time.Second)
		if rng.IntN(8) == 0 {
			lasts += 11 * time.Second // longer than the database timeout
		}
		err := w.fault("network "+mode.String(), func() error {
			w.Proxy.Set(mode)
			wait(ctx, lasts)
			w.Proxy.Set(Pass)
			return nil
		})
		if err != nil {
			return err
		}
		if err := w.until(ctx, 1+rng.Int64N(20)); err != nil {
			return err
		}
	}
	return nil
}
