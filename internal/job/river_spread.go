package job

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"verdict/internal/study"
)

// spreadAtOnce bounds the chunks of one statement.
const spreadAtOnce = 1000

// Spread puts chunks into the queue; those that wait there or are under way
// already it leaves as they are.
func (r *River) Spread(ctx context.Context, chunks []study.Chunk) error {
	missing, err := r.missing(ctx, chunks)
	if err != nil {
		return fmt.Errorf("look for chunks of a backtest: %w", wordsOf(err))
	}
	for len(missing) > 0 {
		n := min(len(missing), spreadAtOnce)
		if _, err := r.client.InsertMany(ctx, missing[:n]); err != nil {
			return fmt.Errorf("queue chunks of a backtest: %w", wordsOf(err))
		}
		missing = missing[n:]
	}
	return nil
}

// missing leaves out the chunks that are in the queue. River would find that
// out too, but by writing each of them: every node spreads again, every few
// seconds, whatever of a large run is still to be done.
func (r *River) missing(ctx context.Context, chunks []study.Chunk) ([]river.InsertManyParams, error) {
	queued, err := r.queued(ctx, chunks)
	if err != nil {
		return nil, err
	}
	var jobs []river.InsertManyParams
	for _, c := range chunks {
		args := chunkArgs{c.TenantID, c.Environment, c.BacktestID, c.Number}
		if _, is := queued[args]; !is {
			jobs = append(jobs, river.InsertManyParams{Args: args})
		}
	}
	return jobs, nil
}

// queued are the chunks in the queue of the runs that these are of.
func (r *River) queued(ctx context.Context, chunks []study.Chunk) (map[chunkArgs]struct{}, error) {
	var runs []string
	known := map[string]bool{}
	for _, c := range chunks {
		if !known[c.BacktestID] {
			known[c.BacktestID] = true
			runs = append(runs, c.BacktestID)
		}
	}
	rows, err := r.pool.Query(ctx, "SELECT args FROM "+pgx.Identifier{r.schema, "river_job"}.Sanitize()+`
		WHERE state IN ('available', 'pending', 'retryable', 'running', 'scheduled') AND queue = $1 AND args ->> 'backtest_id' = ANY ($2)`, queue, runs)
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
