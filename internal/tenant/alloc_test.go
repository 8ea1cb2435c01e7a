//go:build !race

package tenant

import (
	"crypto/rand"
	"testing"
	"time"
)

// TestAllocations limits the allocations of the work that every request needs: parsing and hashing a key, and
// taking a token from a bucket. It also limits the allocations of making an id, which every decision needs.
//
//nolint:paralleltest // AllocsPerRun counts the allocations of all goroutines.
func TestAllocations(t *testing.T) {
	text := mint(t, Live, 1).Reveal()
	var buckets Buckets[string]
	rate := Rate{Allowance: 1 << 30, Window: time.Second, Burst: 1 << 30}
	now := time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)
	ids := NewIDs(rand.Reader)
	for _, c := range []struct {
		name string
		most float64
		do   func()
	}{
		{"ParseKey and HashKey", 4, func() {
			key, ok := ParseKey(text)
			if !ok {
				t.Fatal("not a key")
			}
			HashKey(key)
		}},
		{"Buckets.Take", 0, func() { buckets.Take("key_1", rate, now) }},
		{"IDs.New", 1, func() { ids.New(KindDecision, now) }}, // one allocation, for the string
	} {
		if n := testing.AllocsPerRun(100, c.do); n > c.most {
			t.Errorf("%s allocates %v times, at most %v are wanted", c.name, n, c.most)
		}
	}
}
