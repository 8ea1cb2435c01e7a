package admission_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"verdict/internal/admission"
)

// work simulates a request: it enters the scheduler and sleeps for a number of steps,
// with a Checkpoint after each step but the last.
func work(ctx context.Context, s *admission.Scheduler, owner string, steps int, step time.Duration) error {
	ctx, slot := s.Enter(ctx, owner)
	defer slot.Leave()
	for range steps - 1 {
		time.Sleep(step) // simulates computing, in the fake time of synctest
		if err := admission.Checkpoint(ctx); err != nil {
			return err
		}
	}
	time.Sleep(step)
	return nil
}

// TestProcessorTimeIsShared checks that small requests, sent one after the other, get
// about half of the processor time while another owner queues requests of 100 ms. No
// small request waits for a large one to end.
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

// TestNobodySavesUp checks that an owner that was idle for long gets no more
// processor time than an owner that has just arrived.
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

// TestWaitingHoldsNothing checks that a paused request holds no slot, and that a
// long computation makes other long computations wait.
func TestWaitingHoldsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := admission.NewScheduler(1, time.Now)
		ctx, slot := s.Enter(t.Context(), "a")
		compute := func(ctx context.Context) error {
			time.Sleep(time.Millisecond)
			return admission.Checkpoint(ctx)
		}
		if err := compute(ctx); err != nil || s.Held() != 1 {
			t.Fatalf("%d slots are held, %v", s.Held(), err)
		}
		admission.SlotOf(ctx).Pause()
		if err := work(t.Context(), s, "b", 3, time.Millisecond); err != nil || s.Held() != 0 {
			t.Errorf("%d slots are held, %v", s.Held(), err)
		}
		slot.Resume()
		if err := compute(ctx); err != nil {
			t.Error(err)
		}
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		other, own := s.Enter(impatient, "b")
		if err := compute(other); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("two hold the one slot: %v", err)
		}
		own.Leave()
		other, own = admission.Fork(ctx)
		slot.Leave()
		slot.Leave()
		if err := compute(other); err != nil || s.Held() != 1 {
			t.Errorf("%d slots are held, %v", s.Held(), err)
		}
		own.Leave()
		if s.Held() != 0 {
			t.Error("the slot was not given back")
		}
	})
}

// TestShortWorkNeedsNoSlot checks that a request that computes for less than a slice
// does not wait for a slot.
func TestShortWorkNeedsNoSlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := admission.NewScheduler(1, time.Now)
		long, slot := s.Enter(t.Context(), "long")
		defer slot.Leave()
		time.Sleep(time.Millisecond)
		if err := admission.Checkpoint(long); err != nil || s.Held() != 1 {
			t.Fatal(err)
		}
		at := time.Now()
		if err := work(t.Context(), s, "short", 3, 100*time.Microsecond); err != nil {
			t.Error(err)
		}
		if took := time.Since(at); took != 300*time.Microsecond {
			t.Errorf("short work took %s", took)
		}
	})
}

