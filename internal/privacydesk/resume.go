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

// Resume completes the erasures that were interrupted, and returns their number. Several nodes may call it at the
// same time, even while a request is still erasing, because each transaction erases what is left. If an erasure
// fails, Resume continues with the next one. At the end it returns all errors.
func (s *Service) Resume(ctx context.Context) (completed int, err error) {
	var failed []error
	for last := (store.ScopedErasure{}); ; {
		open, err := s.core.DB.System().OpenErasures(ctx, &last, resumeAtOnce)
		if err != nil {
			return completed, errors.Join(append(failed, err)...)
		}
		for i := range open {
			done, err := s.resume(ctx, &open[i])
			switch {
			case err != nil:
				if failed = append(failed, err); ctx.Err() != nil {
					return completed, errors.Join(failed...)
				}
			case done:
				completed++
			}
		}
		if len(open) < resumeAtOnce {
			return completed, errors.Join(failed...)
		}
		last = open[len(open)-1]
	}
}

// resume completes an erasure. done is false if another node was faster.
func (s *Service) resume(ctx context.Context, e *store.ScopedErasure) (done bool, err error) {
	w := s.resumed(e)
	_, err = w.run(ctx, w.commit)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return false, nil
	case err != nil:
		return false, fmt.Errorf("erasure %s of tenant %s: %w", e.ID, e.Tenant, err)
	}
	return true, nil
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
