//go:build !race

package httpapi_test

import (
	"runtime"
	"slices"
	"testing"
)

// TestAllocations checks how many allocations a request causes, from the router to the last byte of its answer,
// without the network. The sink for the answer makes three of the allocations, and the slot on a processor makes
// one. Two are for the warning about inputs that the policy names and the request leaves out. Most allocations of
// eligibility are for the rules that lack their inputs. The bound for decisions has some slack, because the store
// runs concurrently with the caller.
//
//nolint:paralleltest // the allocations of all goroutines are counted
func TestAllocations(t *testing.T) {
	for _, c := range []struct {
		path string
		most uint64
	}{
		{"/v1/decisions/preview", 46},
		{"/v1/eligibility", 108},
		{"/v1/decisions", 198}, // including 29 for the entry in the journal and 3 for encryption
	} {
		if n := allocations(sender(t, c.path)); n > c.most {
			t.Errorf("%s allocates %d times, at most %d are wanted", c.path, n, c.most)
		}
	}
}

// allocations returns how often a call of send allocates. It returns the median of many calls and not the mean, because
// some calls also count allocations of other goroutines, such as a checkpoint of the database or periodic work. On a
// busy machine this happens more often.
func allocations(send func()) uint64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // with one processor, fewer other goroutines run during a call
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