// TestPace checks that Pace succeeds if nobody else waits, even with a cancelled context,
// and that no entry or slot is held afterwards.
func TestPace(t *testing.T) {
	t.Parallel()
	s := admission.NewScheduler(1, time.Now)
	for range 3 {
		if err := s.Pace(t.Context(), "a"); err != nil || s.Held() != 0 {
			t.Errorf("%d slots are held, %v", s.Held(), err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Pace(ctx, "a"); err != nil {
		t.Errorf("a free slot was not taken: %v", err)
	}
}

// TestCheckpointEndsWithTheCaller checks that Checkpoint returns an error if the
// context is cancelled, and no error for a context without a slot.
func TestCheckpointEndsWithTheCaller(t *testing.T) {
	t.Parallel()
	s := admission.NewScheduler(2, time.Now)
	ctx, cancel := context.WithCancel(t.Context())
	ctx, slot := s.Enter(ctx, "a")
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

// TestManyOwners checks that each queue stores the state of a limited number of owners, although
// very many owners use it once.
func TestManyOwners(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := admission.NewScheduler(2, time.Now)
		const owners, atMost = 10_000, 1024
		for i := range owners {
			owner := strconv.Itoa(i)
			if err := s.Pace(t.Context(), owner); err != nil {
				t.Fatal(err)
			}
			_, slot := s.Enter(t.Context(), owner)
			slot.BeginRead(t.Context())
			slot.EndRead()
			slot.Leave()
			// Two steps of a millisecond take an entry and then a slot.
			if err := work(t.Context(), s, owner, 2, time.Millisecond); err != nil {
				t.Fatal(err)
			}
		}
		for queue, n := range s.Remembered() {
			if n == 0 || n > atMost {
				t.Errorf("queue %s stores the state of %d owners, want 1 to %d", queue, n, atMost)
			}
		}
	})
}

// TestFloodRests checks that an owner with many queued requests rests while another
// owner is active, instead of using every moment in which nobody else waits.
func TestFloodRests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := admission.NewScheduler(1, time.Now)
		const each = 200 * time.Microsecond
		ctx, stop := context.WithCancel(t.Context())
		var flood sync.WaitGroup
		var alone, beside atomic.Int64
		var others atomic.Bool
		for range 50 {
			flood.Go(func() {
				for ctx.Err() == nil {
					_ = work(ctx, s, "flood", 1, each)
					if others.Load() {
						beside.Add(1)
					} else {
						alone.Add(1)
					}
				}
			})
		}
		time.Sleep(time.Second)
		others.Store(true)
		for at := time.Now(); time.Since(at) < time.Second; {
			if err := work(t.Context(), s, "light", 1, each); err != nil {
				t.Error(err)
			}
			time.Sleep(each)
		}
		if alone.Load() < 9000 || beside.Load() > alone.Load()/3 {
			t.Errorf("%d requests of the flood alone, %d beside another owner", alone.Load(), beside.Load())
		}
		stop()
		flood.Wait()
	})
}

// TestShortRequestsNeedNoSlot checks that a request that does not hold a slot yet
// does not wait for one at CheckpointIfLong, even if it has already computed for
// long.
func TestShortRequestsNeedNoSlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := admission.NewScheduler(1, time.Now)
		long, slot := s.Enter(t.Context(), "long")
		defer slot.Leave()
		time.Sleep(10 * time.Millisecond)
		if err := admission.Checkpoint(long); err != nil { // the request "long" now holds the only slot
			t.Fatal(err)
		}
		short, entry := s.Enter(t.Context(), "short")
		defer entry.Leave()
		time.Sleep(10 * time.Millisecond)
		begun := time.Now()
		if err := admission.CheckpointIfLong(short); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took != 0 {
			t.Errorf("a short request waited %s for a slot", took)
		}
		gone, cancel := context.WithCancel(short)
		cancel()
		if err := admission.CheckpointIfLong(gone); !errors.Is(err, context.Canceled) {
			t.Errorf("of a caller that has gone: %v", err)
		}
	})
}

// flood starts a number of goroutines that send requests of an owner one after the other. Each request computes
// for the duration "each". stop ends the flood and returns the number of requests that have ended.
func flood(
	ctx context.Context, s *admission.Scheduler, owner string, requests int, each time.Duration,
) (stop func() int64) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	var done atomic.Int64
	for range requests {
		all.Go(func() {
			for ctx.Err() == nil {
				_ = work(ctx, s, owner, 1, each)
				done.Add(1)
			}
		})
	}
	return func() int64 {
		cancel()
		all.Wait()
		return done.Load()
	}
}

// TestEqualsDoNotRest checks that two owners with similar numbers of requests together
// get nearly as much processor time as one owner alone, and about half of it each.
func TestEqualsDoNotRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := admission.NewScheduler(1, time.Now)
		const each = 200 * time.Microsecond
		a, b := flood(t.Context(), s, "a", 40, each), flood(t.Context(), s, "b", 24, each)
		time.Sleep(time.Second)
		first, second := a(), b()
		if both := first + second; both < 28_500 || first < both*9/20 || second < both*9/20 {
			t.Errorf("%d and %d requests in a second, of 30,000", first, second)
		}
	})
}

// TestNeighbourOfAFloodDoesNotRest checks that an owner with a few requests does not
// have to rest because another owner floods.
func TestNeighbourOfAFloodDoesNotRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := admission.NewScheduler(1, time.Now)
		const each = 200 * time.Microsecond
		many, few := flood(t.Context(), s, "many", 200, each), flood(t.Context(), s, "few", 4, each)
		time.Sleep(time.Second)
		n := few()
		if n < 15_000 {
			t.Errorf("%d requests of the neighbour in a second, of 20,000", n)
		}
		if m := many(); m < 1_000 {
			t.Errorf("%d requests of the flood in a second, of 30,000", m)
		}
	})
}

