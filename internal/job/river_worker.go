package job

import (
	"context"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"verdict/internal/study"
)

// queue is the name of the one queue there is.
const queue = "backtest"

// chunkArgs name a chunk. They are stored, so the names of the members stay.
type chunkArgs struct {
	TenantID    string `json:"tenant_id"`
	Environment string `json:"environment"`
	BacktestID  string `json:"backtest_id"`
	Number      int64  `json:"number"`
}

// Kind is for River.
func (chunkArgs) Kind() string { return "backtest_chunk" }

func (a chunkArgs) chunk() study.Chunk {
	return study.Chunk{TenantID: a.TenantID, Environment: a.Environment, BacktestID: a.BacktestID, Number: a.Number}
}

// InsertOpts is for River. A chunk is in the queue once for as long as it is
// not over there; after that, whether it has to be done again is not for the
// queue to say.
func (a chunkArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{
		Queue: queue, Priority: urgency(a.chunk()),
		UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
			rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
			rivertype.JobStateRunning, rivertype.JobStateScheduled,
		}},
	}
}

// worker is how River calls us.
type worker struct {
	river.WorkerDefaults[chunkArgs]

	owner *River
}

func (r *River) workers() *river.Workers {
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{owner: r})
	return workers
}

// Work makes one attempt. One that was interrupted because the process ends
// does not count, and is somebody else's at once.
func (w *worker) Work(ctx context.Context, job *river.Job[chunkArgs]) error {
	err := w.owner.hand.Load().try(ctx, job.Args.chunk(), job.Attempt)
	if err != nil && stopping(ctx) {
		return river.JobSnooze(0)
	}
	return err
}

// NextRetry is for River.
func (*worker) NextRetry(job *river.Job[chunkArgs]) time.Time {
	return time.Now().Add(pause(job.Attempt))
}
