// Package admission bounds what is done at once: requests that are worked on,
// files that are sent, memory that bodies take. What is beyond a bound is
// refused at once instead of queued: a caller who hears within milliseconds
// that there is no room can come back or go elsewhere, and one who waits in a
// queue that only grows is answered when nobody listens any more.
//
// What a refusal looks like is up to whoever asks.
package admission

import (
	"sync"
	"sync/atomic"
	"time"
)

// Places are those of work that takes milliseconds. They are safe for
// concurrent use, as is everything here.
type Places struct {
	room    int64
	taken   atomic.Int64
	refused atomic.Int64 // since the log last told of it
	told    atomic.Int64 // when that was
}

// NewPlaces makes so many places.
func NewPlaces(room int) *Places { return &Places{room: int64(room)} }

// Room is how many there are.
func (p *Places) Room() int { return int(p.room) }

// Full tells whether there is no room at the moment.
func (p *Places) Full() bool { return p.taken.Load() >= p.room }

// Take takes a place if there is one.
func (p *Places) Take() bool {
	if p.taken.Add(1) > p.room {
		p.taken.Add(-1)
		return false
	}
	return true
}

// Release gives a place back.
func (p *Places) Release() { p.taken.Add(-1) }

// tellEvery is how often the log says that somebody is being refused.
const tellEvery = time.Second

// Refused notes a refusal, and returns how many there were when the log should
// tell of them: a line for each would cost more than the refusal.
func (p *Places) Refused(now time.Time) (tell int64) {
	p.refused.Add(1)
	last := p.told.Load()
	if since := now.UnixNano() - last; since >= 0 && since < int64(tellEvery) || !p.told.CompareAndSwap(last, now.UnixNano()) {
		return 0
	}
	return p.refused.Swap(0)
}

// Shares are the places of what moves at its caller's pace. One caller could
// keep all of them for long, so each has at most half.
type Shares struct {
	*Places

	mu   sync.Mutex
	held map[string]int
}

// NewShares makes so many places.
func NewShares(room int) *Shares { return &Shares{Places: NewPlaces(room), held: map[string]int{}} }

// Take takes a place for its owner if there is one.
func (s *Shares) Take(owner string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[owner] >= max(1, s.Room()/2) || !s.Places.Take() {
		return false
	}
	s.held[owner]++
	return true
}

// Release gives a place of its owner back.
func (s *Shares) Release(owner string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Places.Release()
	if s.held[owner]--; s.held[owner] == 0 {
		delete(s.held, owner)
	}
}
