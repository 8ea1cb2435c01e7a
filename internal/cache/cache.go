// Package cache stores values that were loaded from storage.
package cache

import (
	"container/list"
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
type Cache[K comparable, V any] struct {
	recent recent[K, *cached[V]]
	now    func() time.Time
	maxAge time.Duration // 0: values never expire
	load   func(context.Context, K) (V, error)
	weigh  func(V) int // nil: the weight of values is not bounded
}

type cached[V any] struct {
	mu      sync.Mutex
	known   bool
	value   V
	at      time.Time
	loading *lookup[V] // nil if no lookup is running
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
	return &Cache[K, V]{recent: newRecent[K, *cached[V]](size), now: now, maxAge: maxAge, load: load}
}

// Bound limits the total weight of all values; weigh returns the weight of a value. The least
// recently used values are evicted first. Bound must be called before the cache is used.
func (c *Cache[K, V]) Bound(weight int, weigh func(V) int) { c.recent.room, c.weigh = weight, weigh }

// Usage returns the number of keys, their total weight, and the limit on the total weight,
// which is 0 if there is no limit.
func (c *Cache[K, V]) Usage() (held, weight, most int) {
	c.recent.mu.Lock()
	defer c.recent.mu.Unlock()
	return len(c.recent.items), c.recent.weight, c.recent.room
}

// Get returns the cached value of a key if it has not expired. Otherwise it loads the value
// and returns the error of the load, or the error of ctx if ctx ends first.
func (c *Cache[K, V]) Get(ctx context.Context, key K) (V, error) {
	e := c.recent.getOr(key, func() *cached[V] { return &cached[V]{} })
	e.mu.Lock()
	fresh := e.known && c.fresh(e.at)
	l := e.loading
	if l == nil && (!fresh || c.expiresSoon(e.at)) {
		l = &lookup[V]{done: make(chan struct{})}
		e.loading = l
		go c.look(context.WithoutCancel(ctx), key, e, l)
	}
	if fresh {
		defer e.mu.Unlock()
		return e.value, nil
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

// Peek returns the value of a key if it is cached and fresh. It never loads.
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
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	ctx, slot := admission.Fork(ctx)
	defer slot.Leave()
	at := c.now() // taken before the load, because the stored value may change during the load
	l.value, l.err = c.guardedLoad(ctx, key)
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

// fresh reports whether a value that was loaded at the given time has not expired. A time in
// the future, which can occur after the clock was set back, is not fresh.
func (c *Cache[K, V]) fresh(at time.Time) bool {
	if c.maxAge == 0 {
		return true
	}
	age := c.now().Sub(at)
	return age >= 0 && age < c.maxAge
}

// expiresSoon reports whether a fresh value has used up three quarters of maxAge.
func (c *Cache[K, V]) expiresSoon(at time.Time) bool {
	return c.maxAge > 0 && c.now().Sub(at) >= c.maxAge/4*3
}

// Forget removes a key, so that the next Get loads its value.
func (c *Cache[K, V]) Forget(key K) { c.recent.remove(key) }

// Each calls visit for every cached value, fresh or not.
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

// recent is a bounded map that evicts the least recently used key.
type recent[K comparable, V any] struct {
	mu     *sync.Mutex
	size   int
	room   int // limit of the total weight; 0: no limit
	weight int
	order  *list.List // the elements are *recentItem, the most recently used first
	items  map[K]*list.Element
}

type recentItem[K comparable, V any] struct {
	key    K
	value  V
	weight int
}

func itemAt[K comparable, V any](at *list.Element) *recentItem[K, V] {
	item, _ := at.Value.(*recentItem[K, V])
	return item
}

func newRecent[K comparable, V any](size int) recent[K, V] {
	return recent[K, V]{mu: &sync.Mutex{}, size: size, order: list.New(), items: map[K]*list.Element{}}
}

// getOr returns the value of a key. If the key has none, it adds the result of
// create.
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

// peek returns the value of a key, without marking it as recently used.
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

// weigh sets the weight of a key. While the total weight exceeds the field room, it evicts the least recently used
// key, but never the last remaining key.
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

// each calls visit for every value, without marking any as recently used.
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
