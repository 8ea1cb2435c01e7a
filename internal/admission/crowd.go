package admission

import (
	"math/bits"
	"sync"
	"time"
)

// crowd counts the requests in progress of each owner, to tell an owner that
// floods from one that it crowds out.
type crowd struct {
	now func() time.Time

	mu       sync.Mutex
	requests map[string]int
	begun    map[string]int // those of them that have begun and are not about to end
	sizes    [crowdSizes]crowdSize
}

// crowdSize is about the owners with 2^(i-1) to 2^i-1 requests in progress.
type crowdSize struct {
	owners int
	until  time.Time // when the last of them was gone
}

const (
	crowdSizes = 16
	// floodFrom is the number of requests in progress from which an owner may flood.
	floodFrom = 8
	// lately is how long an owner counts as active after its last request: somebody
	// who sends one request after another needs time to send the next.
	lately = time.Millisecond
)

func newCrowd(now func() time.Time) *crowd {
	return &crowd{now: now, requests: map[string]int{}, begun: map[string]int{}}
}

// join counts a request of an owner that begins.
func (c *crowd) join(owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.requests[owner]
	c.requests[owner] = n + 1
	c.move(n, n+1)
}

// leave counts a request of an owner that has ended.
func (c *crowd) leave(owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.requests[owner] - 1
	if n > 0 {
		c.requests[owner] = n
	} else {
		delete(c.requests, owner)
	}
	c.move(n+1, n)
}

// begin counts a request of an owner that has begun, finish one that is about to end.
func (c *crowd) begin(owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun[owner]++
}

func (c *crowd) finish(owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.begun[owner]--; c.begun[owner] == 0 {
		delete(c.begun, owner)
	}
}

// mayBegin reports whether fewer than most requests of an owner have begun.
func (c *crowd) mayBegin(owner string, most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.begun[owner] < most
}

// move counts an owner whose requests are now more or fewer. The lock is held.
func (c *crowd) move(from, to int) {
	old, now := sizeOf(from), sizeOf(to)
	if old == now {
		return
	}
	if c.sizes[now].owners++; old == 0 {
		return
	}
	if c.sizes[old].owners--; c.sizes[old].owners == 0 {
		c.sizes[old].until = c.now()
	}
}

// sizeOf returns the index of the size for a number of requests, 0 for none.
func sizeOf(requests int) int { return min(bits.Len(uint(requests)), crowdSizes-1) } //nolint:gosec // never negative

// floods reports whether an owner has many requests in progress while another
// owner, with a fraction of as many, has some too or had lately.
func (c *crowd) floods(owner string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.requests[owner]
	return n >= floodFrom && c.active(sizeOf(n)-2, 0)
}

// others reports whether another owner has requests in progress, or had lately.
func (c *crowd) others(owner string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := sizeOf(c.requests[owner])
	return c.active(crowdSizes-1, own)
}

// active reports whether there are owners of the sizes from 1 to most, one owner of
// size own left out. The lock is held.
func (c *crowd) active(most, own int) bool {
	for size := 1; size <= most; size++ {
		s := &c.sizes[size]
		owners := s.owners
		if size == own {
			owners--
		}
		if owners > 0 || s.owners == 0 && !s.until.IsZero() && c.now().Sub(s.until) < lately {
			return true
		}
	}
	return false
}
