package job

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"verdict/internal/study"
)

// Local does chunks in this process, for a database that has no other. It
// remembers nothing beyond the process: at the next start they are spread again.
type Local struct {
	workers int
	logger  *slog.Logger
	mu      sync.Mutex
	waiting [urgencies][]study.Chunk
	known   map[study.Chunk]struct{} // waiting or under way
	more    chan struct{}            // has room for one: somebody is to look
}

// NewLocal makes a Local that does so many chunks at once.
func NewLocal(workers int, logger *slog.Logger) *Local {
	return &Local{workers: workers, logger: logger, known: map[study.Chunk]struct{}{}, more: make(chan struct{}, 1)}
}

// Spread notes chunks to be done; those that wait or are under way already it
// leaves as they are. It never waits.
func (l *Local) Spread(_ context.Context, chunks []study.Chunk) error {
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
	default: // somebody is about to look already
	}
}

// next takes the most urgent chunk. When there are more it wakes the next
// worker, who would otherwise not hear of them.
func (l *Local) next() (c study.Chunk, found bool) {
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
	return study.Chunk{}, false
}

func (l *Local) forget(c study.Chunk) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.known, c)
}

// Run does chunks until ctx ends; those under way are given a moment to finish.
// It may be called once.
func (l *Local) Run(ctx context.Context, work Work, giveUp GiveUp) error {
	h := &hand{work: work, giveUp: giveUp, logger: l.logger}
	underWay, interrupt := context.WithCancel(context.WithoutCancel(ctx))
	defer interrupt()
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(stopTimeout)
		defer timer.Stop()
		select {
		case <-timer.C:
			interrupt()
		case <-underWay.Done():
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

// serve does one chunk after another until ctx ends.
func (l *Local) serve(ctx, underWay context.Context, h *hand) {
	for {
		c, found := l.next()
		if ctx.Err() != nil {
			return // the chunk is found again at the next start
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

// do tries a chunk until it is done or given up. Between two attempts others
// could have the worker; but what fails here is the one database all depend on.
func (l *Local) do(ctx, underWay context.Context, h *hand, c study.Chunk) {
	defer l.forget(c)
	for attempt := 1; attempt <= attempts+1; attempt++ {
		bounded, cancel := context.WithTimeout(underWay, attemptTimeout)
		err := h.try(bounded, c, attempt)
		cancel()
		if err == nil {
			return
		}
		timer := time.NewTimer(pause(attempt))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// Close has nothing to give back.
func (*Local) Close() error { return nil }
