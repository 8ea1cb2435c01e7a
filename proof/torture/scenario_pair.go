package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// standbyName is the name of the standby in the primary's settings.
const standbyName = "second"

// Limits of a strict run.
const (
	followWithin = 3 * time.Second // from a promotion to an answered write
	besideWithin = time.Second     // the 99th percentile of decisions of the other lenders
	pausedWithin = time.Second     // the 90th percentile of decisions while another node is paused
)

// standbyAway stops the synchronous standby, so that commits wait for it until
// their callers time out. Then either the standby comes back, or the primary is
// lost and the standby is promoted without the commits that it has missed.
func standbyAway(ctx context.Context, w *World, rng *rand.Rand) error {
	lost := rng.IntN(2) == 0
	return w.fault("standby away", func() error {
		w.Standby.Stop()
		// Wait longer than the nodes wait for a commit. Rows that are missing on the standby then become visible.
		wait(ctx, between(rng, 10*time.Second, 14*time.Second))
		if lost {
			w.Cluster.Kill()
		}
		if err := w.Standby.Restart(ctx); err != nil || !lost {
			return err
		}
		return w.failOver(ctx)
	})
}

// primaryLost kills the primary and promotes the standby.
func primaryLost(ctx context.Context, w *World, rng *rand.Rand) error {
	return w.fault("primary lost", func() error {
		w.Cluster.Kill()
		wait(ctx, between(rng, 0, 2*time.Second))
		return w.failOver(ctx)
	})
}

// primaryFrozen freezes the primary, with all connections to it, and promotes
// the standby. The old primary runs again before it is rebuilt, as if no
// operator had turned it off.
func primaryFrozen(ctx context.Context, w *World, rng *rand.Rand) error {
	return w.fault("primary frozen", func() error {
		w.Cluster.Freeze()
		wait(ctx, between(rng, 0, 2*time.Second))
		if err := w.promote(ctx); err != nil {
			return err
		}
		w.Cluster.Thaw()
		if err := w.until(ctx, 20); err != nil {
			return err
		}
		return w.rejoin(ctx)
	})
}

// failOver promotes the standby and makes the old primary its standby.
func (w *World) failOver(ctx context.Context) error {
	if err := w.promote(ctx); err != nil {
		return err
	}
	return w.rejoin(ctx)
}

// promote promotes the standby and waits until the service answers a write. In
// a strict run, it fails if that takes too long.
func (w *World) promote(ctx context.Context) error {
	if err := w.Standby.Promote(ctx); err != nil {
		return err
	}
	began, before := time.Now(), w.Workload.written.Load()
	if err := w.await(ctx, "answered writes", func() bool { return w.Workload.written.Load() > before }); err != nil {
		return err
	}
	took := time.Since(began)
	w.follow = max(w.follow, took)
	if w.strict && took > followWithin {
		return fmt.Errorf("the first write was answered %s after the promotion, more than %s", took, followWithin)
	}
	return nil
}

// rejoin rebuilds the old primary as the standby of the new primary.
func (w *World) rejoin(ctx context.Context) error {
	if err := w.Cluster.Follow(ctx, w.Standby, standbyName); err != nil {
		return err
	}
	w.Cluster, w.Standby = w.Standby, w.Cluster
	return w.Cluster.Synchronous(ctx, standbyName)
}

// locked locks the usage rows of one lender, as a forgotten transaction would.
// Other lenders must not be affected.
func locked(ctx context.Context, w *World, rng *rand.Rand) error {
	unlucky := w.Workload.lasting[rng.IntN(len(w.Workload.lasting))].lender
	lasts := between(rng, time.Second, 4*time.Second)
	if rng.IntN(4) == 0 {
		lasts += 9 * time.Second // longer than the write timeout
	}
	kind := "scope locked"
	w.mu.Lock()
	w.faults[kind]++
	w.mu.Unlock()
	w.Workload.MarkFaultOf(kind, unlucky, true)
	defer w.Workload.MarkFaultOf(kind, unlucky, false)
	unlock, err := w.lock(ctx, unlucky.id)
	if err != nil {
		return err
	}
	wait(ctx, lasts)
	err = w.until(ctx, 20) // while the rows are locked
	return errors.Join(err, unlock(), w.besideQuick())
}

// lock locks the rows that every decision of a tenant updates.
func (w *World) lock(ctx context.Context, tenantID string) (unlock func() error, err error) {
	conn, err := pgx.Connect(ctx, w.adminURL)
	if err != nil {
		return nil, err
	}
	unlock = func() error { return conn.Close(context.WithoutCancel(ctx)) }
	for _, statement := range []string{
		"BEGIN", "SELECT set_config('verdict.role', 'system', true)",
		"SELECT used FROM usage_totals WHERE tenant_id = '" + tenantID + "' FOR UPDATE",
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return nil, errors.Join(err, unlock())
		}
	}
	return unlock, nil
}

// besideQuick records how long decisions of the other lenders took while one
// lender was locked. In a strict run, it fails if they took too long.
func (w *World) besideQuick() error {
	slow := w.takeBeside(99, func(f *Figures) *time.Duration { return &f.Beside })
	if w.strict && slow > besideWithin {
		return fmt.Errorf("while a scope was locked, one in a hundred decisions took %s or more, more than %s",
			slow, besideWithin)
	}
	return nil
}

// pausedQuick records how long decisions took at one node while another node was paused. In a strict run, it fails if
// they took too long. The paused node may hold locks of some scopes until PostgreSQL ends its transaction, so a part of
// the decisions may wait.
func (w *World) pausedQuick() error {
	slow := w.takeBeside(90, func(f *Figures) *time.Duration { return &f.BesidePaused })
	if w.strict && slow > pausedWithin {
		return fmt.Errorf("while a node was paused, one in ten decisions took %s or more, more than %s",
			slow, pausedWithin)
	}
	return nil
}

// takeBeside returns a percentile of the durations of decisions during a fault, raises the figure to it, and clears the
// durations.
func (w *World) takeBeside(percent int, figure func(*Figures) *time.Duration) (slow time.Duration) {
	w.Workload.learn(func() {
		took := w.Workload.model.beside
		w.Workload.model.beside = nil
		if len(took) == 0 {
			return
		}
		slices.Sort(took)
		slow = took[len(took)*percent/100]
		most := figure(&w.Workload.model.count)
		*most = max(*most, slow)
	})
	return slow
}
