package admission

import (
	"context"
	"runtime"
	"time"
)

// Scheduler shares the processors among owners, with two queues. Every request needs one
// of a few entries while it computes, and most compute so briefly that they need nothing
// else: the entries only decide in which order the requests of a flood are begun. A
// request that computes for longer than a slice exchanges its entry for a slot, and
// offers the slot to others at each Checkpoint. There are as many slots as processors. A
// request gives up its entry or slot while it waits for the database or the network. In
// both queues the owner that has used the least time goes next: start-time fair queueing.
// So a tenant whose requests are many, or take seconds of processor time, slows its own
// requests down, and not those of another tenant.
type Scheduler struct {
	now     func() time.Time
	entries *fairQueue
	slots   *fairQueue
	paces   *fairQueue // for the parts of large bodies
	crowd   *crowd
}

// Slot is the right of one request to compute. It is also the request's context, which
// saves an allocation for each request. The methods of a nil Slot do nothing, so work
// outside a request needs no scheduler.
type Slot struct {
	context.Context //nolint:containedctx // it is one

	scheduler *Scheduler
	owner     string
	entry     ticket // the right to compute for less than a slice
	long      ticket // the right to compute for longer
	begun     bool   // the request has got its first entry and is not about to end
	left      bool
	away      bool // the request waits for a client or another server and does not count as in progress
	parked    bool // it only waits, and makes nobody else rest
}

const (
	// slice is how long work computes before it needs a slot, and before a
	// Checkpoint offers the slot to others.
	slice = 500 * time.Microsecond
	// leastCharge is the minimum charge for a piece of work.
	leastCharge = 50 * time.Microsecond
	// entriesEach is the number of entries for each processor. A request that has got its
	// entry still waits until Go runs it, behind all other ready goroutines. With one
	// entry for each processor, the processor would do other work in the meantime; with
	// many entries, processor time would be shared by number of requests instead of by
	// owner.
	entriesEach = 6
	// entryRest, slotRest and paceRest are the rest factors of the three queues. After
	// an owner has used a right, it rests for the time used × the factor ÷ the number
	// of rights in the queue. In entries and slots only a flooding owner rests; in
	// paces an owner rests whenever others are active.
	entryRest = 3 * entriesEach
	slotRest  = 4
	paceRest  = 6
	// longestSleep bounds how long a Checkpoint sleeps, and longestRest how long one
	// piece of work makes its owner rest.
	longestSleep = 10 * time.Millisecond
	longestRest  = time.Second
	// entryTimeout is how long a request that has begun waits for its next entry before
	// it continues without one. The timeout ends a deadlock if requests ever wait for
	// each other. A request that has not begun holds nothing that others wait for, so it
	// has no timeout.
	entryTimeout = time.Second
	// begunEach is, for each processor, the maximum number of requests of a flooding
	// owner that have begun and are not about to end. Each may hold a document of a
	// megabyte, which the garbage collector has to mark again and again.
	begunEach = 2 * entriesEach
)

// NewScheduler returns a scheduler. slots should be the number of processors.
func NewScheduler(slots int, now func() time.Time) *Scheduler {
	slots = max(slots, 1)
	s := &Scheduler{
		now:     now,
		entries: newFairQueue(entriesEach*slots, now),
		slots:   newFairQueue(slots, now),
		paces:   newFairQueue(slots, now),
		crowd:   newCrowd(now),
	}
	s.entries.restFactor, s.entries.mustRest = entryRest, s.crowd.floods
	s.entries.begin = s.crowd.begin
	s.entries.mayBegin = func(owner string) bool { return s.crowd.mayBegin(owner, begunEach*slots) }
	s.slots.restFactor, s.slots.mustRest = slotRest, s.crowd.floods
	s.paces.restFactor, s.paces.mustRest = paceRest, s.crowd.others
	return s
}

