package torture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"verdict/internal/civil"
)

const day = 24 * time.Hour

// nextMonth returns the beginning of the next month.
func nextMonth(t time.Time) time.Time {
	return (civil.MonthAt(t) + 1).Start()
}

// setClock moves the clock by a large step while no client sends requests. An Idempotency-Key is stored for a day,
// so a client could not retry a request after such a step.
func setClock(ctx context.Context, w *World, rng *rand.Rand) error {
	w.Workload.MarkFault("clock", true) // the fault lasts until every month has been checked
	untilNext := nextMonth(w.Clock.Now()).Sub(w.Clock.Now())
	jumps := []time.Duration{0, day + time.Hour, -day, untilNext - 30*time.Minute, untilNext + time.Minute, 40 * day,
		-40 * day, -40 * day}
	if err := w.moveClock(ctx, w.Clock.ahead+jumps[rng.IntN(len(jumps))]); err != nil {
		return err
	}
	if rng.IntN(3) == 0 {
		w.leave(w.Nodes[0])
		return w.killNode(ctx, w.Nodes[0]) // the node starts again at the moved time
	}
	return nil
}

// moved moves the clock back and forth by less than an hour while clients send
// requests, and across the end of the month if that is near.
func moved(ctx context.Context, w *World, rng *rand.Rand) error {
	for range 1 + rng.IntN(3) {
		w.mu.Lock()
		w.faults["clock moved"]++
		w.mu.Unlock()
		if err := w.moveClock(ctx, w.Clock.ahead+between(rng, -50*time.Minute, 50*time.Minute)); err != nil {
			return err
		}
		if err := w.until(ctx, 20); err != nil {
			return err
		}
	}
	return nil
}

// moveClock sets the clock and waits until the node uses it.
func (w *World) moveClock(ctx context.Context, ahead time.Duration) error {
	if err := w.Clock.Set(ahead); err != nil {
		return err
	}
	return w.await(ctx, "the node to notice the clock", w.Clock.Noticed)
}

// seeMonths checks the usage in both months if the clock was near the end of a
// month. Then it checks everything with the present clock: the usage of all
// months together must equal the answers.
func seeMonths(ctx context.Context, w *World, _ *rand.Rand) error {
	url, here := w.Nodes[0].URL(), w.Clock.ahead
	const near = 4 * time.Hour
	month := func(t time.Time) time.Month { return t.In(civil.India).Month() }
	for _, there := range []time.Duration{here - near, here + near, here} {
		if month(time.Now().Add(there)) == month(time.Now().Add(here)) && there != here {
			continue
		}
		if err := w.moveClock(ctx, there); err != nil {
			return err
		}
		if there == here {
			w.Workload.MarkFault("clock", false)
		}
		if err := w.Workload.CheckAll(ctx, url); err != nil {
			return fmt.Errorf("check at %s: %w", w.Clock.Now().In(civil.India).Format(time.RFC3339), err)
		}
	}
	return nil
}
