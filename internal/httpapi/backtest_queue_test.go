package httpapi_test

import (
	"context"
	"slices"
	"sync"

	"verdict/internal/operation"
)

// waiting collects the chunks of large backtests until a test runs them.
type waiting struct {
	mu     sync.Mutex
	chunks []operation.Chunk
}

// Enqueue stores the chunks.
func (w *waiting) Enqueue(_ context.Context, chunks []operation.Chunk) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.chunks = append(w.chunks, chunks...)
	return nil
}

// take removes and returns the stored chunks.
func (w *waiting) take() []operation.Chunk {
	w.mu.Lock()
	defer w.mu.Unlock()
	chunks := slices.Clone(w.chunks)
	w.chunks = nil
	return chunks
}
