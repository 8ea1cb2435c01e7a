package admission

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Scheduler shares the processors among those who compute for long. A request
// that computes for less than a slice needs nothing: the Go scheduler runs it,
// and writes that come together are committed together. One that computes for
// longer needs one of a few slots to go on, gives it up while it waits for the
// database or the network, and offers it to others at each Checkpoint. Of those
// who wait, the owner that has used the least processor time gets the next slot:
// start-time fair queueing. So a tenant whose requests take seconds of processor
// time slows its own requests down, and not those of a tenant that needs
// microseconds.
type Scheduler struct {
	now     func() time.Time
	waiting atomic.Int64 // written under mu, read without

	mu    sync.Mutex
	slots int
	free  int
	clock time.Duration // the start tag of the latest slot that was given out
	most  time.Duration // the largest tag of any user
	users map[string]*user
	queue []*user // the users with waiters, in order of arrival
	sweep int     // how many users there are when the idle ones are forgotten
}

// user is what the scheduler knows of one owner.
type user struct {
	name    string
	used    time.Duration // the start tag of its next slot
	active  int           // slots that it holds
	waiters []*Slot       // first come, first served
}

// Slot is the right of one request to compute for long. It is also the
// request's context, which saves an allocation for each request. The methods of a
// nil Slot do nothing, so work outside of any request needs no scheduler.
type Slot struct {
	context.Context //nolint:containedctx // it is one

	scheduler *Scheduler
	owner     string
	held      bool
	since     time.Time // when it began to compute, or got the slot
	granted   chan struct{}
}

const (
	// slice is how long work computes before it needs a slot, and before a
	// Checkpoint offers the slot to others.
	slice = 500 * time.Microsecond
	// leastCharge is what a short piece of work costs.
	leastCharge = 50 * time.Microsecond
	// manyUsers is how many users there are before the idle ones are forgotten.
	manyUsers = 1024
)

// NewScheduler makes a scheduler with so many slots: one for each processor.
func NewScheduler(slots int, now func() time.Time) *Scheduler {
	slots = max(slots, 1)
	return &Scheduler{now: now, slots: slots, free: slots, users: map[string]*user{}, sweep: manyUsers}
}

// Enter returns a context for a request that begins to compute, and its slot,
// which it has to Leave. Nothing is waited for: short work needs no slot.
func (s *Scheduler) Enter(ctx context.Context, owner string) (context.Context, *Slot) {
	slot := &Slot{Context: ctx, scheduler: s, owner: owner, since: s.now()}
	return slot, slot
}

// Pace waits until it is the owner's turn, and charges it for a short piece of
// work that follows without a slot, such as reading a part of a large body: the
// work may have to wait for the network.
func (s *Scheduler) Pace(ctx context.Context, owner string) error {
	slot := &Slot{scheduler: s, owner: owner}
	if err := slot.acquire(ctx, atBack); err != nil {
		return err
	}
	slot.Leave()
	return nil
}

// Value returns the slot itself under its own key.
func (s *Slot) Value(key any) any {
	if key == (slotKey{}) {
		return s
	}
	return s.Context.Value(key)
}

type slotKey struct{}

// SlotOf returns the slot that the context carries, nil if there is none.
func SlotOf(ctx context.Context) *Slot {
	slot, _ := ctx.Value(slotKey{}).(*Slot)
	return slot
}

// Fork returns a context for another goroutine that works for the same owner,
// with a slot of its own, which it has to Leave.
func Fork(ctx context.Context) (context.Context, *Slot) {
	slot := SlotOf(ctx)
	if slot == nil {
		return ctx, nil
	}
	return slot.scheduler.Enter(ctx, slot.owner)
}

// Checkpoint is called by long computations at least once a millisecond. It
// returns the context's error when the caller has gone away, and otherwise lets
// others compute if it is their turn.
func Checkpoint(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return SlotOf(ctx).yield(ctx)
}

// Leave gives the slot up. It may be called twice.
func (s *Slot) Leave() { s.Pause() }

// Pause gives the slot up while its holder waits for something else.
func (s *Slot) Pause() {
	if s == nil || !s.held {
		return
	}
	s.held = false
	s.scheduler.release(s)
}

// Resume begins another stretch of computing after Pause.
func (s *Slot) Resume() {
	if s != nil && !s.held {
		s.since = s.scheduler.now()
	}
}

