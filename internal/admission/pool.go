package admission

import (
	"sync"
	"sync/atomic"
)

// Pool is an amount that many owners share. An owner may hold at most as much
// as remains free afterwards, plus one unit: a single owner gets half, two
// owners that take units in turn get about a third each, and some units
// remain for new owners. (This is the dynamic threshold that network switches
// use to share buffer memory.)
type Pool struct {
	Refusals

	capacity int64
	taken    atomic.Int64 // written with mu locked, read without locking

	mu   sync.Mutex
	held map[string]int64
}

// NewPool returns a pool with a capacity in units.
func NewPool(capacity int64) *Pool { return &Pool{capacity: capacity, held: map[string]int64{}} }

// Size returns the size of the pool.
func (p *Pool) Size() int64 { return p.capacity }

// Share returns the largest amount that one owner can hold while it is alone.
func (p *Pool) Share() int64 { return (p.capacity + 1) / 2 }

// InUse returns how many units are held.
func (p *Pool) InUse() int64 { return p.taken.Load() }

// Full reports whether all units are held.
func (p *Pool) Full() bool { return p.taken.Load() >= p.capacity }

// Tight reports whether an owner could be refused one more unit. While less than half of
// the units are held, more remain free than any owner holds, so nobody is refused.
func (p *Pool) Tight() bool { return 2*p.taken.Load() >= p.capacity }

// FullFor reports whether the owner would be refused one more unit.
func (p *Pool) FullFor(owner string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.fits(owner, 1)
}

// Take takes n units for the owner and returns true. If n units exceed what the
// owner may hold, it takes none and returns false.
func (p *Pool) Take(owner string, n int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.fits(owner, n) {
		return false
	}
	p.held[owner] += n
	p.taken.Add(n)
	return true
}

func (p *Pool) fits(owner string, n int64) bool {
	left := p.capacity - p.taken.Load() - n
	return left >= 0 && p.held[owner]+n <= left+1
}

// Give returns n units that the owner holds.
func (p *Pool) Give(owner string, n int64) {
	if n == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken.Add(-n)
	if p.held[owner] -= n; p.held[owner] == 0 {
		delete(p.held, owner)
	}
}
