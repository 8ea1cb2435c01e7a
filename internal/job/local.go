package job

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"verdict/internal/operation"
)

// Local runs chunks in this process, for a database that no other process uses.
// Its queue is in memory: after a restart, unfinished chunks are enqueued again.
type Local struct {
	workers int
	logger  *slog.Logger
	mu      sync.Mutex
	waiting [urgencies][]operation.Chunk
	known   map[operation.Chunk]struct{} // chunks that are waiting or running
	more    chan struct{}                // has capacity 1; wakes a worker
}

// NewLocal returns a Local. workers is the number of chunks that it runs at a time.
func NewLocal(workers int, logger *slog.Logger) *Local {
	return &Local{workers: workers, logger: logger, known: map[operation.Chunk]struct{}{}, more: make(chan struct{}, 1)}
}

// Enqueue enqueues chunks. It ignores chunks that are already waiting or running.
// It never blocks.
func (l *Local) Enqueue(_ context.Context, chunks []operation.Chunk) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range chunks {
		if _, known := l.known[c]; known {
			continue
		}
		l.known[c] = struct{}{}
		level := &l.waiting[urgency(c)-1]
		*level = append(*level, c)
	}
	l.wake()
	return nil
}

func (l *Local) wake() {
	select {
	case l.more <- struct{}{}:
	default: // a wake-up is already pending
	}
}

// next removes and returns the most urgent chunk. It wakes another worker, because
// more chunks may be waiting and the channel holds only one wake-up. found is
// false if no chunk is waiting.
func (l *Local) next() (c operation.Chunk, found bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.waiting {
		level := &l.waiting[i]
		if len(*level) == 0 {
			continue
		}
		c, *level = (*level)[0], (*level)[1:]
		l.wake()
		return c, true
	}
	return operation.Chunk{}, false
}

func (l *Local) forget(c operation.Chunk) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.known, c)
}

// Run runs chunks until ctx ends. Running chunks then have stopTimeout to finish.
// Run may be called only once.
func (l *Local) Run(ctx context.Context, work Work, giveUp GiveUp) error {
	h := &runner{work: work, giveUp: giveUp, logger: l.logger}
	underWay, interrupt := context.WithCancel(context.WithoutCancel(ctx))
	defer interrupt()
	stop := context.AfterFunc(ctx, func() {
		if operation.Sleep(underWay, stopTimeout) == nil {
			interrupt()
		}
	})
	defer stop()
	var all sync.WaitGroup
	for range l.workers {
		all.Go(func() { l.serve(ctx, underWay, h) })
	}
	all.Wait()
	return nil
}

// serve runs one chunk after another until ctx ends.
func (l *Local) serve(ctx, underWay context.Context, h *runner) {
	for {
		c, found := l.next()
		if ctx.Err() != nil {
			return // the chunk is enqueued again at the next start
		}
		if found {
			l.do(ctx, underWay, h, c)
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-l.more:
		}
	}
}

// do tries a chunk until it succeeds, is given up, or ctx ends. The worker does nothing else during the pauses, because
// an attempt usually fails if the database fails, and then every other chunk would fail too.
func (l *Local) do(ctx, underWay context.Context, h *runner, c operation.Chunk) {
	defer l.forget(c)
	for attempt := 1; attempt <= attempts+1; attempt++ {
		bounded, cancel := context.WithTimeout(underWay, attemptTimeout)
		err := h.try(bounded, c, attempt)
		cancel()
		if err == nil {
			return
		}
		wait := pause(attempt)
		if errors.Is(err, operation.ErrUnfinished) {
			attempt, wait = attempt-1, 0
		}
		if operation.Sleep(ctx, wait) != nil {
			return
		}
	}
}

// Close does nothing.
func (*Local) Close() error { return nil }
