package demo

import (
	"container/heap"
	"context"
	"fmt"
	"sync"
	"time"
)

// clock is the simulated clock. Running the schedule moves it.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// set moves the clock forward to the given time. It never moves the clock back.
func (c *clock) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at.After(c.at) {
		c.at = at
	}
}

// entry is an action that is scheduled at a time.
type entry struct {
	at    time.Time
	order int // breaks ties between entries at the same time
	what  string
	do    func(context.Context) error
}

// schedule holds the actions that have not run yet, the earliest first.
type schedule struct {
	entries entryHeap
	added   int
}

// add schedules an action. An action that is running may call add.
func (d *schedule) add(at time.Time, what string, do func(context.Context) error) {
	d.added++
	heap.Push(&d.entries, entry{at, d.added, what, do})
}

// entryHeap is a heap of entries.
type entryHeap []entry

// Len returns the number of entries.
func (p *entryHeap) Len() int { return len(*p) }

// Less orders entries by time, and then by the order in which they were added.
func (p *entryHeap) Less(i, j int) bool {
	a, b := (*p)[i], (*p)[j]
	if !a.at.Equal(b.at) {
		return a.at.Before(b.at)
	}
	return a.order < b.order
}

// Swap exchanges two entries.
func (p *entryHeap) Swap(i, j int) { (*p)[i], (*p)[j] = (*p)[j], (*p)[i] }

// Push appends an entry, as container/heap requires.
func (p *entryHeap) Push(x any) {
	if e, ok := x.(entry); ok {
		*p = append(*p, e)
	}
}

// Pop removes the last entry, as container/heap requires.
func (p *entryHeap) Pop() any {
	last := len(*p) - 1
	e := (*p)[last]
	*p = (*p)[:last]
	return e
}

// run runs the scheduled actions in order of time.
func (f *fill) run(ctx context.Context) error {
	var done int64
	step := func() {
		if done++; f.options.Progress != nil {
			f.options.Progress(done, done+int64(f.schedule.entries.Len()))
		}
	}
	for f.schedule.entries.Len() > 0 {
		next, _ := heap.Pop(&f.schedule.entries).(entry)
		if next.at.After(f.end) {
			step() // skip actions in the future
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

// settle makes the service store the data that it has collected in memory, so
// that statistics are recorded under the day on which they were collected.
func (f *fill) settle(ctx context.Context) {
	over, cancel := context.WithCancel(ctx)
	cancel()
	f.service.Run(over)
}
