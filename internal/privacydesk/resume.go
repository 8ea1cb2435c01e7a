package privacydesk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"verdict/internal/fault"
	"verdict/internal/store"
)

// resumeAtOnce is the number of interrupted erasures that Resume reads at a time.
const resumeAtOnce = 100

// Resume completes the erasures that were interrupted, and returns their number. Several nodes may do
// that at the same time, also while a request is still erasing: each transaction takes what is left. An
// erasure that fails does not stop the others; Resume returns the errors of all.
func (s *Service) Resume(ctx context.Context) (completed int, err error) {
	open, err := s.core.DB.System().OpenErasures(ctx, resumeAtOnce)
	if err != nil {
		return 0, err
	}
	var failed []error
	for i := range open {
		e := &open[i]
		w := s.resumed(e)
		_, err := w.run(ctx, w.commit)
		if fault.KindOf(err) == fault.NotFound {
			continue // another node was faster
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("erasure %s of tenant %s: %w", e.ID, e.Tenant, err))
			if ctx.Err() != nil {
				break
			}
			continue
		}
		completed++
	}
	return completed, errors.Join(failed...)
}

// resumed returns the work of an erasure that was requested earlier.
func (s *Service) resumed(e *store.ScopedErasure) *work {
	return &work{
		s:       s,
		scope:   s.core.DB.Scope(e.Tenant, e.Environment),
		person:  e.Person,
		resumed: true,
		auditOf: func(action, id string, now time.Time) store.AuditEntry {
			return s.core.AuditBy(e.Actor, e.Environment, now, action, id, e.Reason)
		},
	}
}
