package account

import (
	"context"
	"time"
)

// Purge removes expired sessions and invitations, and tenants that were never used.
func (s *Services) Purge(ctx context.Context) {
	now, accounts := s.core.Now().UnixMicro(), s.core.DB.Accounts()
	idle := s.core.Now().Add(-sessionIdle).UnixMicro()
	s.core.PurgeAll(ctx, "sessions", func(limit int) (int64, error) {
		return accounts.PurgeSessions(ctx, now, idle, limit)
	})
	s.core.PurgeAll(ctx, "invitations", func(limit int) (int64, error) {
		return accounts.PurgeInvitations(ctx, now, limit)
	})
	if err := s.sweep(ctx); err != nil {
		s.core.Logger.WarnContext(ctx, "could not remove unused tenants; trying again at the next purge",
			"error", err)
	}
}

// A tenant that was not used within unusedAfter is closed. It is removed closingTime later,
// when the caches of all nodes have the change. A purge closes at most sweepBatch tenants, and
// removes at most as many.
const (
	unusedAfter = 7 * 24 * time.Hour
	closingTime = time.Minute
	sweepBatch  = 100
)

// sweep removes tenants that signed up and were never used. They are closed first, so that no
// request of a tenant is in progress while it is removed.
func (s *Services) sweep(ctx context.Context) error {
	now, accounts := s.core.Now(), s.core.DB.Accounts()
	for range sweepBatch {
		found, err := accounts.RemoveUnusedTenant(ctx, now.Add(-closingTime).UnixMicro())
		if err != nil {
			return err
		}
		if !found {
			break
		}
	}

	_, err := accounts.CloseUnusedTenants(ctx, now.Add(-unusedAfter).UnixMicro(), now.UnixMicro(), sweepBatch)
	return err
}
