//go:build !race

package httpapi_test

import "testing"

// What a request allocates from the router to the last byte of its answer; the
// network's part is the standard library's. The sink that takes the answer is
// three of them, the slot on a processor is one. Two are the warning of inputs that the policy names and the
// request leaves out, and most of eligibility's are the rules that miss theirs.
// Decisions have a little room, because the store works beside the caller.
//
//nolint:paralleltest // AllocsPerRun counts the allocations of everybody.
func TestAllocations(t *testing.T) {
	for _, c := range []struct {
		path string
		most float64
	}{
		{"/v1/decisions/preview", 46},
		{"/v1/eligibility", 108},
		{"/v1/decisions", 166},
	} {
		send := sender(t, c.path)
		for range 10 {
			send()
		}
		if n := testing.AllocsPerRun(200, send); n > c.most {
			t.Errorf("%s allocates %v times, at most %v are wanted", c.path, n, c.most)
		}
	}
}
