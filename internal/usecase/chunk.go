package usecase

import (
	"context"

	"verdict/internal/operation"
	"verdict/internal/tenant"
)

// RunChunk runs a chunk of a backtest or of a batch. It may be called any number of times for the same chunk, on any
// node. If it returns an error, the caller should retry.
func (s *Set) RunChunk(ctx context.Context, c operation.Chunk) error {
	if tenant.Valid(tenant.KindBatch, c.JobID) {
		return s.Batches.Run(ctx, c)
	}
	return s.Chunks.Run(ctx, c)
}

// AbandonChunk gives up a chunk that will not be retried.
func (s *Set) AbandonChunk(ctx context.Context, c operation.Chunk) error {
	if tenant.Valid(tenant.KindBatch, c.JobID) {
		return s.Batches.Abandon(ctx, c)
	}
	return s.Chunks.Abandon(ctx, c)
}
