package job

import (
	"context"
	"errors"
	"log/slog"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"verdict/internal/study"
)

// The figures that tests hold the package to.
const (
	Attempts       = attempts
	AttemptTimeout = attemptTimeout
	StopTimeout    = stopTimeout
)

// Pause and SchemaBeside are what they are named after.
var (
	Pause        = pause
	SchemaBeside = schemaBeside
)

// Attempt is one call of River's, and whether it will be made again without
// counting.
func Attempt(ctx context.Context, c study.Chunk, attempt int, work Work, giveUp GiveUp) (uncounted bool, err error) {
	r := &River{}
	r.runner.Store(&runner{work: work, giveUp: giveUp, logger: slog.New(slog.DiscardHandler)})
	err = (&worker{owner: r}).Work(ctx, &river.Job[chunkArgs]{
		JobRow: &rivertype.JobRow{Attempt: attempt}, Args: chunkArgs{c.TenantID, c.Environment, c.BacktestID, c.Number},
	})
	var snoozed *river.JobSnoozeError
	return errors.As(err, &snoozed), err
}
