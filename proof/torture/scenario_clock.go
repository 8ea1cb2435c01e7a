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

// setClock moves the clocks of all nodes to the same time by a large step while no client sends requests. An
// Idempotency-Key is stored for a day, so a client could not retry a request after such a step.
func setClock(ctx context.Context, w *World, rng *rand.Rand) error {
	w.Workload.MarkFault("clock", true) // the fault lasts until every month has been checked
	untilNext := nextMonth(w.now()).Sub(w.now())
	jumps := []time.Duration{0, day + time.Hour, -day, untilNext - 30*time.Minute, untilNext + time.Minute, 40 * day,
		-40 * day, -40 * day}
	if err := w.moveClocks(ctx, w.Clocks[0].ahead+jumps[rng.IntN(len(jumps))]); err != nil {
		return err
	}
	if rng.IntN(3) == 0 {
		w.leave(w.Nodes[0])
		return w.killNode(ctx, w.Nodes[0]) // the node starts again at the moved time
	}
	return nil
}

// moved moves the clock of one node back and forth by less than an hour while clients send requests, and across the
// end of the month if that is near. The clocks of several nodes then differ.
func moved(ctx context.Context, w *World, rng *rand.Rand) error {
	for range 1 + rng.IntN(3) {
		w.mu.Lock()
		w.faults["clock moved"]++
		w.mu.Unlock()
		clock := w.Clocks[rng.IntN(len(w.Clocks))]
		if err := w.moveClock(ctx, clock, clock.ahead+between(rng, -50*time.Minute, 50*time.Minute)); err != nil {
			return err
		}
		if err := w.until(ctx, 20); err != nil {
			return err
		}
	}
	return nil
}

// now returns the time of the first node.
func (w *World) now() time.Time { return w.Clocks[0].Now() }

// moveClock sets a clock and waits until its node uses it.
func (w *World) moveClock(ctx context.Context, c *Clock, ahead time.Duration) error {
	if err := c.Set(ahead); err != nil {
		return err
	}
	return w.await(ctx, "the node to notice its clock", c.Noticed)
}

// moveClocks sets all clocks to the same time and waits until the nodes use it.
func (w *World) moveClocks(ctx context.Context, ahead time.Duration) error {
	for _, c := range w.Clocks {
		if err := w.moveClock(ctx, c, ahead); err != nil {
			return err
		}
	}
	return nil
}

// seeMonths checks the usage in both months if the clocks were near the end of a month. Then it checks everything with
// the present time of the first node: the usage of all months together must equal the answers.
func seeMonths(ctx context.Context, w *World, _ *rand.Rand) error {
	url, here := w.Nodes[0].URL(), w.Clocks[0].ahead
	const near = 8 * time.Hour // the clocks of two nodes differ less
	month := func(t time.Time) time.Month { return t.In(civil.India).Month() }
	for _, there := range []time.Duration{here - near, here + near, here} {
		if month(time.Now().Add(there)) == month(time.Now().Add(here)) && there != here {
			continue
		}
		if err := w.moveClocks(ctx, there); err != nil {
			return err
		}
		if there == here {
			w.Workload.MarkFault("clock", false)
		}
		if err := w.Workload.CheckAll(ctx, url); err != nil {
			return fmt.Errorf("check at %s: %w", w.now().In(civil.India).Format(time.RFC3339), err)
		}
	}
	return nil
}
