package cache

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// fixture is a cache whose load function counts its calls and returns the count.
// The test advances its clock.
type fixture struct {
	cache *Cache[string, int]
	now   time.Time
	loads int
	err   error
}

func newShelf(size int) *fixture {
	s := &fixture{now: time.Unix(1_000_000, 0)}
	s.cache = New(size, RefreshAfter, func() time.Time { return s.now }, func(context.Context, string) (int, error) {
		s.loads++
		return s.loads, s.err
	})
	return s
}

func (s *fixture) get(t *testing.T, key string, want int) {
	t.Helper()
	if got, err := s.cache.Get(t.Context(), key); err != nil || got != want {
		t.Errorf("%s: %d, %v; want %d", key, got, err, want)
	}
}

func TestCacheLooksUpAgain(t *testing.T) {
	t.Parallel()
	s := newShelf(10)
	s.get(t, "a", 1)
	s.now = s.now.Add(RefreshAfter / 2)
	s.get(t, "a", 1)
	s.now = s.now.Add(RefreshAfter / 2)
	s.get(t, "a", 2)
	s.now = s.now.Add(-time.Hour) // the clock is set back
	s.get(t, "a", 3)
	s.cache.Forget("a")
	s.get(t, "a", 4)
}

// TestCacheLoadsAhead reads one value continuously. Callers may wait for the first load only, although a load takes
// long. No caller may get an expired value.
func TestCacheLoadsAhead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		loads := 0
		c := New(10, RefreshAfter, time.Now, func(context.Context, string) (int, error) {
			time.Sleep(RefreshAfter / 5)
			loads++
			return loads, nil
		})
		for begun, first := time.Now(), true; time.Since(begun) < 10*RefreshAfter; first = false {
			asked := time.Now()
			if _, err := c.Get(t.Context(), "a"); err != nil {
				t.Fatal(err)
			}
			if waited := time.Since(asked); waited > 0 && !first {
				t.Fatalf("waited %s", waited)
			}
			time.Sleep(RefreshAfter / 100)
		}
		synctest.Wait()
		if loads < 10 || loads > 14 {
			t.Errorf("loaded %d times", loads)
		}
		before := loads
		time.Sleep(RefreshAfter)
		if got, err := c.Get(t.Context(), "a"); err != nil || got <= before {
			t.Errorf("got %d of %d, %v", got, before, err)
		}
	})
}

func TestCacheRemembersNoError(t *testing.T) {
	t.Parallel()
	s := newShelf(10)
	s.get(t, "a", 1)
	s.now = s.now.Add(RefreshAfter)
	s.err = errors.New("lost")
	for range 2 { // a later Get does not return the earlier value either
		if _, err := s.cache.Get(t.Context(), "a"); !errors.Is(err, s.err) {
			t.Errorf("got %v", err)
		}
	}
	s.err = nil
	s.get(t, "a", 4)
}

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	s := newShelf(2)
	s.get(t, "a", 1)
	s.get(t, "b", 2)
	s.get(t, "a", 1)
	s.get(t, "c", 3) // b is the least recently used
	s.get(t, "a", 1)
	s.get(t, "b", 4)
	if n := len(s.cache.items); n != 2 {
		t.Errorf("%d are kept", n)
	}
}

// TestCacheLooksUpOnce checks that many callers wait for one lookup, and that a
// cancelled caller stops waiting.
func TestCacheLooksUpOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan int)
		cache := New(10, RefreshAfter, time.Now, func(context.Context, string) (int, error) { return <-answer, nil })
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if got, err := cache.Get(t.Context(), "a"); err != nil || got != 7 {
					t.Errorf("%d, %v", got, err)
				}
			})
		}
		synctest.Wait()
		impatient, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := cache.Get(impatient, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("the impatient one got %v", err)
		}
		answer <- 7
		all.Wait()
	})
}

