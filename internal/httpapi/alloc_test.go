//go:build !race

package httpapi_test

import (
	"runtime"
	"slices"
	"testing"
)

// TestAllocations checks how often a request allocates from the router to the
// last byte of its answer, without the network. The sink for the answer makes
// three of the allocations, and the slot on a processor makes one. Two are for
// the warning about inputs that the policy names and the request leaves out.
// Most allocations of eligibility are for the rules that lack their inputs. The
// bound for decisions has some slack, because the store runs concurrently with
// the caller.
//
//nolint:paralleltest // the allocations of all goroutines are counted
func TestAllocations(t *testing.T) {
	for _, c := range []struct {
		path string
		most uint64
	}{
		{"/v1/decisions/preview", 46},
		{"/v1/eligibility", 108},
		{"/v1/decisions", 198}, // of which the entry in the journal takes 29, and encryption 3
	} {
		if n := allocations(sender(t, c.path)); n > c.most {
			t.Errorf("%s allocates %d times, at most %d are wanted", c.path, n, c.most)
		}
	}
}

// allocations returns how often a call of send allocates. It is the median of many calls and not their mean, because a
// few calls also count what others allocate meanwhile, such as a checkpoint of the database or work that is due at a
// certain time, and on a busy machine more of that falls into the measurement.
func allocations(send func()) uint64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // fewer other goroutines run during a call
	for range 10 {
		send()
	}
	counts := make([]uint64, 101)
	for i := range counts {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		send()
		runtime.ReadMemStats(&after)
		counts[i] = after.Mallocs - before.Mallocs
	}
	slices.Sort(counts)
	return counts[len(counts)/2]
}
