package decisioning

import (
	"container/list"
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// freshCache remembers what storage said, for refreshAfter. Whoever finds an
// entry too old looks it up again while others who want the same one wait; an
// error is never remembered, and removes what was.
type freshCache[K comparable, V any] struct {
	recent recent[K, *freshEntry[V]]
	now    func() time.Time
	load   func(context.Context, K) (V, error)
}

type freshEntry[V any] struct {
	state atomic.Pointer[freshState[V]]
	turn  chan struct{} // held by the one who looks up
}

type freshState[V any] struct {
	value V
	at    time.Time
}

func newFreshCache[K comparable, V any](size int, now func() time.Time, load func(context.Context, K) (V, error)) *freshCache[K, V] {
	return &freshCache[K, V]{recent: newRecent[K, *freshEntry[V]](size), now: now, load: load}
}

// Get is the value of a key, at most refreshAfter old.
func (c *freshCache[K, V]) Get(ctx context.Context, key K) (V, error) {
	e := c.recent.getOr(key, func() *freshEntry[V] { return &freshEntry[V]{turn: make(chan struct{}, 1)} })
	if s := e.state.Load(); s != nil && c.fresh(s) {
		return s.value, nil
	}
	var none V
	select {
	case e.turn <- struct{}{}:
		defer func() { <-e.turn }()
	case <-ctx.Done():
		return none, ctx.Err()
	}
	if s := e.state.Load(); s != nil && c.fresh(s) {
		return s.value, nil
	}
	at := c.now() // before the lookup: what is read may be old by the time it arrives
	value, err := c.load(ctx, key)
	if err != nil {
		e.state.Store(nil)
		c.recent.remove(key)
		return none, err
	}
	e.state.Store(&freshState[V]{value, at})
	return value, nil
}

// fresh also refuses an entry from the future, which a clock that was set back
// leaves behind.
func (c *freshCache[K, V]) fresh(s *freshState[V]) bool {
	age := c.now().Sub(s.at)
	return age >= 0 && age < refreshAfter
}

// Forget makes the next Get look up.
func (c *freshCache[K, V]) Forget(key K) { c.recent.remove(key) }

// recent is a bounded map that lets go of what was longest not asked for.
type recent[K comparable, V any] struct {
	mu    *sync.Mutex
	size  int
	order *list.List // of *recentItem, the latest in front
	items map[K]*list.Element
}

type recentItem[K comparable, V any] struct {
	key   K
	value V
}

// itemAt is what the list holds; it holds nothing else.
func itemAt[K comparable, V any](at *list.Element) *recentItem[K, V] {
	item, _ := at.Value.(*recentItem[K, V])
	return item
}

func newRecent[K comparable, V any](size int) recent[K, V] {
	return recent[K, V]{mu: &sync.Mutex{}, size: size, order: list.New(), items: map[K]*list.Element{}}
}

func (r *recent[K, V]) get(key K) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, ok := r.items[key]; ok {
		r.order.MoveToFront(at)
		return itemAt[K, V](at).value, true
	}
	var none V
	return none, false
}

// getOr is get, with what first gives put in when there is nothing.
func (r *recent[K, V]) getOr(key K, first func() V) V {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, ok := r.items[key]; ok {
		r.order.MoveToFront(at)
		return itemAt[K, V](at).value
	}
	value := first()
	r.items[key] = r.order.PushFront(&recentItem[K, V]{key, value})
	if r.order.Len() > r.size {
		last := r.order.Back()
		r.order.Remove(last)
		delete(r.items, itemAt[K, V](last).key)
	}
	return value
}

func (r *recent[K, V]) remove(key K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, ok := r.items[key]; ok {
		r.order.Remove(at)
		delete(r.items, key)
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
