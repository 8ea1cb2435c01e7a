package operation

import (
	"context"
	"errors"
)

// Chunk names a part of a job that one worker runs at a time: some rows of a backtest or of a batch, or a step of
// splitting stored decisions into chunks.
type Chunk struct {
	TenantID, Environment string
	JobID                 string // the id of the backtest or of the batch
	Number                int64
}

// ChunkQueue enqueues chunks. Each chunk is then run at least once, on this node or another. Enqueuing a chunk again
// is harmless.
type ChunkQueue interface {
	Enqueue(ctx context.Context, chunks []Chunk) error
}

// ErrUnfinished says that a part of a chunk was done, and that the chunk must be run again for the rest. It is not a
// failure.
var ErrUnfinished = errors.New("a part of the chunk is not done yet")
