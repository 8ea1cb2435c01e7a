package account

import (
	"context"
	"time"
)

// Purge removes sessions and invitations that have expired, and tenants
// that nobody uses.
func (s *Services) Purge(ctx context.Context) {
	now, system := s.core.Now().UnixMicro(), s.core.DB.System()
	idle := s.core.Now().Add(-sessionIdle).UnixMicro()
	s.core.PurgeAll(ctx, "sessions", func(limit int) (int64, error) {
		return system.PurgeSessions(ctx, now, idle, limit)
	})
	s.core.PurgeAll(ctx, "invitations", func(limit int) (int64, error) {
		return system.PurgeInvitations(ctx, now, limit)
	})
	if err := s.sweep(ctx); err != nil {
		s.core.Logger.WarnContext(ctx, "could not remove tenants that nobody uses; they stay for now", "error", err)
	}
}

// Tenants that nobody has called for after this long are closed, and removed when
// every node has heard of it.
const (
	unusedAfter = 7 * 24 * time.Hour
	closingTime = time.Minute
	sweepBatch  = 100
)

// sweep removes tenants that signed up and were never used. They are closed first,
// so that no request is worked on while its tenant goes.
func (s *Services) sweep(ctx context.Context) error {
	now, system := s.core.Now(), s.core.DB.System()
	for range sweepBatch {
		found, err := system.RemoveUnused(ctx, now.Add(-closingTime).UnixMicro())
		if err != nil {
			return err
		}
		if !found {
			break
		}
	}

	_, err := system.CloseUnused(ctx, now.Add(-unusedAfter).UnixMicro(), now.UnixMicro(), sweepBatch)
	return err
}
