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

// ApplyErasures erases the people again who were erased after the backup from which the database was restored, and
// returns their number. It does nothing if the database was not restored with newer keys. The service must not serve
// before: their references are readable until then. If ApplyErasures is interrupted, the next call goes on.
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
		s.core.Logger.InfoContext(ctx, "erased people again who were erased after the backup that was restored",
			"people", people)
	}
	return people, err
}
