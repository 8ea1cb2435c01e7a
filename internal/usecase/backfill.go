package usecase

import (
	"context"
	"time"

	"verdict/internal/operation"
)

const (
	backfillRetry    = time.Minute      // the pause after a failure
	backfillProgress = 10 * time.Second // the interval of log lines
)

// backfill adds journal entries for all rows that were stored before such rows had entries. It returns when every
// row has its entry, or when ctx ends.
func (s *Set) backfill(ctx context.Context) {
	for {
		last := s.core.Now()
		done, err := s.Decisions.Audit.Backfill(ctx, func(done int64) {
			if now := s.core.Now(); now.Sub(last) >= backfillProgress {
				last = now
				s.core.Logger.InfoContext(ctx, "adding journal entries for older rows", "done", done)
			}
		})
		if done > 0 {
			s.core.Logger.InfoContext(ctx, "added journal entries for older rows", "done", done)
		}
		if err == nil || ctx.Err() != nil {
			return
		}
		s.core.Logger.WarnContext(ctx, "could not add journal entries for older rows; trying again later",
			"error", err)
		if operation.Sleep(ctx, backfillRetry) != nil {
			return
		}
	}
}
