package usecase

import (
	"context"
	"time"
)

// thresholdEvery is the interval at which usage is compared with quotas.
const thresholdEvery = 10 * time.Second

// checkThresholds records which shares of their quotas tenants have reached, until ctx ends.
func (s *Set) checkThresholds(ctx context.Context) {
	turn := time.NewTicker(thresholdEvery)
	defer turn.Stop()
	failing := false
	for {
		err := s.Decisions.Usage.CheckThresholds(ctx)
		if err != nil && ctx.Err() == nil && !failing {
			s.core.Logger.WarnContext(ctx, "could not compare usage with quotas, so events about reached quotas are "+
				"late; trying again", "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return
		case <-turn.C:
		}
	}
}
