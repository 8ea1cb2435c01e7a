package admission

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// fairQueue grants a fixed number of equal rights to compute. When all are granted,
// callers wait, and the waiting owner that has used rights for the shortest time gets
// the next one: start-time fair queueing. An owner gains no credit while it is idle.
// An owner that has used more time than others is still behind them when it comes
// back, unless all owners were idle in the meantime.
type fairQueue struct {
	now     func() time.Time
	waiting atomic.Int64 // number of waiting tickets; written with mu locked, read without locking

	// An owner for which mustRest returns true must rest after it has used a right: it gets no further right until
	// the rest is over. The rest lasts for the time used × restFactor ÷ size.
	restFactor time.Duration
	mustRest   func(owner string) bool
	// mayBegin reports whether an owner that must rest may get the first right for another request. In the
	// queue Scheduler.reads, it reports whether the owner may get another right. It is nil if the queue does
	// not limit this. begin counts a request that gets its first right; it may be nil.
	mayBegin func(owner string) bool
	begin    func(owner string)

	mu    sync.Mutex
	size  int
	free  int
	timer *time.Timer   // the running timer that will call dispatch; nil if none is running
	due   time.Time     // when the timer will call dispatch
	clock time.Duration // the largest start tag of the granted rights; set to q.most when all owners are idle
	most  time.Duration // the largest start tag of any user
	users map[string]*user
	queue []*user // the users with waiting tickets, in order of arrival
	sweep int     // the number of users at which idle users are removed
}

// user is the state of one owner in a queue.
type user struct {
	name    string
	used    time.Duration // the start tag of the owner's next right
	active  int           // rights that the owner holds
	waiters []*ticket     // waiting tickets, in the order in which they are served
	resumed int           // the number of atFront tickets in waiters; they are served before new requests

	restsUntil time.Time
}

// ticket represents one right that a caller holds or waits for.
type ticket struct {
	held    bool
	at      place
	since   time.Time // when the right was granted or the owner was last charged for it
	granted chan struct{}
}

// manyUsers is the smallest number of users at which idle users are removed.
const manyUsers = 1024

func newFairQueue(size int, now func() time.Time) *fairQueue {
	return &fairQueue{now: now, size: size, free: size, users: map[string]*user{}, sweep: manyUsers}
}

// place is the position of a new ticket among the waiting tickets of its owner.
type place bool

const (
	atBack place = false
	// atFront puts a ticket behind the other tickets at the front and before all
	// tickets at the back. It is used for requests that have started, so that they
	// finish before new requests begin.
	atFront place = true
)

// acquire waits for a right. If ctx ends first, it returns the error of ctx and no
// right is granted.
func (q *fairQueue) acquire(ctx context.Context, owner string, t *ticket, at place) error {
	if q.enqueue(owner, t, at) {
		return nil
	}
	select {
	case <-t.granted:
		return nil
	case <-ctx.Done():
		if q.withdraw(owner, t) {
			return ctx.Err()
		}
		return nil // the right was granted at the same time
	}
}

// acquireWithin waits for a right until the context ends or the timeout expires.
// t.held reports whether the right was granted.
func (q *fairQueue) acquireWithin(ctx context.Context, owner string, t *ticket, at place, timeout time.Duration) {
	t.since = q.now() // set now, because the caller reads t.since even without the right
	if q.enqueue(owner, t, at) {
		return
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-t.granted:
		return
	case <-ctx.Done():
	case <-timer.C:
	}
	q.withdraw(owner, t)
}

// user returns the state of an owner and creates it if needed. The caller must hold
// the lock.
func (q *fairQueue) user(owner string) *user {
	u := q.users[owner]
	if u == nil {
		q.forget()
		u = &user{name: owner}
		q.users[owner] = u
	}
	return u
}

// enqueue grants a right immediately if one is free and the owner need not wait or
// rest. Otherwise it queues the ticket.
func (q *fairQueue) enqueue(owner string, t *ticket, at place) (granted bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t.at = at
	u := q.user(owner)
	if u.active == 0 && len(u.waiters) == 0 {
		u.used = max(u.used, q.clock) // an idle owner gains no credit
	}
	if q.free > 0 && len(u.waiters) == 0 && q.rest(u, at) == 0 {
		q.grant(u, t)
		return true
	}
	t.granted = make(chan struct{})
	if len(u.waiters) == 0 {
		q.queue = append(q.queue, u)
	}
	if at == atFront {
		u.waiters = slices.Insert(u.waiters, u.resumed, t)
		u.resumed++
	} else {
		u.waiters = append(u.waiters, t)
	}
	q.waiting.Add(1)
	q.dispatch()
	return false
}

// othersWait reports whether an owner other than the given one is waiting.
func (q *fairQueue) othersWait(owner string) bool {
	if q.waiting.Load() == 0 {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.queue) > 1 || len(q.queue) == 1 && q.queue[0].name != owner
}

// grant marks a right as held by u. The caller must hold the lock.
func (q *fairQueue) grant(u *user, t *ticket) {
	q.free--
	u.active++
	q.clock = max(q.clock, u.used)
	t.held, t.since = true, q.now()
	if t.at == atBack && q.begin != nil {
		q.begin(u.name)
	}
}

