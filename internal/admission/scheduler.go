package admission

import (
	"context"
	"runtime"
	"time"
)

// Scheduler shares the processors among owners. It has four queues: for entries, for slots, for Pace, and for reads of
// a database server.
//
// Every request needs one of a few entries while it computes. Most requests compute so briefly that they need nothing
// else; for them, the entries only decide in which order they begin. A request that computes for longer than a slice
// exchanges its entry for a slot, and offers the slot to others at each Checkpoint. There are as many slots as
// processors. A request gives up its entry or slot while it waits for the database or the network.
//
// In each queue the owner that has used the least time goes next: start-time fair queueing. So a tenant that sends many
// requests, or requests that take seconds of processor time, slows down its own requests and not those of other
// tenants.
type Scheduler struct {
	now      func() time.Time
	entries  *fairQueue
	slots    *fairQueue
	paces    *fairQueue // for reading large bodies part by part; see Pace
	reads    *fairQueue // for reads of a database server, which computes for the owner; see BeginRead
	requests *ownerRequests
}

// Slot is the right of one request to compute: an entry, or a slot for long work. It is
// also the request's context, which saves an allocation for each request. The methods of
// a nil Slot do nothing, so work outside a request needs no scheduler.
type Slot struct {
	context.Context //nolint:containedctx // it is one

	scheduler *Scheduler
	owner     string
	entry     ticket // the right to compute for less than a slice
	long      ticket // the right to compute for longer than a slice
	started   bool   // the request has got its first entry and is not about to end
	left      bool
	away      bool   // the request waits for a client or another server and does not count as in progress
	parked    bool   // the request only waits; other owners need not rest because of it
	reading   ticket // the right to let a database server read
	depth     int    // the nesting depth of reads

	background bool // nobody waits for the work, so it rests longer
}

const (
	// slice is the time for which a request may compute before it needs a slot, and
	// before a Checkpoint offers its slot to others.
	slice = 500 * time.Microsecond
	// leastCharge is the minimum charge for a piece of work.
	leastCharge = 50 * time.Microsecond
	// entriesEach is the number of entries for each processor. A request that gets an
	// entry still has to wait until Go runs its goroutine, behind all other ready
	// goroutines. With one entry for each processor, the entry would be unused in the
	// meantime. With many entries, processor time would be shared by the number of
	// requests instead of by owner.
	entriesEach = 6
	// entryRest, slotRest and paceRest are the rest factors of the queues entries, slots and paces. After an
	// owner has used a right, it rests for the time used × the factor ÷ the number of
	// rights in the queue. In the queues entries and slots only a flooding owner rests;
	// in the queue paces an owner rests whenever other owners are active.
	entryRest = 3 * entriesEach
	slotRest  = 8
	paceRest  = 6
	// backgroundRest is the rest factor of long work in the background, if its owner does not flood.
	backgroundRest = 4
	// longestSleep is the longest sleep of a Checkpoint, and the longest time until a
	// resting owner is checked again. longestRest is the longest rest after one piece of
	// work.
	longestSleep = 10 * time.Millisecond
	longestRest  = time.Second
	// entryTimeout is how long a request that has started waits for its next entry before it continues without
	// one. The timeout ends a deadlock if requests wait for each other. A request that has not started holds
	// nothing that other requests wait for, so it needs no timeout. A read also waits at most this long for its
	// turn.
	entryTimeout = time.Second
	// startedEach is, for each processor, the maximum number of requests of a flooding
	// owner that have started and are not about to end. Each such request may have a
	// document of a megabyte in memory, which the garbage collector has to mark again and
	// again.
	startedEach = 2 * entriesEach
	// readsEach is, for each processor, the maximum number of reads of a flooding owner that a database server works on
	// at the same time. A server shares its processors by connection and not by owner.
	readsEach = 2
	// unlimited is the size of a queue that limits only flooding owners.
	unlimited = 1 << 20
)

// NewScheduler returns a scheduler. slots should be the number of processors. now returns
// the current time.
func NewScheduler(slots int, now func() time.Time) *Scheduler {
	slots = max(slots, 1)
	s := &Scheduler{
		now:      now,
		entries:  newFairQueue(entriesEach*slots, now),
		slots:    newFairQueue(slots, now),
		paces:    newFairQueue(slots, now),
		reads:    newFairQueue(unlimited, now),
		requests: newOwnerRequests(now),
	}
	s.entries.restFactor, s.entries.mustRest = entryRest, s.requests.floods
	s.entries.begin = s.requests.begin
	s.entries.mayBegin = func(owner string) bool { return s.requests.mayBegin(owner, startedEach*slots) }
	s.slots.restFactor, s.slots.mustRest = slotRest, s.requests.floods
	s.paces.restFactor, s.paces.mustRest = paceRest, s.requests.others
	// The queue s.reads is so large that the rest is close to 0. The factor must not be 0, because
	// fairQueue.rest would then not call mayBegin.
	s.reads.restFactor, s.reads.mustRest = 1, s.requests.floods
	s.reads.mayBegin = func(owner string) bool { return s.reads.users[owner].active < readsEach*slots }
	return s
}

