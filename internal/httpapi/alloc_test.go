//go:build !race

package httpapi_test

import (
	"math"
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
//nolint:paralleltest // AllocsPerRun counts the allocations of all goroutines
func TestAllocations(t *testing.T) {
	for _, c := range []struct {
		path string
		most float64
	}{
		{"/v1/decisions/preview", 46},
		{"/v1/eligibility", 108},
		{"/v1/decisions", 198}, // of which the entry in the journal takes 29, and encryption 3
	} {
		// A run on a busy machine also counts what others allocate meanwhile, and a database that
		// grows costs a little more. So the smallest of up to 20 runs counts, each on a new database.
		n := math.Inf(1)
		for range 20 {
			send := sender(t, c.path)
			for range 10 {
				send()
			}
			if n = min(n, testing.AllocsPerRun(100, send)); n <= c.most {
				break
			}
		}
		if n > c.most {
			t.Errorf("%s allocates %v times, at most %v are wanted", c.path, n, c.most)
		}
	}
}
