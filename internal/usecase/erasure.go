package usecase

import (
	"context"
	"time"
)

// resumeEvery is the interval at which interrupted and deferred erasures are looked for.
const resumeEvery = time.Minute

// resumeErasures completes erasures that were interrupted, and carries out those that need not wait any more,
// until ctx ends.
func (s *Set) resumeErasures(ctx context.Context) {
	turn := time.NewTicker(resumeEvery)
	defer turn.Stop()
	for {
		completed, err := s.Privacy.Resume(ctx)
		s.tellErasures(ctx, "interrupted", completed, err)
		completed, err = s.Privacy.RunDeferred(ctx)
		s.tellErasures(ctx, "deferred", completed, err)
		select {
		case <-ctx.Done():
			return
		case <-turn.C:
		}
	}
}

// tellErasures logs how many erasures of a kind were completed, and why others were not.
func (s *Set) tellErasures(ctx context.Context, kind string, completed int, err error) {
	if completed > 0 {
		s.core.Logger.InfoContext(ctx, "completed "+kind+" erasures", "completed", completed)
	}
	if err != nil && ctx.Err() == nil {
		s.core.Logger.WarnContext(ctx, "could not complete "+kind+" erasures; trying again later", "error", err)
	}
}