// Enter waits for the owner's turn. It returns a context for a request that begins to
// compute, and the request's slot; the caller must call Leave. If ctx ends first, Enter
// returns too, and the returned context has also ended.
func (s *Scheduler) Enter(ctx context.Context, owner string) (context.Context, *Slot) {
	return s.join(ctx, owner, atBack)
}

// join does the work of Enter. The argument "at" is the place of the request's ticket among the waiting tickets of its
// owner.
func (s *Scheduler) join(ctx context.Context, owner string, at place) (context.Context, *Slot) {
	slot := &Slot{Context: ctx, scheduler: s, owner: owner}
	s.requests.join(owner)
	if at == atFront {
		slot.Resume()
	} else {
		slot.started = s.entries.acquire(ctx, owner, &slot.entry, atBack) == nil
	}
	return slot, slot
}

// Refused counts a request that is refused after a delay, until the returned function is called. Other owners do not
// rest because of the request, but it counts when the scheduler checks whether its own owner floods.
func (s *Scheduler) Refused(owner string) (end func()) {
	s.requests.wait(owner)
	return func() { s.requests.done(owner) }
}

// Pace waits for the owner's turn to do a short piece of work, such as reading a part of
// a large body, and charges the owner the minimum. It returns the error of ctx if ctx
// ends first. The caller holds no right during the work, because the work may wait for
// the network.
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

// SlotOf returns the slot of a context, or nil if there is none.
func SlotOf(ctx context.Context) *Slot {
	slot, _ := ctx.Value(slotKey{}).(*Slot)
	return slot
}

// Fork returns a context for another goroutine that works for the same owner, and its own
// slot; the goroutine must call Leave. The goroutine is served before requests of the
// owner that have not started, because requests that have started may wait for it. If ctx has
// no slot, Fork returns ctx and a nil Slot.
func Fork(ctx context.Context) (context.Context, *Slot) {
	slot := SlotOf(ctx)
	if slot == nil {
		return ctx, nil
	}
	return slot.scheduler.join(ctx, slot.owner, atFront)
}

// Checkpoint must be called by long computations at least once a millisecond. It returns
// the error of the context if the context has ended. Otherwise it lets other requests
// compute if it is their turn.
func Checkpoint(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return SlotOf(ctx).yield(ctx)
}

// CheckpointIfLong does the work of Checkpoint for a request that already holds a slot
// for long work, for instance since its body was parsed. For other requests it only
// returns the error of the context. It is meant for short requests: on a busy machine
// even they take long by the clock, and at a Checkpoint they would wait for a slot that
// they do not need.
func CheckpointIfLong(ctx context.Context) error {
	if slot := SlotOf(ctx); slot == nil || !slot.long.held {
		return ctx.Err()
	}
	return Checkpoint(ctx)
}

// PauseLast gives up the right to compute, and the request no longer counts as started. It
// is meant for a request that waits for its write to the database: the work after the
// write is short and needs no right.
func (s *Slot) PauseLast() {
	if s == nil {
		return
	}
	if s.started { // done before Pause, because Pause lets the next request begin
		s.started = false
		s.scheduler.requests.finish(s.owner)
	}
	s.Pause()
}

// Leave gives up the right to compute and ends the request. It may be called twice.
func (s *Slot) Leave() {
	s.PauseLast()
	if s == nil || s.left {
		return
	}
	s.left = true
	s.unpark()
	if !s.away {
		s.scheduler.requests.leave(s.owner)
	}
}

// Away gives up the right to compute while the request waits for the other end of a
// connection. Until Back is called, the request does not count as in progress, because a
// client that reads or sends slowly must not make other owners rest.
func (s *Slot) Away() {
	s.PauseLast()
	if s != nil && !s.left && !s.away {
		s.away = true
		s.scheduler.requests.leave(s.owner)
	}
}

