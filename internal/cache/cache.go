// Package cache stores values that were loaded from storage.
package cache

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"verdict/internal/admission"
)

// Cache stores loaded values by key. Concurrent callers with the same key share a single
// lookup and its result, so a database that hangs gets one query and not one from each
// caller. A value that is about to expire is loaded again in the background, while callers
// still get the old value. Otherwise all requests of a tenant would have to wait for a lookup
// several times a second, and a lookup takes long on a busy machine. An error is not cached,
// and it removes the cached value.
//
// The values are a queue. To make room, the oldest value is evicted, unless it was used: then it gets a second chance
// at the other end of the queue. So a Get changes no other value. In a list by last use, each Get would write to four
// values that are rarely in the processor's cache.
type Cache[K comparable, V any] struct {
	size   int
	room   int // limit of the total weight; 0: no limit
	now    func() time.Time
	maxAge time.Duration // 0: values never expire
	load   func(context.Context, K) (V, error)
	weigh  func(V) int // nil: the weight of values is not bounded

	mu     sync.Mutex
	items  map[K]*cached[K, V]
	ends   cached[K, V] // ends.older is the newest value, ends.newer the oldest one
	weight int
}

// cached is a value, or the place of one that is being loaded.
type cached[K comparable, V any] struct {
	key          K
	older, newer *cached[K, V]
	used         bool // it was used since it was put at its place in the queue
	known        bool
	value        V
	at           time.Time
	weight       int
	loading      *lookup[V] // nil if no lookup is running
}

// lookup is one load from storage. All waiting callers share its result.
type lookup[V any] struct {
	done  chan struct{}
	value V
	err   error
}

// lookupTimeout bounds a lookup. The deadline of the first caller does not apply,
// because other callers wait for the same result.
const lookupTimeout = 5 * time.Second

// New returns a cache of at most size keys. load reads the value of a key from
// storage. A value expires after maxAge; 0 means never.
func New[K comparable, V any](
	size int, maxAge time.Duration, now func() time.Time, load func(context.Context, K) (V, error),
) *Cache[K, V] {
	c := &Cache[K, V]{size: size, now: now, maxAge: maxAge, load: load, items: map[K]*cached[K, V]{}}
	c.ends.older, c.ends.newer = &c.ends, &c.ends
	return c
}

// Bound limits the total weight of all values; weigh returns the weight of a value. Bound must be called before the
// cache is used.
func (c *Cache[K, V]) Bound(weight int, weigh func(V) int) { c.room, c.weigh = weight, weigh }

// Usage returns the number of keys, their total weight, and the limit on the total weight,
// which is 0 if there is no limit.
func (c *Cache[K, V]) Usage() (held, weight, most int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.items), c.weight, c.room
}

// Get returns the cached value of a key if it has not expired. Otherwise it loads the value
// and returns the error of the load, or the error of ctx if ctx ends first.
func (c *Cache[K, V]) Get(ctx context.Context, key K) (V, error) {
	now := c.clock()
	c.mu.Lock()
	e, ok := c.items[key]
	if ok {
		e.used = true
	} else {
		e = c.add(key)
	}
	fresh, soon := c.fresh(e, now)
	if fresh && (!soon || e.loading != nil) {
		value := e.value
		c.mu.Unlock()
		return value, nil
	}
	l := e.loading
	if l == nil {
		l = &lookup[V]{done: make(chan struct{})}
		e.loading = l
		go c.look(context.WithoutCancel(ctx), e, l)
	}
	value := e.value
	c.mu.Unlock()
	if fresh {
		return value, nil
	}

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

// Peek returns the value of a key if it is cached and fresh. It never loads.
func (c *Cache[K, V]) Peek(key K) (value V, ok bool) {
	now := c.clock()
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[key]
	if !ok {
		return value, false
	}
	if fresh, _ := c.fresh(e, now); !fresh {
		return value, false
	}
	return e.value, true
}

func (c *Cache[K, V]) look(ctx context.Context, e *cached[K, V], l *lookup[V]) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	ctx, slot := admission.Fork(ctx)
	defer slot.Leave()
	at := c.clock() // taken before the load, because the stored value may change during the load
	l.value, l.err = c.guardedLoad(ctx, e.key)
	c.settle(e, l, at)
	close(l.done)
}

