package proof

import (
	"testing"
	"time"
)

func TestTimingsAreCompared(t *testing.T) {
	t.Parallel()
	steady := func(d time.Duration) func() time.Duration { return func() time.Duration { return d } }
	for _, c := range []struct {
		one, other time.Duration
		alike      bool
	}{{100, 100, true}, {100, 109, true}, {109, 100, true}, {100, 112, false}, {112, 100, false}} {
		if got := Compare("x", 5, steady(c.one), steady(c.other)); got.Alike() != c.alike {
			t.Errorf("%s: alike %t", got, got.Alike())
		}
	}
	// One slow attempt among many must not change the median.
	n := 0
	sometimes := func() time.Duration {
		if n++; n == 3 {
			return time.Hour
		}
		return 100
	}
	if got := Compare("x", 5, sometimes, steady(100)); !got.Alike() {
		t.Error(got)
	}
}
