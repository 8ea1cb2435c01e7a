package admission

import (
	"math/bits"
	"sync"
	"time"
)

// ownerRequests counts the requests in progress of each owner, to distinguish owners that
// flood the node with requests from the other owners.
type ownerRequests struct {
	now func() time.Time

	mu       sync.Mutex
	requests map[string]int
	parked   map[string]int // the requests in progress that only wait; other owners need not rest because of them
	started  map[string]int // the requests between their first entry and PauseLast or Leave
	sizes    [sizeClasses]sizeClass
}

// sizeClass counts the owners with a similar number of requests in progress that are not parked. The sizeClass at index
// i of sizes counts the owners with 2^(i-1) to 2^i-1 such requests. The last index also covers all larger numbers.
type sizeClass struct {
	owners int
	until  time.Time // when the number of these owners last became 0
}

const (
	sizeClasses = 16
	// floodFrom is the number of requests in progress at which an owner may count as
	// flooding.
	floodFrom = 8
	// lately is how long an owner counts as active after its last request: a client
	// that sends one request after another needs some time to send the next one.
	lately = time.Millisecond
)

func newOwnerRequests(now func() time.Time) *ownerRequests {
	return &ownerRequests{now: now, requests: map[string]int{}, parked: map[string]int{}, started: map[string]int{}}
}

// join counts a new request of an owner.
func (c *ownerRequests) join(owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests[owner]++
	n := c.requests[owner] - c.parked[owner]
	c.move(n-1, n)
}

// park marks one request of the owner as waiting. The request still counts when floods checks the owner. unpark marks a
// parked request as running again.
func (c *ownerRequests) park(owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.parked[owner]++
	n := c.requests[owner] - c.parked[owner]
	c.move(n+1, n)
}

func (c *ownerRequests) unpark(owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parked[owner]--; c.parked[owner] == 0 {
		delete(c.parked, owner)
	}
	n := c.requests[owner] - c.parked[owner]
	c.move(n-1, n)
}

// wait counts a request of the owner that only waits to be refused, like a parked request. done removes the request
// from the counts.
func (c *ownerRequests) wait(owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests[owner]++
	c.parked[owner]++
}

func (c *ownerRequests) done(owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.requests[owner]--; c.requests[owner] == 0 {
		delete(c.requests, owner)
	}
	if c.parked[owner]--; c.parked[owner] == 0 {
		delete(c.parked, owner)
	}
}

// leave removes an ended request of an owner from the counts.
func (c *ownerRequests) leave(owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.requests[owner]--; c.requests[owner] == 0 {
		delete(c.requests, owner)
	}
	n := c.requests[owner] - c.parked[owner]
	c.move(n+1, n)
}

// begin counts a request of the owner that has got its first entry. finish ends the count of a request that is about to
// end.
func (c *ownerRequests) begin(owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.started[owner]++
}

func (c *ownerRequests) finish(owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.started[owner]--; c.started[owner] == 0 {
		delete(c.started, owner)
	}
}

// mayBegin reports whether fewer requests of the owner than the number "most" have started and are not about to end.
func (c *ownerRequests) mayBegin(owner string, most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.started[owner] < most
}

// move updates the sizes for an owner whose number of requests changed. The caller
// must hold the lock.
func (c *ownerRequests) move(from, to int) {
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

// sizeOf returns the index in sizes for a number of requests. It is 0 for no
// requests.
func sizeOf(requests int) int { return min(bits.Len(uint(requests)), sizeClasses-1) } // requests is never negative

// floods reports whether the owner has at least floodFrom requests in progress while an
// owner with far fewer requests is active. An owner is active if it has requests in
// progress that are not parked, or had some lately.
func (c *ownerRequests) floods(owner string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.requests[owner]
	return n >= floodFrom && c.active(sizeOf(n)-2, sizeOf(n-c.parked[owner]))
}

// others reports whether another owner has requests in progress that are not parked,
// or had some lately.
func (c *ownerRequests) others(owner string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := sizeOf(c.requests[owner] - c.parked[owner])
	return c.active(sizeClasses-1, own)
}

// active reports whether any owner whose size is from 1 to the argument "most" has requests now, or had some
// lately. A size is an index in sizes. The argument "own" is the size of the owner that is being checked, which
// active does not count. The caller must hold the lock.
func (c *ownerRequests) active(most, own int) bool {
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
