package admission_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"verdict/internal/admission"
)

// work computes for a while inside a slot, step by step.
func work(ctx context.Context, s *admission.Scheduler, owner string, steps int, step time.Duration) error {
	ctx, slot, err := s.Enter(ctx, owner)
	if err != nil {
		return err
	}
	defer slot.Leave()
	for range steps - 1 {
		time.Sleep(step) // in the bubble's time: it stands for computing
		if err := admission.Checkpoint(ctx); err != nil {
			return err
		}
	}
	time.Sleep(step)
	return nil
}

// TestProcessorTimeIsShared lets one owner queue requests of 100 ms each and
// another send small ones one after the other: the small ones get half of the
// time, and none waits for a large one to end.
func TestProcessorTimeIsShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := admission.NewScheduler(1, time.Now)
		ctx, stop := context.WithCancel(t.Context())
		var heavy sync.WaitGroup
		for range 50 {
			heavy.Go(func() {
				for ctx.Err() == nil {
					_ = work(ctx, s, "heavy", 100, time.Millisecond)
				}
			})
		}
		synctest.Wait()
		begun, longest := time.Now(), time.Duration(0)
		const requests, each = 200, time.Millisecond
		for range requests {
			at := time.Now()
			if err := work(t.Context(), s, "light", 1, each); err != nil {
				t.Error(err)
			}
			longest = max(longest, time.Since(at))
		}
		if took := time.Since(begun); took > requests*each*5/2 {
			t.Errorf("%d requests of %s took %s beside a heavy neighbour", requests, each, took)
		}
		if longest > 4*each {
			t.Errorf("one request took %s", longest)
		}
		stop()
		heavy.Wait()
	})
}

// TestNobodySavesUp: an owner that was idle for long is no better off than one
// that has just come.
func TestNobodySavesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := admission.NewScheduler(1, time.Now)
		if err := work(t.Context(), s, "early", 1, time.Millisecond); err != nil {
			t.Fatal(err)
		}
		if err := work(t.Context(), s, "busy", 1, time.Hour); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		var early sync.WaitGroup
		for range 3 {
			early.Go(func() {
				for ctx.Err() == nil {
					_ = work(ctx, s, "early", 10, time.Millisecond)
				}
			})
		}
		synctest.Wait()
		at := time.Now()
		if err := work(t.Context(), s, "late", 1, time.Millisecond); err != nil {
			t.Error(err)
		}
		if took := time.Since(at); took > 5*time.Millisecond {
			t.Errorf("a newcomer waited %s", took)
		}
		stop()
		early.Wait()
	})
}

// TestWaitingHoldsNothing: who waits for something else holds no slot.
func TestWaitingHoldsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := admission.NewScheduler(1, time.Now)
		ctx, slot, err := s.Enter(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		admission.SlotOf(ctx).Pause()
		if err := work(t.Context(), s, "b", 1, time.Millisecond); err != nil {
			t.Error(err)
		}
		slot.Resume(ctx)
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, err := s.Enter(impatient, "b"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("two hold the one slot: %v", err)
		}
		other, own := admission.Fork(ctx)
		slot.Leave()
		slot.Leave()
		own.Resume(other)
		if err := admission.Checkpoint(other); err != nil {
			t.Error(err)
		}
		own.Leave()
		if err := work(t.Context(), s, "b", 1, time.Millisecond); err != nil {
			t.Error(err)
		}
	})
}

// TestCheckpointEndsWithTheCaller: work whose caller has gone away ends, and
// work outside of a request goes on.
func TestCheckpointEndsWithTheCaller(t *testing.T) {
	t.Parallel()
	s := admission.NewScheduler(2, time.Now)
	ctx, cancel := context.WithCancel(t.Context())
	ctx, slot, err := s.Enter(ctx, "a")
	if err != nil {
		t.Fatal(err)
	}
	defer slot.Leave()
	if err := admission.Checkpoint(ctx); err != nil {
		t.Error(err)
	}
	cancel()
	if err := admission.Checkpoint(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the work goes on: %v", err)
	}
	if err := admission.Checkpoint(context.Background()); err != nil {
		t.Errorf("work without a slot: %v", err)
	}
}

// TestManyOwners: those who come once are forgotten.
func TestManyOwners(t *testing.T) {
	t.Parallel()
	s := admission.NewScheduler(2, time.Now)
	for i := range 10_000 {
		_, slot, err := s.Enter(t.Context(), time.Duration(i).String())
		if err != nil {
			t.Fatal(err)
		}
		slot.Leave()
	}
	if n := s.Users(); n > 4096 {
		t.Errorf("%d owners are remembered", n)
	}
}
