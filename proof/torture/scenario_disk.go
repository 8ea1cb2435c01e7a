package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"time"
)

// filled fills the disk. Writes and the readiness check then fail, everything that was answered stays stored, and the
// service recovers without help once there is space.
func filled(ctx context.Context, w *World, rng *rand.Rand) error {
	return w.fault("disk full", func() error {
		before := w.Workload.Figures().Refused503
		err := w.Disk.Fill(rng.Int64N(64 << 10))
		if err == nil {
			err = w.await(ctx, "refusals because the disk is full",
				func() bool { return w.Workload.Figures().Refused503 > before })
		}
		if err == nil {
			err = w.await(ctx, "a readiness check that fails because the disk is full", func() bool {
				status, _ := w.Nodes[0].readiness(ctx) // an error leaves the status 0
				return status == http.StatusServiceUnavailable
			})
		}
		wait(ctx, between(rng, 0, time.Second))
		if err = errors.Join(err, w.Disk.Free()); err != nil {
			return err
		}
		return w.readyAfterFullDisk(ctx)
	})
}

// readyAfterFullDisk waits until the first node is ready. It starts PostgreSQL again if that has ended, as a service
// manager would: the server ends if it cannot write its log and has no space to recover either.
func (w *World) readyAfterFullDisk(ctx context.Context) error {
	var failed error
	err := w.await(ctx, "a node that is ready because the disk has space again", func() bool {
		if w.Cluster != nil && !w.Cluster.Up() {
			if failed = w.Cluster.Restart(ctx); failed != nil {
				return false
			}
		}
		status, _ := w.Nodes[0].readiness(ctx) // an error leaves the status 0
		return status == http.StatusOK
	})
	return errors.Join(err, failed)
}

// syncs lists the system calls that wait for the disk. The database library
// uses one of them.
const syncs = "fsync,fdatasync"

// slowed delays the system calls that flush writes to the disk. Answers wait
// for these calls.
func slowed(ctx context.Context, w *World, rng *rand.Rand) error {
	delay := between(rng, 20*time.Millisecond, 400*time.Millisecond)
	what := fmt.Sprintf("%s:delay_enter=%d", syncs, delay.Microseconds())
	hits, answers := 1+rng.IntN(8), rng.Int64N(20)
	return w.injected(ctx, "disk slow", what, func(i *Injection) error {
		if err := w.await(ctx, "slow writes", func() bool { return i.Hits() >= hits }); err != nil {
			return err
		}
		return w.until(ctx, answers)
	})
}

// failing makes writes or flushes fail, sometimes or always, for a limited
// time.
func failing(ctx context.Context, w *World, rng *rand.Rand) error {
	call := []string{"pwrite64", syncs}[rng.IntN(2)]
	code := []string{"EIO", "ENOSPC"}[rng.IntN(2)]
	when := fmt.Sprintf(":when=%d+%d", 1+rng.IntN(5), 1+rng.IntN(4))
	lasts := between(rng, 0, 500*time.Millisecond)
	before := w.Workload.Figures().Refused503
	return w.injected(ctx, "disk error", call+":error="+code+when, func(*Injection) error {
		defer wait(ctx, lasts)
		return w.await(ctx, "refusals because the disk fails",
			func() bool { return w.Workload.Figures().Refused503 > before })
	})
}

// injected injects a fault into a node's system calls, calls the given function, and then removes the fault.
func (w *World) injected(ctx context.Context, kind, what string, during func(*Injection) error) error {
	return w.fault(kind, func() error {
		injection, err := Inject(ctx, w.Nodes[0].Pid(), filepath.Join(w.folder, "trace"), what)
		if err != nil {
			return err
		}
		if err := errors.Join(during(injection), injection.Remove()); err != nil {
			return fmt.Errorf("%s (%d system calls were disturbed): %w", what, injection.Hits(), err)
		}
		return nil
	})
}
