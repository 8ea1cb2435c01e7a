package store

import (
	"strconv"
	"testing"
	"time"
)

// unconfirmedAt returns an empty set of unconfirmed names, with a clock that only the test moves.
func unconfirmedAt() (writes *unconfirmedWrites, pass func(time.Duration)) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	return &unconfirmedWrites{now: func() time.Time { return now }}, func(d time.Duration) { now = now.Add(d) }
}

func nameOf(i int) writeName {
	return writeName{rlsScope{tenant: "ten_A", environment: "sandbox"}, strconv.Itoa(i)}
}

// TestUnconfirmedExpires checks that a name counts as unconfirmed for ten minutes, or until it is settled.
func TestUnconfirmedExpires(t *testing.T) {
	t.Parallel()
	writes, pass := unconfirmedAt()
	if writes.has(nameOf(1)) {
		t.Error("a name that was never added is unconfirmed")
	}
	writes.add(nameOf(1), nameOf(2))
	pass(10*time.Minute - 1)
	writes.add(nameOf(3))
	writes.settle(nameOf(2))
	for i, want := range map[int]bool{1: true, 2: false, 3: true, 4: false} {
		if got := writes.has(nameOf(i)); got != want {
			t.Errorf("before ten minutes, name %d: unconfirmed is %v", i, got)
		}
	}
	pass(1)
	for i, want := range map[int]bool{1: false, 3: true} {
		if got := writes.has(nameOf(i)); got != want {
			t.Errorf("after ten minutes, name %d: unconfirmed is %v", i, got)
		}
	}
	pass(10 * time.Minute)
	if writes.has(nameOf(3)) || writes.any.Load() || len(writes.until) != 0 {
		t.Errorf("%d names are left", len(writes.until))
	}
}

// TestUnconfirmedOverflow adds more names than are remembered. From then on every name must count as unconfirmed for
// ten minutes, because it is not known which names are. Expired names make room for new ones.
func TestUnconfirmedOverflow(t *testing.T) {
	t.Parallel()
	writes, pass := unconfirmedAt()
	for i := range maxUnconfirmed {
		writes.add(nameOf(i))
	}
	if writes.has(nameOf(maxUnconfirmed)) || !writes.has(nameOf(maxUnconfirmed-1)) {
		t.Error("a full memory is not exact")
	}
	pass(time.Minute)
	writes.add(nameOf(maxUnconfirmed))
	if len(writes.until) != maxUnconfirmed {
		t.Errorf("%d names are remembered", len(writes.until))
	}
	pass(9 * time.Minute) // the first names have expired, and the overflow lasts for one more minute
	for _, i := range []int{0, maxUnconfirmed, maxUnconfirmed + 1} {
		if !writes.has(nameOf(i)) {
			t.Errorf("name %d is confirmed after an overflow", i)
		}
	}
	pass(time.Minute)
	for _, i := range []int{1, maxUnconfirmed, maxUnconfirmed + 1} {
		if writes.has(nameOf(i)) {
			t.Errorf("name %d is unconfirmed ten minutes after the overflow", i)
		}
	}
	for len(writes.until) < maxUnconfirmed {
		writes.add(nameOf(-len(writes.until)))
	}
	writes.add(nameOf(-maxUnconfirmed))
	if len(writes.until) > 10 || !writes.has(nameOf(-maxUnconfirmed)) || writes.has(nameOf(2)) {
		t.Errorf("expired names are still remembered: %d", len(writes.until))
	}
}