// yield lets others compute once a time slice is used up: short work, which Go
// runs in between, and the long work of other owners, whose turn it may be. The
// owner's own requests wait until this one is done: many of them half done would
// take many times the memory.
func (s *Slot) yield(ctx context.Context) error {
	switch {
	case s == nil || s.scheduler.now().Sub(s.since) < slice:
		return nil
	case !s.held:
		return s.acquire(ctx, atBack)
	case s.scheduler.waiting.Load() > 0 && s.scheduler.othersWait(s.owner):
		s.Pause()
		return s.acquire(ctx, atFront)
	}
	s.scheduler.charge(s)
	runtime.Gosched()
	return nil
}

// place is where a slot waits among those of its owner.
type place bool

const (
	atBack  place = false
	atFront place = true
)

func (s *Slot) acquire(ctx context.Context, at place) error {
	if s.scheduler.enqueue(s, at) {
		return nil
	}
	select {
	case <-s.granted:
		return nil
	case <-ctx.Done():
		if s.scheduler.withdraw(s) {
			return ctx.Err()
		}
		<-s.granted // at this very moment
		return nil
	}
}

// enqueue gives a slot out immediately if one is free, and queues otherwise.
func (s *Scheduler) enqueue(slot *Slot, at place) (granted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.users[slot.owner]
	if u == nil {
		s.forget()
		u = &user{name: slot.owner}
		s.users[slot.owner] = u
	}
	if u.active == 0 && len(u.waiters) == 0 {
		u.used = max(u.used, s.clock) // an idle owner saves nothing up
	}
	if s.free > 0 {
		s.grant(u, slot)
		return true
	}
	slot.granted = make(chan struct{})
	if len(u.waiters) == 0 {
		s.queue = append(s.queue, u)
	}
	if at == atFront {
		u.waiters = slices.Insert(u.waiters, 0, slot)
	} else {
		u.waiters = append(u.waiters, slot)
	}
	s.waiting.Add(1)
	return false
}

// othersWait reports whether another owner waits for a slot.
func (s *Scheduler) othersWait(owner string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue) > 1 || len(s.queue) == 1 && s.queue[0].name != owner
}

// grant marks a slot as held by u. The lock is held.
func (s *Scheduler) grant(u *user, slot *Slot) {
	s.free--
	u.active++
	s.clock = max(s.clock, u.used)
	slot.held, slot.since = true, s.now()
}

// release takes a slot back, charges its owner, and gives it to the waiting
// owner that has used least.
func (s *Scheduler) release(slot *Slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.users[slot.owner]
	u.active--
	s.use(u, slot)
	s.free++
	if len(s.queue) == 0 {
		if s.free == s.slots {
			s.clock = s.most // nobody competes: all debts are settled
		}
		return
	}
	least := 0
	for i, other := range s.queue {
		if other.used < s.queue[least].used {
			least = i
		}
	}
	next := s.queue[least]
	first := next.waiters[0]
	s.dequeue(least, 0)
	s.grant(next, first)
	close(first.granted)
}

// charge charges the owner of a slot that is held on to.
func (s *Scheduler) charge(slot *Slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.use(s.users[slot.owner], slot)
	slot.since = s.now()
}

// use adds the time since a slot was given out to what its owner has used. The
// lock is held.
func (s *Scheduler) use(u *user, slot *Slot) {
	u.used += max(leastCharge, s.now().Sub(slot.since))
	s.most = max(s.most, u.used)
}

// withdraw removes a slot whose caller has gone away from the queue. It reports
// false if the slot was granted meanwhile.
func (s *Scheduler) withdraw(slot *Slot) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, u := range s.queue {
		if u.name != slot.owner {
			continue
		}
		if k := slices.Index(u.waiters, slot); k >= 0 {
			s.dequeue(i, k)
			return true
		}
	}
	return false
}

// dequeue removes the k-th waiter of the i-th user in the queue. The lock is held.
func (s *Scheduler) dequeue(i, k int) {
	u := s.queue[i]
	u.waiters = slices.Delete(u.waiters, k, k+1)
	if len(u.waiters) == 0 {
		s.queue = slices.Delete(s.queue, i, i+1)
	}
	s.waiting.Add(-1)
}

// forget drops idle users that would start at the clock anyway.
func (s *Scheduler) forget() {
	if len(s.users) < s.sweep {
		return
	}
	for name, u := range s.users {
		if u.active == 0 && len(u.waiters) == 0 && u.used <= s.clock {
			delete(s.users, name)
		}
	}
	s.sweep = max(manyUsers, 2*len(s.users))
}

// Users returns how many owners are remembered.
func (s *Scheduler) Users() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.users)
}

// Held returns how many slots are held.
func (s *Scheduler) Held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.slots - s.free
}
