package httpapi_test

import (
	"context"
	"slices"
	"sync"

	"verdict/internal/decisioning"
)

// waiting keeps the chunks of large backtests until a test has them done.
type waiting struct {
	mu     sync.Mutex
	chunks []decisioning.Chunk
}

// Spread keeps them.
func (w *waiting) Spread(_ context.Context, chunks []decisioning.Chunk) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.chunks = append(w.chunks, chunks...)
	return nil
}

// take hands over what was kept.
func (w *waiting) take() []decisioning.Chunk {
	w.mu.Lock()
	defer w.mu.Unlock()
	chunks := slices.Clone(w.chunks)
	w.chunks = nil
	return chunks
}