// Enter waits for the owner's turn. It returns a context for a request that begins to
// compute, and its slot; the caller must call Leave. If ctx ends first, Enter returns
// anyway, and the returned context has ended too.
func (s *Scheduler) Enter(ctx context.Context, owner string) (context.Context, *Slot) {
	return s.join(ctx, owner, atBack)
}

// join does the work of Enter, at a given place in the owner's queue.
func (s *Scheduler) join(ctx context.Context, owner string, at place) (context.Context, *Slot) {
	slot := &Slot{Context: ctx, scheduler: s, owner: owner}
	s.crowd.join(owner)
	if at == atFront {
		slot.Resume()
	} else {
		slot.begun = s.entries.acquire(ctx, owner, &slot.entry, atBack) == nil
	}
	return slot, slot
}

// Pace waits for the owner's turn to do a short piece of work, such as reading a part of
// a large body, and charges the owner for the work. The work itself holds no slot,
// because it may wait for the network.
func (s *Scheduler) Pace(ctx context.Context, owner string) error {
	var t ticket
	if err := s.paces.acquire(ctx, owner, &t, atBack); err != nil {
		return err
	}
	s.paces.release(owner, &t)
	return nil
}

// Value returns the slot itself for slotKey, and the values of the wrapped context for
// other keys.
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

// Fork returns a context for another goroutine that works for the same owner, and its own
// slot; the goroutine must call Leave. The goroutine goes before requests of the owner
// that have not begun, because requests that have begun may wait for it.
func Fork(ctx context.Context) (context.Context, *Slot) {
	slot := SlotOf(ctx)
	if slot == nil {
		return ctx, nil
	}
	return slot.scheduler.join(ctx, slot.owner, atFront)
}

// Checkpoint must be called by long computations at least once a millisecond. It returns
// the error of the context if the context has ended, and otherwise lets others compute if
// it is their turn.
func Checkpoint(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return SlotOf(ctx).yield(ctx)
}

// CheckpointIfLong does the work of Checkpoint for a request that already holds a slot
// for long work, for instance since its body was parsed. For other requests it only
// returns the error of the context. On a busy machine even a short request takes long by
// the clock, and would wait for a slot that it does not need.
func CheckpointIfLong(ctx context.Context) error {
	if slot := SlotOf(ctx); slot == nil || !slot.long.held {
		return ctx.Err()
	}
	return Checkpoint(ctx)
}

// PauseLast gives up the right to compute for the last time: the holder waits for its
// write, and the work after that is short and needs no right.
func (s *Slot) PauseLast() {
	if s == nil {
		return
	}
	if s.begun { // first, because Pause lets the next request begin
		s.begun = false
		s.scheduler.crowd.finish(s.owner)
	}
	s.Pause()
}

// Leave gives up the right to compute. It may be called twice.
func (s *Slot) Leave() {
	s.PauseLast()
	if s == nil || s.left {
		return
	}
	s.left = true
	s.unpark()
	if !s.away {
		s.scheduler.crowd.leave(s.owner)
	}
}

// Away gives up the right to compute, until Back, while its holder waits for the other
// end of a connection. Until then the request does not count as in progress: a client
// that reads or sends slowly must not make other owners rest.
func (s *Slot) Away() {
	s.PauseLast()
	if s != nil && !s.left && !s.away {
		s.away = true
		s.scheduler.crowd.leave(s.owner)
	}
}

// Park gives up the right to compute, until Unpark, while its holder waits in a line
// or is delayed. The request still counts towards whether its owner floods, but nobody
// else rests because of it.
func (s *Slot) Park() {
	s.PauseLast()
	if s != nil && !s.left && !s.away && !s.parked {
		s.parked = true
		s.scheduler.crowd.park(s.owner)
	}
}

// Unpark waits for the owner's turn to compute again after Park.
func (s *Slot) Unpark() {
	s.unpark()
	s.Resume()
}

func (s *Slot) unpark() {
	if s != nil && s.parked {
		s.parked = false
		s.scheduler.crowd.unpark(s.owner)
	}
}

