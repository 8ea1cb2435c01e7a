package load

import (
	"math"
	"math/bits"
	"time"
)

// The width of a bucket is 1/128 of its power of two, so the middle of a bucket
// differs from its values by at most 0.4 %.
const (
	stepBits = 7
	steps    = 1 << stepBits
	// longestBits is the number of bits of the longest latency that has its own
	// bucket, in nanoseconds. It is more than an hour.
	longestBits = 42
	buckets     = (longestBits - stepBits + 1) * steps
)

// Histogram counts durations in buckets of growing width. The zero value is
// empty and ready to use.
type Histogram struct {
	counts []int64
	total  int64
	max    time.Duration
}

// Add counts one duration. A negative duration counts as zero.
func (h *Histogram) Add(d time.Duration) {
	if h.counts == nil {
		h.counts = make([]int64, buckets)
	}
	d = max(d, 0)
	h.counts[bucketOf(d)]++
	h.total++
	h.max = max(h.max, d)
}

// Merge adds the counts of another histogram.
func (h *Histogram) Merge(other *Histogram) {
	if other.total == 0 {
		return
	}
	if h.counts == nil {
		h.counts = make([]int64, buckets)
	}
	for i, n := range other.counts {
		h.counts[i] += n
	}
	h.total += other.total
	h.max = max(h.max, other.max)
}

// Count returns the number of durations.
func (h *Histogram) Count() int64 { return h.total }

// Max returns the exact longest duration.
func (h *Histogram) Max() time.Duration { return h.max }

// Quantile returns the duration that the share q of all durations does not
// exceed, or 0 if there are no durations.
func (h *Histogram) Quantile(q float64) time.Duration {
	if h.total == 0 {
		return 0
	}
	rank := max(1, int64(math.Ceil(q*float64(h.total))))
	var seen int64
	for i, n := range h.counts {
		if seen += n; seen >= rank {
			return min(middleOf(i), h.max)
		}
	}
	return h.max
}

// bucketOf returns the bucket of a duration. Each of the shortest durations has
// its own bucket. Above them, each power of two has the same number of buckets.
func bucketOf(d time.Duration) int {
	v := uint64(min(d, 1<<longestBits-1))
	if v < steps {
		return int(v)
	}
	shift := bits.Len64(v) - 1 - stepBits
	return (shift+1)<<stepBits + int(v>>shift) - steps
}

// middleOf returns the duration in the middle of a bucket.
func middleOf(bucket int) time.Duration {
	block, step := bucket>>stepBits, int64(bucket&(steps-1))
	if block == 0 {
		return time.Duration(step)
	}
	shift := block - 1
	return time.Duration((steps+step)<<shift + (1<<shift)/2)
}
