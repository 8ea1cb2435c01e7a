package usecase

import (
	"context"
	"time"
)

const (
	backfillRetry    = time.Minute      // the pause after a failure
	backfillProgress = 10 * time.Second // the interval of log lines
)

// backfill adds the journal entries of decisions that were stored before the journal
// existed. It returns when every decision has its entry or ctx ends.
func (s *Set) backfill(ctx context.Context) {
	for {
		last := s.core.Now()
		done, err := s.Decisions.Backfill(ctx, func(done int64) {
			if now := s.core.Now(); now.Sub(last) >= backfillProgress {
				last = now
				s.core.Logger.InfoContext(ctx, "adding journal entries for older decisions", "done", done)
			}
		})
		if done > 0 {
			s.core.Logger.InfoContext(ctx, "added journal entries for older decisions", "done", done)
		}
		if err == nil || ctx.Err() != nil {
			return
		}
		s.core.Logger.WarnContext(ctx, "could not add journal entries for older decisions; trying again later",
			"error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(backfillRetry):
		}
	}
}