// TestWhoIsAwayMakesNobodyRest checks that a request that waits for a slow client
// does not count as in progress, so that no other owner has to rest because of it.
func TestWhoIsAwayMakesNobodyRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := admission.NewScheduler(1, time.Now)
		_, slow := s.Enter(t.Context(), "slow")
		slow.Away()
		const each = 200 * time.Microsecond
		many := flood(t.Context(), s, "many", 50, each)
		time.Sleep(time.Second)
		if n := many(); n < 29_000 {
			t.Errorf("%d requests in a second beside somebody who is away", n)
		}
		slow.Back()
		if s.Held() != 1 {
			t.Errorf("%d rights are held", s.Held())
		}
		slow.Away()
		slow.Leave()
		slow.Leave()
		if s.Held() != 0 {
			t.Errorf("%d rights are held", s.Held())
		}
	})
}

// TestShortWorkDoesNotEndARest checks that a flooding owner that was charged for long
// work still rests after it does short work. One piece of work makes it rest for at
// most one second.
func TestShortWorkDoesNotEndARest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := admission.NewScheduler(1, time.Now)
		_, light := s.Enter(t.Context(), "light")
		defer light.Leave()
		_, first := s.Enter(t.Context(), "flood")
		for range 8 {
			_, slot := s.Enter(t.Context(), "flood")
			slot.Pause()
			defer slot.Leave()
		}
		first.Charge(time.Hour)
		first.Leave() // a short piece of work
		begun := time.Now()
		_, next := s.Enter(t.Context(), "flood")
		defer next.Leave()
		if rested := time.Since(begun); rested < 900*time.Millisecond || rested > time.Second {
			t.Errorf("rested for %s, want a second", rested)
		}
	})
}

// TestReadsOfAFlood checks the reads of a flooding owner while another owner is active. Only a few of them may be
// at the database server at the same time. Further reads begin when earlier reads end, and a read within a read
// does not wait. An owner that is alone is not limited.
func TestReadsOfAFlood(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := admission.NewScheduler(1, time.Now)
		var reading, most atomic.Int64
		flood := func() {
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() {
					_, slot := s.Enter(t.Context(), "flood")
					defer slot.Leave()
					slot.BeginRead(t.Context())
					slot.BeginRead(t.Context())
					most.Store(max(most.Load(), reading.Add(1)))
					time.Sleep(10 * time.Millisecond)
					reading.Add(-1)
					slot.EndRead()
					slot.EndRead()
				})
			}
			all.Wait()
		}
		flood()
		if got := most.Load(); got < 8 {
			t.Errorf("an owner that is alone had %d reads at the same time", got)
		}
		_, light := s.Enter(t.Context(), "light")
		defer light.Leave()
		for range 8 { // from now on, the owner floods
			_, slot := s.Enter(t.Context(), "flood")
			slot.Pause()
			defer slot.Leave()
		}
		most.Store(0)
		flood()
		if got := most.Load(); got != 2 {
			t.Errorf("a flooding owner had %d reads at the same time, want 2", got)
		}

		// A read that gives up waiting holds no right, and leaves none behind.
		held := s.Held()
		var waiting []*admission.Slot
		for range 4 {
			_, slot := s.Enter(t.Context(), "flood")
			waiting = append(waiting, slot)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		for i, slot := range waiting {
			ctx, begun := t.Context(), time.Now()
			if i == 3 {
				ctx = ended
			}
			slot.BeginRead(ctx)
			want := []time.Duration{0, 0, time.Second, 0}[i]
			if waited := time.Since(begun); waited != want {
				t.Errorf("read %d waited for %s, want %s", i, waited, want)
			}
		}
		for _, slot := range waiting {
			slot.EndRead()
			slot.Leave()
		}
		if now := s.Held(); now != held {
			t.Errorf("%d rights are held, before %d", now, held)
		}
	})
}

