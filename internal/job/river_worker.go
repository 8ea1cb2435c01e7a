package job

import (
	"context"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"verdict/internal/operation"
)

// queue is the name of the only queue. It was named when only backtests had chunks.
const queue = "backtest"

// chunkArgs identifies a chunk. It is stored, so the member names must not change; backtest_id is the id of the
// backtest or of the batch.
type chunkArgs struct {
	TenantID    string `json:"tenant_id"`
	Environment string `json:"environment"`
	BacktestID  string `json:"backtest_id"`
	Number      int64  `json:"number"`
}

// Kind implements river.JobArgs.
func (chunkArgs) Kind() string { return "backtest_chunk" }

func (a chunkArgs) chunk() operation.Chunk {
	return operation.Chunk{TenantID: a.TenantID, Environment: a.Environment, JobID: a.BacktestID, Number: a.Number}
}

// InsertOpts returns the options of a job. A chunk is unique in the queue until its job has finished. After
// that the chunk may be enqueued again; the tables of backtests and batches show whether that is necessary.
func (a chunkArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{
		Queue:    queue,
		Priority: urgency(a.chunk()),
		UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
			rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
			rivertype.JobStateRunning, rivertype.JobStateScheduled,
		}},
	}
}

// worker is the River worker for chunks.
type worker struct {
	river.WorkerDefaults[chunkArgs]

	owner *River
}

func (r *River) workers() *river.Workers {
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{owner: r})
	return workers
}

// Work makes one attempt. An attempt that a shutdown interrupts, or that has done a part
// of the chunk, does not count, and the chunk is immediately available to all nodes.
func (w *worker) Work(ctx context.Context, job *river.Job[chunkArgs]) error {
	err := w.owner.runner.Load().try(ctx, job.Args.chunk(), job.Attempt)
	if err != nil && uncounted(ctx, err) {
		return river.JobSnooze(0)
	}
	return err
}

// NextRetry returns the time of the next attempt after a failed attempt.
func (*worker) NextRetry(job *river.Job[chunkArgs]) time.Time {
	return time.Now().Add(pause(job.Attempt))
}
