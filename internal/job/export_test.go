package job

import (
	"context"
	"errors"
	"log/slog"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"verdict/internal/operation"
)

// These limits are exported for the tests.
const (
	Attempts       = attempts
	AttemptTimeout = attemptTimeout
	StopTimeout    = stopTimeout
)

// Pause and SchemaBeside are exported for the tests.
var (
	Pause        = pause
	SchemaBeside = schemaBeside
)

// Attempt runs a chunk like one attempt of River, and reports whether River will
// repeat the attempt without counting it.
func Attempt(
	ctx context.Context, c operation.Chunk, attempt int, work Work, giveUp GiveUp,
) (uncounted bool, err error) {
	r := &River{}
	r.runner.Store(&runner{work: work, giveUp: giveUp, logger: slog.New(slog.DiscardHandler)})
	err = (&worker{owner: r}).Work(ctx, &river.Job[chunkArgs]{
		JobRow: &rivertype.JobRow{Attempt: attempt}, Args: chunkArgs{c.TenantID, c.Environment, c.JobID, c.Number},
	})
	var snoozed *river.JobSnoozeError
	return errors.As(err, &snoozed), err
}
