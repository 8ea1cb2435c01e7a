package job

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"verdict/internal/operation"
)

// insertBatch is the maximum number of chunks that one statement inserts.
const insertBatch = 1000

// Enqueue enqueues chunks. It ignores chunks that are already waiting or running.
func (r *River) Enqueue(ctx context.Context, chunks []operation.Chunk) error {
	missing, err := r.missing(ctx, chunks)
	if err != nil {
		return fmt.Errorf("look for queued chunks: %w", withoutURL(err))
	}
	for len(missing) > 0 {
		n := min(len(missing), insertBatch)
		if _, err := r.client.InsertMany(ctx, missing[:n]); err != nil {
			return fmt.Errorf("queue chunks: %w", withoutURL(err))
		}
		missing = missing[n:]
	}
	return nil
}

// missing returns jobs for the chunks that are not in the queue. River would skip
// duplicates too, but it would write each of them first. That would be expensive,
// because every node enqueues the unfinished chunks of a large run again every
// few seconds.
func (r *River) missing(ctx context.Context, chunks []operation.Chunk) ([]river.InsertManyParams, error) {
	queued, err := r.queued(ctx, chunks)
	if err != nil {
		return nil, err
	}
	var jobs []river.InsertManyParams
	for _, c := range chunks {
		args := chunkArgs{c.TenantID, c.Environment, c.JobID, c.Number}
		if _, is := queued[args]; !is {
			jobs = append(jobs, river.InsertManyParams{Args: args})
		}
	}
	return jobs, nil
}

// queued returns the chunks in the queue that belong to the same runs as chunks.
func (r *River) queued(ctx context.Context, chunks []operation.Chunk) (map[chunkArgs]struct{}, error) {
	var runs []string
	known := map[string]bool{}
	for _, c := range chunks {
		if !known[c.JobID] {
			known[c.JobID] = true
			runs = append(runs, c.JobID)
		}
	}
	rows, err := r.pool.Query(ctx, "SELECT args FROM "+pgx.Identifier{r.schema, "river_job"}.Sanitize()+`
		WHERE state IN ('available', 'pending', 'retryable', 'running', 'scheduled') `+
		`AND queue = $1 AND args ->> 'backtest_id' = ANY ($2)`,
		queue, runs)
	if err != nil {
		return nil, err
	}
	queued := map[chunkArgs]struct{}{}
	var args chunkArgs
	_, err = pgx.ForEachRow(rows, []any{&args}, func() error {
		queued[args] = struct{}{}
		return nil
	})
	return queued, err
}
