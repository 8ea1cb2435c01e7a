package httpapi_test

import (
	"context"
	"slices"
	"sync"

	"verdict/internal/study"
)

// waiting collects the chunks of large backtests until a test runs them.
type waiting struct {
	mu     sync.Mutex
	chunks []study.Chunk
}

// Enqueue stores the chunks.
func (w *waiting) Enqueue(_ context.Context, chunks []study.Chunk) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.chunks = append(w.chunks, chunks...)
	return nil
}

// take removes and returns the stored chunks.
func (w *waiting) take() []study.Chunk {
	w.mu.Lock()
	defer w.mu.Unlock()
	chunks := slices.Clone(w.chunks)
	w.chunks = nil
	return chunks
}
