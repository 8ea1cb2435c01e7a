// Package cache keeps what storage said, for as long as it may be believed.
package cache

import (
	"container/list"
	"context"
	"sync"
	"time"

	"verdict/internal/admission"
)

// Cache remembers what storage said. One caller looks a thing up while all who
// want the same one wait for what comes of it, good or bad: a database that
// hangs is asked once and not once for each of them. An error is never
// remembered, and removes what was.
type Cache[K comparable, V any] struct {
	recent recent[K, *cached[V]]
	now    func() time.Time
	maxAge time.Duration // 0: what was found never changes
	load   func(context.Context, K) (V, error)
	weigh  func(V) int // nil: what is kept is small
}

type cached[V any] struct {
	mu      sync.Mutex
	known   bool
	value   V
	at      time.Time
	loading *lookup[V] // nil when nobody looks
}

// lookup is one question to storage, and everybody's answer.
type lookup[V any] struct {
	done  chan struct{}
	value V
	err   error
}

// lookupWait bounds a lookup. It is not the asking caller's own patience: the
// answer is for the others too.
const lookupWait = 5 * time.Second

func New[K comparable, V any](size int, maxAge time.Duration, now func() time.Time, load func(context.Context, K) (V, error)) *Cache[K, V] {
	return &Cache[K, V]{recent: newRecent[K, *cached[V]](size), now: now, maxAge: maxAge, load: load}
}

// Bound limits the weight of all values together: those that were longest not asked
// for go first.
func (c *Cache[K, V]) Bound(weight int, weigh func(V) int) { c.recent.room, c.weigh = weight, weigh }

// Usage returns how many keys are held, what they weigh together and what they may
// weigh, 0 for any weight.
func (c *Cache[K, V]) Usage() (held, weight, most int) {
	c.recent.mu.Lock()
	defer c.recent.mu.Unlock()
	return len(c.recent.items), c.recent.weight, c.recent.room
}

// Get is the value of a key, at most maxAge old.
func (c *Cache[K, V]) Get(ctx context.Context, key K) (V, error) {
	e := c.recent.getOr(key, func() *cached[V] { return &cached[V]{} })
	e.mu.Lock()
	if e.known && c.fresh(e.at) {
		defer e.mu.Unlock()
		return e.value, nil
	}
	l := e.loading
	if l == nil {
		l = &lookup[V]{done: make(chan struct{})}
		e.loading = l
		go c.look(context.WithoutCancel(ctx), key, e, l)
	}
	e.mu.Unlock()
	slot := admission.SlotOf(ctx)
	slot.Pause()
	defer slot.Resume()
	select {
	case <-l.done:
		return l.value, l.err
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
}

// Peek returns the value of a key if it is known, without looking it up.
func (c *Cache[K, V]) Peek(key K) (value V, ok bool) {
	e, ok := c.recent.peek(key)
	if !ok {
		return value, false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.known || !c.fresh(e.at) {
		return value, false
	}
	return e.value, true
}

func (c *Cache[K, V]) look(ctx context.Context, key K, e *cached[V], l *lookup[V]) {
	ctx, cancel := context.WithTimeout(ctx, lookupWait)
	defer cancel()
	ctx, slot := admission.Fork(ctx)
	defer slot.Leave()
	at := c.now() // before the lookup: what is read may be old by the time it arrives
	l.value, l.err = c.load(ctx, key)
	e.mu.Lock()
	e.loading = nil
	if e.known = l.err == nil; e.known {
		e.value, e.at = l.value, at
	}
	e.mu.Unlock()
	switch {
	case l.err != nil:
		c.recent.remove(key)
	case c.weigh != nil:
		c.recent.weigh(key, c.weigh(l.value))
	}
	close(l.done)
}

// fresh also refuses an entry from the future, which a clock that was set back
// leaves behind.
func (c *Cache[K, V]) fresh(at time.Time) bool {
	if c.maxAge == 0 {
		return true
	}
	age := c.now().Sub(at)
	return age >= 0 && age < c.maxAge
}

// Forget makes the next Get look up.
func (c *Cache[K, V]) Forget(key K) { c.recent.remove(key) }

// Each visits every value that is known.
func (c *Cache[K, V]) Each(visit func(V)) {
	c.recent.each(func(e *cached[V]) {
		e.mu.Lock()
		value, known := e.value, e.known
		e.mu.Unlock()
		if known {
			visit(value)
		}
	})
}

// recent is a bounded map that lets go of what was longest not asked for.
type recent[K comparable, V any] struct {
	mu     *sync.Mutex
	size   int
	room   int // for the weights of all together; 0: no bound
	weight int
	order  *list.List // of *recentItem, the latest in front
	items  map[K]*list.Element
}

type recentItem[K comparable, V any] struct {
	key    K
	value  V
	weight int
}

// itemAt is what the list holds; it holds nothing else.
func itemAt[K comparable, V any](at *list.Element) *recentItem[K, V] {
	item, _ := at.Value.(*recentItem[K, V])
	return item
}

func newRecent[K comparable, V any](size int) recent[K, V] {
	return recent[K, V]{mu: &sync.Mutex{}, size: size, order: list.New(), items: map[K]*list.Element{}}
}

// getOr is the value of a key, what create gives when there is none yet.
func (r *recent[K, V]) getOr(key K, create func() V) V {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, ok := r.items[key]; ok {
		r.order.MoveToFront(at)
		return itemAt[K, V](at).value
	}
	value := create()
	r.items[key] = r.order.PushFront(&recentItem[K, V]{key: key, value: value})
	if r.order.Len() > r.size {
		r.drop(r.order.Back())
	}
	return value
}

// peek returns the value of a key, without making it recent.
func (r *recent[K, V]) peek(key K) (value V, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, ok := r.items[key]
	if !ok {
		return value, false
	}
	return itemAt[K, V](at).value, true
}

func (r *recent[K, V]) drop(at *list.Element) {
	item := itemAt[K, V](at)
	r.order.Remove(at)
	delete(r.items, item.key)
	r.weight -= item.weight
}

// weigh says how heavy a value is, and makes room for it.
func (r *recent[K, V]) weigh(key K, weight int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, ok := r.items[key]
	if !ok {
		return
	}
	item := itemAt[K, V](at)
	r.weight += weight - item.weight
	item.weight = weight
	for r.room > 0 && r.weight > r.room && r.order.Len() > 1 {
		r.drop(r.order.Back())
	}
}

func (r *recent[K, V]) remove(key K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, ok := r.items[key]; ok {
		r.drop(at)
	}
}

// each visits every value, without changing which is recent.
func (r *recent[K, V]) each(visit func(V)) {
	r.mu.Lock()
	values := make([]V, 0, len(r.items))
	for at := r.order.Front(); at != nil; at = at.Next() {
		values = append(values, itemAt[K, V](at).value)
	}
	r.mu.Unlock()
	for _, v := range values {
		visit(v)
	}
}

// RefreshAfter is how old what a cache says may be. A revoked key and an
// activated policy reach every node within a second of it.
const RefreshAfter = 500 * time.Millisecond
