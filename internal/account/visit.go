package account

import (
	"context"
	"maps"
	"slices"
	"sync"

	"verdict/internal/store"
)

// visits collects when keys were last used, and which tenants were used for the first time, so that
// a request need not write to the database.
type visits struct {
	mu      sync.Mutex
	touches map[string]int64 // by the key's hash
	greeted map[string]bool  // tenants that were used for the first time
}

func (v *visits) greet(tenantID string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.greeted == nil {
		v.greeted = map[string]bool{}
	}

	v.greeted[tenantID] = true
}

func (v *visits) takeGreeted() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	ids := slices.Collect(maps.Keys(v.greeted))
	v.greeted = nil
	return ids
}

func (v *visits) touch(hash string, micros int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.touches == nil {
		v.touches = map[string]int64{}
	}

	v.touches[hash] = micros
}

func (v *visits) takeTouches() map[string]int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	touches := v.touches
	v.touches = nil
	return touches
}

// Flush stores when keys and sessions were last used, and which tenants were used for the first
// time. If the last use of a key or session cannot be stored, it is lost, and the next use is
// stored instead. If the first use of a tenant cannot be stored, the next Flush tries again.
func (s *Services) Flush(ctx context.Context) {
	if touches := s.visits.takeTouches(); len(touches) > 0 {
		list := make([]store.Touch, 0, len(touches))
		for hash, micros := range touches {
			list = append(list, store.Touch{Hash: hash, UsedMicros: micros})
		}
		if err := s.core.DB.Accounts().TouchKeys(ctx, list); err != nil {
			s.core.Logger.WarnContext(ctx, "could not store the last use of API keys; their next use is stored instead",
				"error", err)
		}
	}
	if ids := s.visits.takeGreeted(); len(ids) > 0 {
		if err := s.core.DB.Accounts().MarkTenantsSeen(ctx, ids, s.core.Now().UnixMicro()); err != nil {
			for _, id := range ids {
				s.visits.greet(id)
			}
			s.core.Logger.WarnContext(ctx, "could not record the first request of new tenants; the next flush retries",
				"error", err)
		}
	}
	s.flushSeen(ctx)
}