// Back waits for the owner's turn to compute again after Away.
func (s *Slot) Back() {
	if s != nil && s.away {
		s.away = false
		if !s.left {
			s.scheduler.crowd.join(s.owner)
		}
	}
	s.Resume()
}

// Pause gives up the right to compute while its holder waits for something else.
func (s *Slot) Pause() {
	if s == nil {
		return
	}
	s.scheduler.entries.release(s.owner, &s.entry)
	s.scheduler.slots.release(s.owner, &s.long)
}

// PauseLong gives up only the slot for long work. It is for a holder that waits
// for a resource that short work holds, such as one of a few connections.
func (s *Slot) PauseLong() {
	if s != nil {
		s.scheduler.slots.release(s.owner, &s.long)
	}
}

// Charge adds time that another goroutine or process computed for the slot's owner, such
// as the committer of the database, to the time that the owner has used.
func (s *Slot) Charge(used time.Duration) {
	if s != nil && used > slice {
		s.scheduler.entries.owe(s.owner, used)
		s.scheduler.slots.owe(s.owner, used)
	}
}

// Resume waits for the owner's turn to compute again after Pause.
func (s *Slot) Resume() {
	if s == nil || s.entry.held || s.long.held {
		return
	}
	if !s.begun && !s.left { // the request continues after PauseLast, or is a Fork
		s.begun = true
		s.scheduler.crowd.begin(s.owner)
	}
	s.scheduler.entries.acquireWithin(s.Context, s.owner, &s.entry, atFront, entryTimeout)
}

// Extend makes ctx the context of the slot and returns it with the slot, for work
// that may take longer than requests usually do. ctx must not come from the slot.
func (s *Slot) Extend(ctx context.Context) context.Context {
	if s == nil {
		return ctx
	}
	s.Context = ctx
	return s
}

// yield lets others compute once a time slice is used up. It acquires a slot or, if it
// holds one, offers the slot to others. If other owners were active lately, it then
// sleeps as long as it has computed, or three times as long if its owner floods. It
// sleeps because Go polls for network input only when a processor is idle, or every ten
// milliseconds. The slot is not offered to other requests of the same owner, because many
// unfinished requests would need many times the memory.
func (s *Slot) yield(ctx context.Context) error {
	if s == nil {
		return nil
	}
	if !s.entry.held && !s.long.held {
		s.Resume()
		return nil
	}
	used := s.scheduler.now().Sub(s.since())
	if used < slice {
		return nil
	}
	slots := s.scheduler.slots
	switch {
	case !s.long.held:
		s.scheduler.entries.release(s.owner, &s.entry)
		if err := slots.acquire(ctx, s.owner, &s.long, atBack); err != nil {
			return err
		}
	case slots.othersWait(s.owner):
		slots.release(s.owner, &s.long)
		if err := slots.acquire(ctx, s.owner, &s.long, atFront); err != nil {
			return err
		}
	default:
		slots.charge(s.owner, &s.long)
	}
	switch crowd := s.scheduler.crowd; {
	case crowd.floods(s.owner):
		s.sleep((slotRest - 1) * used)
	case crowd.others(s.owner):
		s.sleep(used)
	default:
		runtime.Gosched()
	}
	return nil
}

// sleep leaves the processor to others. The time is not charged to the owner.
func (s *Slot) sleep(d time.Duration) {
	time.Sleep(min(d, longestSleep))
	s.long.since = s.scheduler.now()
}

// since returns when the slot began to compute, or was last charged for computing.
func (s *Slot) since() time.Time {
	if s.long.held {
		return s.long.since
	}
	return s.entry.since
}

// Users returns how many owners of long work are remembered.
func (s *Scheduler) Users() int { return s.slots.remembered() }

// Held returns how many entries and slots are held.
func (s *Scheduler) Held() int { return s.entries.held() + s.slots.held() }
