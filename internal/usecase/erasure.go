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

// retainEvery is the interval at which a node looks whether retention periods must be applied. Each period is
// applied once a day.
const retainEvery = 10 * time.Minute

// applyRetention empties documents that are beyond their retention period, until ctx ends.
func (s *Set) applyRetention(ctx context.Context) {
	turn := time.NewTicker(retainEvery)
	defer turn.Stop()
	for {
		emptied, err := s.Privacy.Retain(ctx)
		if emptied > 0 {
			s.core.Logger.InfoContext(ctx, "erased documents at the end of their retention period", "documents",
				emptied)
		}
		if err != nil && ctx.Err() == nil {
			s.core.Logger.WarnContext(ctx, "could not apply all retention periods; trying again later", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-turn.C:
		}
	}
}

// ApplyErasures erases again all people who were erased after the backup from which the database was restored, and
// returns their number. It does nothing if the database was not restored with newer keys. The service must not serve
// requests before ApplyErasures has succeeded, because the references of these people are readable until then. If
// ApplyErasures is interrupted, the next call continues.
func (s *Set) ApplyErasures(ctx context.Context) (people int64, err error) {
	system := s.core.DB.System()
	if apply, err := system.ErasuresToApply(ctx); err != nil || !apply {
		return 0, err
	}
	people, err = s.Privacy.EraseForgotten(ctx)
	if err == nil {
		err = s.scrub(ctx)
	}
	if err == nil {
		err = system.ErasuresApplied(ctx)
	}
	if people > 0 {
		s.core.Logger.InfoContext(ctx, "repeated the erasures that were made after the restored backup was taken",
			"people", people)
	}
	return people, err
}