// Park gives up the right to compute while the request waits in a queue or is delayed.
// Until Unpark is called, other owners do not rest because of the request, but it still
// counts when the scheduler checks whether its own owner floods.
func (s *Slot) Park() {
	s.PauseLast()
	if s != nil && !s.left && !s.away && !s.parked {
		s.parked = true
		s.scheduler.requests.park(s.owner)
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
		s.scheduler.requests.unpark(s.owner)
	}
}

// Back waits for the owner's turn to compute again after Away.
func (s *Slot) Back() {
	if s != nil && s.away {
		s.away = false
		if !s.left {
			s.scheduler.requests.join(s.owner)
		}
	}
	s.Resume()
}

// Pause gives up the right to compute while the request waits, for example for the
// database. Resume waits for an entry again.
func (s *Slot) Pause() {
	if s == nil {
		return
	}
	s.scheduler.entries.release(s.owner, &s.entry)
	s.scheduler.slots.release(s.owner, &s.long)
}

// BeginRead gives up the right to compute while a database server reads for the request. If the owner floods the node,
// BeginRead waits while the server already works on several reads of the owner, until ctx ends or entryTimeout is over.
// EndRead must be called in any case; it waits for an entry again.
func (s *Slot) BeginRead(ctx context.Context) {
	if s == nil {
		return
	}
	s.Pause()
	if s.depth++; s.depth == 1 {
		s.scheduler.reads.acquireWithin(ctx, s.owner, &s.reading, atBack, entryTimeout)
	}
}

// EndRead ends what BeginRead began.
func (s *Slot) EndRead() {
	if s == nil {
		return
	}
	if s.depth--; s.depth == 0 {
		s.scheduler.reads.release(s.owner, &s.reading)
	}
	s.Resume()
}

// PauseLong gives up only the slot for long work. It is meant for a request that waits
// for a resource that short requests use, such as one of a few connections.
func (s *Slot) PauseLong() {
	if s != nil {
		s.scheduler.slots.release(s.owner, &s.long)
	}
}

// Charge adds processor time that another goroutine or process spent for the slot's owner
// to the time that the owner has used. An example is the committer of the database.
// Charge ignores times of at most leastCharge.
func (s *Slot) Charge(used time.Duration) {
	if s != nil && used > leastCharge {
		s.scheduler.entries.owe(s.owner, used)
		s.scheduler.slots.owe(s.owner, used)
	}
}

// Resume waits for the owner's turn to compute again after Pause. After entryTimeout, or
// if the context ends, the request continues without a right.
func (s *Slot) Resume() {
	if s == nil || s.entry.held || s.long.held {
		return
	}
	if !s.started && !s.left { // the request continues after PauseLast, or is a Fork
		s.started = true
		s.scheduler.requests.begin(s.owner)
	}
	s.scheduler.entries.acquireWithin(s.Context, s.owner, &s.entry, atFront, entryTimeout)
}

// Extend replaces the context that the slot wraps by ctx and returns the slot as a
// context. It is meant for work that may take longer than a usual request. ctx must not
// be derived from the slot.
func (s *Slot) Extend(ctx context.Context) context.Context {
	if s == nil {
		return ctx
	}
	s.Context = ctx
	return s
}

// Background marks the request as work that nobody waits for, such as an export. If other owners are active, such work
// rests longer than other long work.
func (s *Slot) Background() {
	if s != nil {
		s.background = true
	}
}

// yield lets other requests compute once a time slice is used up. It acquires a slot or,
// if the request already has one, offers it to other owners. If other owners were active
// lately, it then sleeps as long as it has computed, three times as long if it is in the
// background, or seven times as long if its owner floods. It sleeps because Go polls for
// network input only when a processor is idle, or every ten milliseconds. It does not offer
// the slot to other requests of the same owner, because many unfinished requests would need
// many times the memory.
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
	switch requests := s.scheduler.requests; {
	case requests.floods(s.owner):
		s.sleep((slotRest - 1) * used)
	case s.background && requests.others(s.owner):
		s.sleep((backgroundRest - 1) * used)
	case requests.others(s.owner):
		s.sleep(used)
	default:
		runtime.Gosched()
	}
	return nil
}

// sleep leaves the processor to other goroutines. The owner is not charged for the time.
func (s *Slot) sleep(d time.Duration) {
	time.Sleep(min(d, longestSleep))
	s.long.since = s.scheduler.now()
}

// since returns the time at which the request began to compute, or at which its computing time was last charged.
func (s *Slot) since() time.Time {
	if s.long.held {
		return s.long.since
	}
	return s.entry.since
}

// Held returns the number of entries, slots and rights to read that are in use.
func (s *Scheduler) Held() int { return s.entries.held() + s.slots.held() + s.reads.held() }