// TestCacheSharesBadNews checks that all callers that wait for a lookup get its
// error, and that storage is read once.
func TestCacheSharesBadNews(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lost := errors.New("lost")
		asked := 0
		cache := New(10, RefreshAfter, time.Now, func(ctx context.Context, _ string) (int, error) {
			asked++
			<-time.After(time.Second)
			return 0, lost
		})
		begun := time.Now()
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if _, err := cache.Get(t.Context(), "a"); !errors.Is(err, lost) {
					t.Errorf("got %v", err)
				}
			})
		}
		all.Wait()
		if took := time.Since(begun); asked != 1 || took != time.Second {
			t.Errorf("asked %d times, heard after %s", asked, took)
		}
	})
}

func TestCacheMakesRoom(t *testing.T) {
	t.Parallel()
	s := newShelf(10)
	s.cache.room, s.cache.weigh = 10, func(int) int { return 4 }
	s.get(t, "a", 1)
	s.get(t, "b", 2)
	s.get(t, "c", 3) // a weight of twelve is too much: a is evicted
	s.get(t, "b", 2)
	s.get(t, "a", 4)
	s.cache.weigh = func(int) int { return 100 }
	s.get(t, "d", 5)
	if n := len(s.cache.items); n != 1 || s.cache.weight != 100 {
		t.Errorf("%d are kept, weighing %d", n, s.cache.weight)
	}
}

// TestPanicOfALoad checks that a panic in a load becomes an error of Get. The
// error must contain the stack of the panic but not its value, and the next Get
// must load again.
func TestPanicOfALoad(t *testing.T) {
	t.Parallel()
	panics := true
	c := New(10, RefreshAfter, time.Now, func(context.Context, string) (int, error) {
		if panics {
			panic("income 50,000")
		}
		return 7, nil
	})
	_, err := c.Get(t.Context(), "a")
	if err == nil || !strings.Contains(err.Error(), "cache_test.go") || strings.Contains(err.Error(), "50,000") {
		t.Errorf("the error of a load that panics: %v", err)
	}
	panics = false
	if got, err := c.Get(t.Context(), "a"); err != nil || got != 7 {
		t.Errorf("the next load: %d, %v", got, err)
	}
}

// TestCacheUnderChange uses, adds and forgets keys at random. The cache must stay within its limits, count the weight
// of exactly the values that it has, and keep its queue and its map in step.
func TestCacheUnderChange(t *testing.T) {
	t.Parallel()
	const size, room = 20, 300
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the keys of a test
	c := New(size, 0, time.Now, func(_ context.Context, key int) (int, error) {
		if key%10 == 0 {
			return 0, errors.New("lost")
		}
		return key, nil
	})
	c.Bound(room, func(v int) int { return v })
	for range 20_000 {
		key := random.IntN(60)
		if random.IntN(20) == 0 {
			c.Forget(key)
		} else if got, err := c.Get(t.Context(), key); (err == nil) == (key%10 == 0) || err == nil && got != key {
			t.Fatalf("%d: %d, %v", key, got, err)
		}
		queued, weight := 0, 0
		for e := c.ends.newer; e != &c.ends; e = e.newer {
			queued++
			weight += e.value
			if c.items[e.key] != e {
				t.Fatalf("%d is in the queue but not in the map", e.key)
			}
		}
		if queued != len(c.items) || queued > size || weight != c.weight || weight > room {
			t.Fatalf("%d in the queue, %d in the map, weighing %d, counted as %d", queued, len(c.items), weight,
				c.weight)
		}
	}
}

// TestLoadAfterTheClockWasRead loads a value while a Get waits between reading the clock and looking at the value. The
// Get must return this value instead of loading it again, although it was loaded later than the time that Get read.
func TestLoadAfterTheClockWasRead(t *testing.T) {
	t.Parallel()
	var c *Cache[string, int64]
	var reads, loads atomic.Int64
	begin := time.Now()
	c = New(2, time.Minute, func() time.Time {
		if reads.Add(1) > 1 {
			return begin.Add(time.Second)
		}
		if _, err := c.Get(t.Context(), "a"); err != nil {
			t.Error(err)
		}
		return begin
	}, func(context.Context, string) (int64, error) { return loads.Add(1), nil })
	if got, err := c.Get(t.Context(), "a"); got != 1 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
}
