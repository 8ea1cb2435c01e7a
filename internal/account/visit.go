package account

import (
	"context"
	"maps"
	"slices"
	"sync"

	"verdict/internal/store"
)

// visits gathers who called, so that no request has to write it: when keys were
// last used, and which tenants were seen for the first time.
type visits struct {
	mu      sync.Mutex
	touches map[string]int64 // by the key's hash
	greeted map[string]bool  // tenants that were first seen
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

// Flush stores who called. Times of last use that could not be stored come with
// the next use; that tenants are used is tried again.
func (s *Services) Flush(ctx context.Context) {
	if touches := s.visits.takeTouches(); len(touches) > 0 {
		list := make([]store.Touch, 0, len(touches))
		for hash, micros := range touches {
			list = append(list, store.Touch{Hash: hash, UsedMicros: micros})
		}
		if err := s.core.DB.System().TouchKeys(ctx, list); err != nil {
			s.core.Logger.WarnContext(ctx, "last use of keys was not noted", "error", err)
		}
	}
	if ids := s.visits.takeGreeted(); len(ids) > 0 {
		if err := s.core.DB.System().SeeTenants(ctx, ids, s.core.Now().UnixMicro()); err != nil {
			for _, id := range ids {
				s.visits.greet(id)
			}
			s.core.Logger.WarnContext(ctx, "could not note that tenants are used; trying again", "error", err)
		}
	}
	s.flushSeen(ctx)
}
