package tenant

import (
	"strconv"
	"testing"
	"time"
)

func TestBuckets(t *testing.T) {
	t.Parallel()
	var b Buckets[string]
	rate := Rate{Allowance: 30, Window: time.Hour, Burst: 2}
	take := func(name string, at time.Duration) time.Duration {
		t.Helper()
		_, wait, ok := b.Take(name, rate, noon.Add(at))
		if ok != (wait == 0) {
			t.Errorf("taken %v and asked to wait %v", ok, wait)
		}
		return wait
	}
	for _, step := range []struct {
		name string
		at   time.Duration
		want time.Duration
	}{
		{"asha", 0, 0}, {"asha", 0, 0}, {"asha", 0, 2 * time.Minute}, {"ravi", 0, 0},
		{"asha", time.Minute, time.Minute}, {"asha", 2 * time.Minute, 0}, {"asha", time.Minute, 2 * time.Minute},
	} {
		if got := take(step.name, step.at); got.Round(time.Millisecond) != step.want {
			t.Errorf("%s at %v waits %v, want %v", step.name, step.at, got, step.want)
		}
	}
	b.Return("asha")
	b.Return("nobody")
	if take("asha", 2*time.Minute) != 0 {
		t.Error("what was put back is not there")
	}
}

func TestBucketsAreBounded(t *testing.T) {
	t.Parallel()
	var b Buckets[string]
	rate := Rate{Allowance: 1, Window: time.Hour, Burst: 1}
	for i := range maxBuckets + 10 {
		b.Take(strconv.Itoa(i), rate, noon)
	}
	if len(b.byOwner) > maxBuckets {
		t.Errorf("%d buckets", len(b.byOwner))
	}
	b.Take("later", rate, noon.Add(2*time.Hour))
	if _, _, ok := b.Take("another", rate, noon.Add(2*time.Hour)); !ok {
		t.Error("no room was made")
	}
}

func BenchmarkTake(b *testing.B) {
	var buckets Buckets[string]
	rate := Rate{Allowance: 1 << 30, Window: time.Second, Burst: 1 << 30}
	now := time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)
	b.ReportAllocs()
	for b.Loop() {
		buckets.Take("key_1", rate, now)
	}
}
