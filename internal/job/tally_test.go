package job_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"verdict/internal/job"
	"verdict/internal/operation"
)

var quiet = slog.New(slog.DiscardHandler)

// chunksOf returns the chunks of one run.
func chunksOf(backtest string, n int64) []operation.Chunk {
	chunks := make([]operation.Chunk, n)
	for i := range chunks {
		chunks[i] = operation.Chunk{TenantID: "ten_A", Environment: "sandbox", JobID: backtest, Number: int64(i + 1)}
	}
	return chunks
}

// tally counts which chunks ran, and on which node.
type tally struct {
	mu     sync.Mutex
	want   int
	times  map[operation.Chunk]int
	byWhom map[string]int
	all    chan struct{} // closed when the wanted number of different chunks has run
}

func newTally(want int) *tally {
	return &tally{want: want, times: map[operation.Chunk]int{}, byWhom: map[string]int{}, all: make(chan struct{})}
}

func (t *tally) done(who string, c operation.Chunk) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.times[c]++
	t.byWhom[who]++
	if len(t.times) == t.want && t.times[c] == 1 {
		close(t.all)
	}
}

// wantOnce checks that every chunk ran exactly once.
func (t *tally) wantOnce(tb testing.TB) {
	tb.Helper()
	t.mu.Lock()
	defer t.mu.Unlock()
	for c, times := range t.times {
		if times != 1 {
			tb.Errorf("chunk %d was done %d times", c.Number, times)
		}
	}
	if len(t.times) != t.want {
		tb.Errorf("%d of %d chunks were done", len(t.times), t.want)
	}
}

// unwanted returns an error. It is the GiveUp function of tests in which no chunk may be given up.
func unwanted(context.Context, operation.Chunk) error {
	return fmt.Errorf("a chunk was given up")
}

// runner is a queue of either kind.
type runner interface {
	operation.ChunkQueue
	Run(ctx context.Context, work job.Work, giveUp job.GiveUp) error
	Close() error
}

// running runs a queue until stop is called. stop waits until the queue has ended.
func running(tb testing.TB, r runner, work job.Work, giveUp job.GiveUp) (stop func()) {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		if err := r.Run(ctx, work, giveUp); err != nil {
			tb.Error(err)
		}
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-over
	})
	tb.Cleanup(stop)
	return stop
}

func spread(tb testing.TB, s operation.ChunkQueue, chunks []operation.Chunk) {
	tb.Helper()
	if err := s.Enqueue(tb.Context(), chunks); err != nil {
		tb.Fatal(err)
	}
}
