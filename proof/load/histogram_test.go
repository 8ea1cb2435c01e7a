package load

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestHistogramAgainstSorting checks that quantiles are within one percent of
// those found by sorting, for several distributions of latencies.
func TestHistogramAgainstSorting(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		draw func(*rand.Rand) time.Duration
	}{
		{"few nanoseconds", func(r *rand.Rand) time.Duration { return time.Duration(r.IntN(300)) }},
		{"even", func(r *rand.Rand) time.Duration { return time.Duration(r.Int64N(int64(time.Second))) }},
		{"long tail", func(r *rand.Rand) time.Duration { return time.Duration(math.Exp(14 + 3*r.NormFloat64())) }},
		{"two humps", func(r *rand.Rand) time.Duration {
			return time.Duration(1+999*r.IntN(2)) * time.Millisecond
		}},
		{"one value", func(*rand.Rand) time.Duration { return 123456789 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(1, 2))
			var whole, half, other Histogram
			values := make([]time.Duration, 20_000)
			for i := range values {
				values[i] = c.draw(random)
				whole.Add(values[i])
				if i%2 == 0 {
					half.Add(values[i])
				} else {
					other.Add(values[i])
				}
			}
			slices.Sort(values)
			half.Merge(&other)
			for _, q := range []float64{0, 0.001, 0.5, 0.9, 0.99, 0.999, 0.9999, 1} {
				want := values[max(0, int(math.Ceil(q*float64(len(values))))-1)]
				got := whole.Quantile(q)
				if off := math.Abs(float64(got - want)); off > 0.01*float64(want) {
					t.Errorf("quantile %g is %s, want %s", q, got, want)
				}
				if merged := half.Quantile(q); merged != got {
					t.Errorf("quantile %g is %s of one and %s of two that were merged", q, got, merged)
				}
			}
			if whole.Max() != values[len(values)-1] || whole.Count() != int64(len(values)) {
				t.Errorf("%d values up to %s", whole.Count(), whole.Max())
			}
		})
	}
}

func TestHistogramEnds(t *testing.T) {
	t.Parallel()
	var h Histogram
	if h.Quantile(0.5) != 0 || h.Max() != 0 {
		t.Error("an empty one has values")
	}
	h.Merge(&Histogram{})
	h.Add(-time.Second)
	h.Add(time.Duration(math.MaxInt64))
	if h.Quantile(0.1) != 0 || h.Max() != math.MaxInt64 {
		t.Errorf("from %s to %s", h.Quantile(0.1), h.Max())
	}
	// The middle of every bucket lies in that bucket.
	for i := 1; i < buckets; i++ {
		if at := bucketOf(middleOf(i)); at != i {
			t.Fatalf("the middle of bucket %d is in bucket %d", i, at)
		}
	}
}