// release takes back a right if it is held, charges its owner for the time, and calls
// dispatch if owners are waiting.
func (q *fairQueue) release(owner string, t *ticket) {
	if !t.held {
		return
	}
	t.held = false
	q.mu.Lock()
	defer q.mu.Unlock()
	u := q.users[owner]
	u.active--
	q.use(u, t)
	q.free++
	if len(q.queue) == 0 {
		if q.free == q.size {
			q.clock = q.most // no owner uses or waits for a right, so all owners start equal again
		}
		return
	}
	q.dispatch()
}

// dispatch grants the free rights to waiting owners, first to the owner that has used
// the least time. It skips owners that must rest. The caller must hold the lock.
func (q *fairQueue) dispatch() {
	for q.free > 0 && len(q.queue) > 0 {
		next, soonest := -1, time.Duration(0)
		for i, u := range q.queue {
			if rest := q.rest(u, u.waiters[0].at); rest > 0 {
				if soonest == 0 || rest < soonest {
					soonest = rest
				}
			} else if next < 0 || u.used < q.queue[next].used {
				next = i
			}
		}
		if next < 0 {
			q.dispatchAfter(soonest)
			return
		}
		u := q.queue[next]
		first := u.waiters[0]
		q.dequeue(next, 0)
		q.grant(u, first)
		close(first.granted)
	}
}

// dispatchAfter starts or shortens the timer, so that dispatch is called again after d
// at the latest. The caller must hold the lock.
func (q *fairQueue) dispatchAfter(d time.Duration) {
	due := q.now().Add(d)
	if q.timer != nil {
		if due.Before(q.due) {
			q.due = due
			q.timer.Reset(d)
		}
		return
	}
	q.due = due
	q.timer = time.AfterFunc(d, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.timer = nil
		q.dispatch()
	})
}

// rest returns how much longer an owner must rest because other owners are active. If the result is 0 or less, the rest
// is over. The result is at most longestSleep, because dispatch then checks the owner again. Without a rest, an owner
// that floods would use every moment in which no other owner waits, and the next requests of other owners would wait
// behind it. If the rest is over but the owner may not begin another request, rest returns the length of a slice. The
// caller must hold the lock.
func (q *fairQueue) rest(u *user, at place) time.Duration {
	if q.restFactor == 0 || !q.mustRest(u.name) {
		return 0
	}
	rest := min(u.restsUntil.Sub(q.now()), longestSleep)
	if rest <= 0 && at == atBack && q.mayBegin != nil && !q.mayBegin(u.name) {
		return slice
	}
	return rest
}

// charge charges the owner for the time since the last charge, for a right that it
// continues to hold.
func (q *fairQueue) charge(owner string, t *ticket) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.use(q.users[owner], t)
	t.since = q.now()
}

// use adds the time since the right was granted or last charged, but at least
// leastCharge, to the time that the owner has used. The caller must hold the lock.
func (q *fairQueue) use(u *user, t *ticket) {
	q.add(u, t.since, max(leastCharge, q.now().Sub(t.since)))
}

// add adds the duration "used" to the time that an owner has used, and extends the owner's rest. The work began
// at the time "since". The caller must hold the lock.
func (q *fairQueue) add(u *user, since time.Time, used time.Duration) {
	u.used += used
	q.most = max(q.most, u.used)
	if u.restsUntil.Before(since) {
		u.restsUntil = since
	}
	// One piece of work causes a rest of at most used × restFactor, as in a queue with one right, and of at
	// most longestRest. A short piece of work does not shorten the rest after a longer one.
	rests := u.restsUntil.Add(q.restFactor * used / time.Duration(q.size))
	if most := q.now().Add(min(q.restFactor*used, longestRest)); rests.After(most) {
		rests = most
	}
	if rests.After(u.restsUntil) {
		u.restsUntil = rests
	}
}

// owe charges an owner for processor time that other goroutines or processes spent on
// its behalf. It ignores an owner that is not known.
func (q *fairQueue) owe(owner string, used time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if u := q.users[owner]; u != nil {
		q.add(u, q.now(), used)
	}
}

// withdraw removes a ticket whose caller no longer waits. It returns false if the
// right was granted in the meantime.
func (q *fairQueue) withdraw(owner string, t *ticket) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, u := range q.queue {
		if u.name != owner {
			continue
		}
		if k := slices.Index(u.waiters, t); k >= 0 {
			q.dequeue(i, k)
			return true
		}
	}
	return false
}

// dequeue removes the k-th waiter of the i-th user in the queue. The caller must hold
// the lock.
func (q *fairQueue) dequeue(i, k int) {
	u := q.queue[i]
	u.waiters = slices.Delete(u.waiters, k, k+1)
	if k < u.resumed {
		u.resumed--
	}
	if len(u.waiters) == 0 {
		q.queue = slices.Delete(q.queue, i, i+1)
	}
	q.waiting.Add(-1)
}

// forget removes idle users once there are many users. It keeps an idle user that has used more time than others.
func (q *fairQueue) forget() {
	if len(q.users) < q.sweep {
		return
	}
	for name, u := range q.users {
		if u.active == 0 && len(u.waiters) == 0 && u.used <= q.clock {
			delete(q.users, name)
		}
	}
	q.sweep = max(manyUsers, 2*len(q.users))
}

// held returns the number of rights that are granted.
func (q *fairQueue) held() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.size - q.free
}
