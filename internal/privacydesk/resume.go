package privacydesk

import (
	"context"
	"time"

	"verdict/internal/fault"
	"verdict/internal/store"
)

// resumeAtOnce is the number of interrupted erasures that Resume reads at a time.
const resumeAtOnce = 100

// Resume completes the erasures that were interrupted, and returns their number. Several nodes may do
// that at the same time, also while a request is still erasing: each transaction takes what is left.
func (s *Service) Resume(ctx context.Context) (completed int, err error) {
	open, err := s.core.DB.System().OpenErasures(ctx, resumeAtOnce)
	if err != nil {
		return 0, err
	}
	for i := range open {
		w := s.resumed(&open[i])
		_, err := w.run(ctx, w.commit)
		if fault.KindOf(err) == fault.NotFound {
			continue // another node was faster
		}
		if err != nil {
			return completed, err
		}
		completed++
	}
	return completed, nil
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

// commit runs do in a transaction, for an erasure whose request was answered earlier.
func (w *work) commit(ctx context.Context, do func(*store.Tx) (Erasure, error)) (done Erasure, err error) {
	err = w.scope.Write(ctx, func(tx *store.Tx) error {
		done, err = do(tx)
		return err
	})
	return done, err
}
