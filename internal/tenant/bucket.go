package tenant

import (
	"sync"
	"time"
)

// maxBuckets bounds the memory that strangers can make us spend.
const maxBuckets = 50_000

// Buckets are token buckets by name, for what people without a key may try:
// an account, or the address they come from. One that is full again is as good
// as none, so it is forgotten when room is needed. The zero value is ready,
// and safe for concurrent use.
type Buckets struct {
	mu     sync.Mutex
	byName map[string]*bucket
}

type bucket struct {
	left float64
	at   time.Time
	rate Rate
}

// Take takes a token of a bucket, or says how long it is until there is one.
func (b *Buckets) Take(name string, rate Rate, now time.Time) (wait time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.byName[name]
	if t == nil || t.rate != rate {
		if b.byName == nil {
			b.byName = map[string]*bucket{}
		}
		if len(b.byName) >= maxBuckets {
			b.sweep(now)
		}
		t = &bucket{left: float64(rate.Burst), at: now, rate: rate}
		b.byName[name] = t
	}
	t.refill(now)
	if t.left < 1 {
		return time.Duration((1 - t.left) / rate.PerSecond() * float64(time.Second)), false
	}
	t.left--
	return 0, true
}

// Return puts a token back: what succeeded is not held against anybody.
func (b *Buckets) Return(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t := b.byName[name]; t != nil {
		t.left = min(t.left+1, float64(t.rate.Burst))
	}
}

// refill adds what came in since the last look; time only counts forward.
func (t *bucket) refill(now time.Time) {
	if passed := now.Sub(t.at).Seconds(); passed > 0 {
		t.left = min(t.left+passed*t.rate.PerSecond(), float64(t.rate.Burst))
		t.at = now
	}
}

// sweep forgets full buckets, and if that is not enough some others: their
// owners gain a burst.
func (b *Buckets) sweep(now time.Time) {
	for name, t := range b.byName {
		if t.refill(now); t.left >= float64(t.rate.Burst) {
			delete(b.byName, name)
		}
	}
	for name := range b.byName {
		if len(b.byName) < maxBuckets {
			return
		}
		delete(b.byName, name)
	}
}