// settle stores the result of a lookup, unless its key was removed meanwhile.
func (c *Cache[K, V]) settle(e *cached[K, V], l *lookup[V], at time.Time) {
	var weight int
	if c.weigh != nil && l.err == nil {
		weight = c.weigh(l.value)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e.loading = nil
	switch {
	case c.items[e.key] != e:
	case l.err != nil:
		c.drop(e)
	default:
		e.known, e.value, e.at = true, l.value, at
		c.weight += weight - e.weight
		e.weight = weight
		c.evict(e)
	}
}

// clock returns the time, or the zero time if values never expire.
func (c *Cache[K, V]) clock() (now time.Time) {
	if c.maxAge > 0 {
		now = c.now()
	}
	return now
}

// fresh reports whether e has a value that has not expired, and whether that value has used up three quarters of
// maxAge. A value that was loaded in the future, which can occur after the clock was set back, is not fresh.
func (c *Cache[K, V]) fresh(e *cached[K, V], now time.Time) (fresh, soon bool) {
	if c.maxAge == 0 {
		return e.known, false
	}
	age := now.Sub(e.at)
	if age < 0 { // perhaps the value was loaded after the caller read the clock
		age = c.now().Sub(e.at)
	}
	return e.known && age >= 0 && age < c.maxAge, age >= c.maxAge/4*3
}

// Forget removes a key, so that the next Get loads its value.
func (c *Cache[K, V]) Forget(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[key]; ok {
		c.drop(e)
	}
}

// Each calls visit for every cached value, fresh or not. visit may use the cache.
func (c *Cache[K, V]) Each(visit func(V)) {
	c.mu.Lock()
	values := make([]V, 0, len(c.items))
	for e := c.ends.older; e != &c.ends; e = e.older {
		if e.known {
			values = append(values, e.value)
		}
	}
	c.mu.Unlock()
	for _, v := range values {
		visit(v)
	}
}

// add adds a key without a value.
func (c *Cache[K, V]) add(key K) *cached[K, V] {
	e := &cached[K, V]{key: key}
	c.items[key] = e
	c.enqueue(e)
	c.evict(e)
	return e
}

// evict removes values until those that are left fit. It never removes e.
func (c *Cache[K, V]) evict(e *cached[K, V]) {
	for len(c.items) > 1 && (len(c.items) > c.size || c.room > 0 && c.weight > c.room) {
		oldest := c.ends.newer
		if oldest != e && !oldest.used {
			c.drop(oldest)
			continue
		}
		oldest.used = false
		oldest.leave()
		c.enqueue(oldest)
	}
}

func (c *Cache[K, V]) drop(e *cached[K, V]) {
	e.leave()
	delete(c.items, e.key)
	c.weight -= e.weight
}

// enqueue puts e at the new end of the queue.
func (c *Cache[K, V]) enqueue(e *cached[K, V]) {
	e.older, e.newer = c.ends.older, &c.ends
	e.older.newer, e.newer.older = e, e
}

// leave takes e out of the queue.
func (e *cached[K, V]) leave() { e.older.newer, e.newer.older = e.newer, e.older }

// RefreshAfter is the maximum age of cached values that other nodes may change. So a revoked
// key or an activated policy takes effect on every node within a second.
const RefreshAfter = 500 * time.Millisecond

// guardedLoad calls load and turns a panic into an error. A lookup runs on a goroutine
// of its own, where a panic would end the whole service.
func (c *Cache[K, V]) guardedLoad(ctx context.Context, key K) (value V, err error) {
	defer func() {
		if p := recover(); p != nil {
			// Report only the stack. Errors are logged, and the value of the panic may
			// contain data that a tenant has sent.
			err = fmt.Errorf("a lookup panicked\n%s", debug.Stack())
		}
	}()
	return c.load(ctx, key)
}
