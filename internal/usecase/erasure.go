package usecase

import (
	"context"
	"time"
)

// resumeEvery is the interval at which interrupted erasures are looked for.
const resumeEvery = time.Minute

// resumeErasures completes erasures that were interrupted, until ctx ends.
func (s *Set) resumeErasures(ctx context.Context) {
	turn := time.NewTicker(resumeEvery)
	defer turn.Stop()
	for {
		completed, err := s.Privacy.Resume(ctx)
		if completed > 0 {
			s.core.Logger.InfoContext(ctx, "completed interrupted erasures", "completed", completed)
		}
		if err != nil && ctx.Err() == nil {
			s.core.Logger.WarnContext(ctx, "could not complete interrupted erasures; trying again later", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-turn.C:
		}
	}
}
