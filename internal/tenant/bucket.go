package tenant

import (
	"sync"
	"time"
)

// maxBuckets limits the memory for buckets, because unauthenticated callers can
// create them.
const maxBuckets = 50_000

// Buckets holds token buckets by owner: a key, an account, or the network address
// of a caller without a key or an account. A full bucket has the same effect as no
// bucket, so full buckets are removed if there are too many buckets. The zero
// value is ready to use and safe for concurrent use.
type Buckets[Owner comparable] struct {
	mu      sync.Mutex
	byOwner map[Owner]*bucket
}

type bucket struct {
	left float64
	at   time.Time
	rate Rate
}

// Take takes a token from the bucket of the owner "who". If ok is true, left is the number of
// tokens that are left. Otherwise wait is the time until the next token.
func (b *Buckets[Owner]) Take(who Owner, rate Rate, now time.Time) (left int, wait time.Duration, ok bool) {
	return b.TakeMany(who, rate, now, 1)
}

// TakeMany takes n tokens like Take, or none. If there are too few, wait is the time until there are enough;
// a bucket whose burst is less than n never has enough.
func (b *Buckets[Owner]) TakeMany(
	who Owner, rate Rate, now time.Time, n int,
) (left int, wait time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.byOwner[who]
	if t == nil || t.rate != rate {
		if b.byOwner == nil {
			b.byOwner = map[Owner]*bucket{}
		}
		if len(b.byOwner) >= maxBuckets {
			b.sweep(now)
		}
		t = &bucket{left: float64(rate.Burst), at: now, rate: rate}
		b.byOwner[who] = t
	}
	t.refill(now)
	if need := float64(n); t.left < need {
		return int(t.left), time.Duration((need - t.left) / rate.PerSecond() * float64(time.Second)), false
	}
	t.left -= float64(n)
	return int(t.left), 0, true
}

// Return puts a token back, for an attempt that succeeded and should not count
// against the limit.
func (b *Buckets[Owner]) Return(who Owner) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t := b.byOwner[who]; t != nil {
		t.left = min(t.left+1, float64(t.rate.Burst))
	}
}

// refill adds the tokens for the time since the last refill. If now is earlier
// than the last refill, it adds nothing.
func (t *bucket) refill(now time.Time) {
	if passed := now.Sub(t.at).Seconds(); passed > 0 {
		t.left = min(t.left+passed*t.rate.PerSecond(), float64(t.rate.Burst))
		t.at = now
	}
}

// sweep removes full buckets and, if there are still too many, some others. The owner of a removed bucket
// gets a full bucket at the next call, and so gains up to one burst.
func (b *Buckets[Owner]) sweep(now time.Time) {
	for who, t := range b.byOwner {
		if t.refill(now); t.left >= float64(t.rate.Burst) {
			delete(b.byOwner, who)
		}
	}
	for who := range b.byOwner {
		if len(b.byOwner) < maxBuckets {
			return
		}
		delete(b.byOwner, who)
	}
}
