package httpapi_test

import (
	"context"
	"slices"
	"sync"

	"verdict/internal/study"
)

// waiting keeps the chunks of large backtests until a test has them done.
type waiting struct {
	mu     sync.Mutex
	chunks []study.Chunk
}

// Spread keeps them.
func (w *waiting) Spread(_ context.Context, chunks []study.Chunk) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.chunks = append(w.chunks, chunks...)
	return nil
}

// take hands over what was kept.
func (w *waiting) take() []study.Chunk {
	w.mu.Lock()
	defer w.mu.Unlock()
	chunks := slices.Clone(w.chunks)
	w.chunks = nil
	return chunks
}
