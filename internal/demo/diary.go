package demo

import (
	"container/heap"
	"context"
	"fmt"
	"sync"
	"time"
)

// clock is the time of day in the demonstration. It is moved along the diary.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// set moves the clock on; it is never set back.
func (c *clock) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at.After(c.at) {
		c.at = at
	}
}

// entry is something that somebody does at a time.
type entry struct {
	at    time.Time
	order int // of entries at the same time
	what  string
	do    func(context.Context) error
}

// diary is what is still to be done, the earliest first.
type diary struct {
	entries pile
	added   int
}

// add notes something to be done. It may be called by what is being done.
func (d *diary) add(at time.Time, what string, do func(context.Context) error) {
	d.added++
	heap.Push(&d.entries, entry{at, d.added, what, do})
}

// pile is a heap of entries.
type pile []entry

// Len is how many there are.
func (p *pile) Len() int { return len(*p) }

// Less is by time, and then in the order in which they were added.
func (p *pile) Less(i, j int) bool {
	a, b := (*p)[i], (*p)[j]
	if !a.at.Equal(b.at) {
		return a.at.Before(b.at)
	}
	return a.order < b.order
}

// Swap exchanges two entries.
func (p *pile) Swap(i, j int) { (*p)[i], (*p)[j] = (*p)[j], (*p)[i] }

// Push appends; heap moves it to its place.
func (p *pile) Push(x any) {
	if e, ok := x.(entry); ok {
		*p = append(*p, e)
	}
}

// Pop takes the last, which heap has made the earliest.
func (p *pile) Pop() any {
	last := len(*p) - 1
	e := (*p)[last]
	*p = (*p)[:last]
	return e
}

// run does what is in the diary, day by day.
func (f *fill) run(ctx context.Context) error {
	var done int64
	step := func() {
		if done++; f.options.Progress != nil {
			f.options.Progress(done, done+int64(f.diary.entries.Len()))
		}
	}
	for f.diary.entries.Len() > 0 {
		next, _ := heap.Pop(&f.diary.entries).(entry)
		if next.at.After(f.end) {
			step() // it would be in the future
			continue
		}
		if next.at.Sub(f.clock.now()) > time.Hour {
			f.settle(ctx)
		}
		f.clock.set(next.at)
		if err := next.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", next.what, err)
		}
		step()
	}
	f.settle(ctx)
	f.clock.set(f.end)
	return nil
}

// settle has the service store what it gathers in memory, so that statistics
// stand under the day on which they were made.
func (f *fill) settle(ctx context.Context) {
	over, cancel := context.WithCancel(ctx)
	cancel()
	f.service.Run(over)
}
