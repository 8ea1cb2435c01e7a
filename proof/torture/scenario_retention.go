package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"verdict/internal/civil"
)

const (
	// retainedPerDay is the number of applicants per day. The applicants of a few days together are more than the
	// service erases in one transaction.
	retainedPerDay = 60
	// retainedEachRound is the number of days that pass in a round before the periods are applied.
	retainedEachRound = 4

	noonMinute = 12 * 60
)

// passDays lets some days pass while no other client sends requests. On each day the lender with retention periods
// decides; one applicant is erased, and two get a legal hold.
func passDays(ctx context.Context, w *World, _ *rand.Rand) (err error) {
	url := w.Nodes[0].URL()
	if w.retained == nil {
		if w.retained, err = newRetained(ctx, w.Workload, url); err != nil {
			return err
		}
	}
	where := at(ctx, url)
	for range retainedEachRound {
		if err := w.nextNoon(ctx); err != nil {
			return err
		}
		added, err := w.retained.decide(ctx, retainedPerDay, where)
		if err != nil {
			return err
		}
		err = errors.Join(w.retained.erase(ctx, added[0], where), w.retained.hold(ctx, added[1], where),
			w.retained.hold(ctx, added[2], where))
		if err != nil {
			return err
		}
	}
	return nil
}

// nextNoon moves the clock to noon of the next day in India, so that no day ends during a round.
func (w *World) nextNoon(ctx context.Context) error {
	noon := (civil.DayAt(w.now()) + 1).At(noonMinute, civil.India)
	return w.moveClocks(ctx, time.Until(noon))
}

// killedAtRetention kills nodes and starts them again, several times. A node applies the periods when it starts,
// so the next kill may interrupt this work. Afterwards the periods must have been applied.
func killedAtRetention(ctx context.Context, w *World, rng *rand.Rand) error {
	today := civil.DayAt(w.now())
	err := w.fault("killed at retention", func() error {
		for range 2 + rng.IntN(3) {
			if err := w.restartSome(ctx, rng); err != nil {
				return err
			}
			wait(ctx, between(rng, 0, 250*time.Millisecond))
		}
		return w.restartSome(ctx, rng)
	})
	if err != nil {
		return err
	}
	anywhere := somewhere(ctx, w.urls, rng)
	if _, err := w.retained.decide(ctx, 1+rng.IntN(10), anywhere); err != nil {
		return err
	}
	var failed error
	err = w.await(ctx, "the retention periods to be applied", func() bool {
		var told toldPeriods
		told, failed = w.retained.periods(ctx, anywhere)
		return failed != nil || told.applied(today)
	})
	return errors.Join(err, failed)
}

// restartSome kills the only node, or one or two nodes if there are several. It then starts them again at the same
// time.
func (w *World) restartSome(ctx context.Context, rng *rand.Rand) error {
	first, n := rng.IntN(len(w.Nodes)), 1
	if len(w.Nodes) > 2 {
		n += rng.IntN(2)
	}
	var starting sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		node := w.Nodes[(first+i)%len(w.Nodes)]
		node.Kill()
		w.leave(node)
		starting.Go(func() { errs[i] = w.start(ctx, node) })
	}
	starting.Wait()
	return errors.Join(errs...)
}

// seeRetention checks what is left, and releases every second legal hold that is still in force.
func seeRetention(ctx context.Context, w *World, _ *rand.Rand) error {
	url, t := w.Nodes[0].URL(), w.retained
	if err := t.check(ctx, url, civil.DayAt(w.now())); err != nil {
		return fmt.Errorf("check the retention periods: %w", err)
	}
	held := false
	for _, d := range t.decisions {
		if !d.held() {
			continue
		}
		if held = !held; held { // every second one stays in force
			continue
		}
		if err := t.release(ctx, d, at(ctx, url)); err != nil {
			return err
		}
	}
	return nil
}