// TestWhoIsParkedMakesNobodyRest checks that parked requests do not make other owners
// rest, and that they still count when the scheduler checks whether their own owner
// floods.
func TestWhoIsParkedMakesNobodyRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := admission.NewScheduler(1, time.Now)
		parked := make([]*admission.Slot, 40)
		for i := range parked {
			_, parked[i] = s.Enter(t.Context(), "waiting")
			parked[i].Park()
		}
		const each = 200 * time.Microsecond
		many := flood(t.Context(), s, "many", 50, each)
		time.Sleep(time.Second)
		if n := many(); n < 29_000 {
			t.Errorf("%d requests in a second beside an owner whose requests only wait", n)
		}

		few := flood(t.Context(), s, "few", 1, each)
		waiting := flood(t.Context(), s, "waiting", 1, each)
		time.Sleep(time.Second)
		if n, own := few(), waiting(); n < 4_500 || own > n/2 {
			t.Errorf("%d requests of the neighbour and %d of the owner with 40 requests that wait", n, own)
		}
		for _, slot := range parked {
			slot.Unpark()
			slot.Park()
			slot.Leave()
		}
		if s.Held() != 0 {
			t.Errorf("%d rights are held", s.Held())
		}
	})
}

// TestRefusedRequestsShowAFlood checks that requests that are refused late make their own owner rest, and nobody else.
func TestRefusedRequestsShowAFlood(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := admission.NewScheduler(1, time.Now)
		var ends []func()
		for range 40 {
			ends = append(ends, s.Refused("refused"))
		}
		const each = 200 * time.Microsecond
		run := func() (neighbour, own int64) {
			few, refused := flood(t.Context(), s, "few", 1, each), flood(t.Context(), s, "refused", 1, each)
			time.Sleep(time.Second)
			return few(), refused()
		}
		if n, own := run(); n < 4_500 || own > n/2 {
			t.Errorf("%d requests of the neighbour and %d of the owner with 40 refused requests", n, own)
		}
		for _, end := range ends {
			end()
		}
		if n, own := run(); own < n/2 {
			t.Errorf("%d requests of the neighbour and %d of the owner afterwards", n, own)
		}
		if s.Held() != 0 {
			t.Errorf("%d rights are held", s.Held())
		}
	})
}

// TestExtend checks that the context that Extend returns does not end with the slot's
// first context, and that the slot can still be paused and resumed. For a nil Slot,
// Extend must return its argument.
func TestExtend(t *testing.T) {
	t.Parallel()
	s := admission.NewScheduler(1, time.Now)
	short, cancel := context.WithCancel(t.Context())
	_, slot := s.Enter(short, "owner")
	ctx := slot.Extend(t.Context())
	cancel()
	if err := admission.Checkpoint(ctx); err != nil || admission.SlotOf(ctx) != slot {
		t.Errorf("%v, and the slot is %p, want %p", err, admission.SlotOf(ctx), slot)
	}
	slot.Pause()
	slot.Resume()
	if s.Held() != 1 {
		t.Errorf("%d rights are held after Resume", s.Held())
	}
	slot.Leave()
	var none *admission.Slot
	if none.Extend(short) != short {
		t.Error("without a slot the context is another one")
	}
}

// TestFloodBeginsFew checks that only a few requests of an owner that floods have begun
// at the same time, however long each takes. The limit exists because each request may
// have a large document in memory. Requests that wait for their write do not count, and
// an owner without competitors has no such limit.
func TestFloodBeginsFew(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name            string
		beside, writing bool
		least, most     int64
	}{
		{"beside another owner", true, false, 8, 12},
		{"waiting for writes", true, true, 100, 100},
		{"alone", false, false, 100, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := admission.NewScheduler(1, time.Now)
				ctx, stop := context.WithCancel(t.Context())
				var all sync.WaitGroup
				if c.beside {
					all.Go(func() { // another owner sends one request after the other
						for ctx.Err() == nil {
							_ = work(ctx, s, "light", 1, 100*time.Microsecond)
						}
					})
				}
				time.Sleep(10 * time.Millisecond)
				var begun, most atomic.Int64
				for range 100 {
					all.Go(func() {
						ctx, slot := s.Enter(ctx, "flood")
						defer slot.Leave()
						if ctx.Err() != nil {
							return
						}
						most.Store(max(most.Load(), begun.Add(1)))
						defer begun.Add(-1)
						if c.writing {
							slot.PauseLast()
						} else {
							slot.Pause() // simulates a request that reads a document
						}
						<-ctx.Done()
					})
				}
				time.Sleep(5 * time.Second)
				if n := most.Load(); n < c.least || n > c.most {
					t.Errorf("%d requests have begun, want %d to %d", n, c.least, c.most)
				}
				stop()
				all.Wait()
				if s.Held() != 0 {
					t.Errorf("%d rights are held", s.Held())
				}
			})
		})
	}
}
