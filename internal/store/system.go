package store

import (
	"context"
	"iter"
)

// System is the handle for what happens before or above a tenant: signup,
// finding the owner of a key, the operator's work, and a tenant's keys, which
// are of both environments. Nothing else that answers a tenant's request beyond
// authentication belongs here.
type System struct{ db *DB }

// System makes the handle.
func (db *DB) System() *System { return &System{db: db} }

// write and read run fn with the database's own wall open. What a write is
// for, a tenant or a purpose, is a scope to the committer: if another
// transaction's locks are in its way, no other is held up.
func (sys *System) write(ctx context.Context, purpose string, fn func(*session) error) error {
	return sys.db.submit(ctx, &job{scope: voice{role: systemVoice.role, tenant: purpose}, run: asSystem(fn)})
}

func (sys *System) read(ctx context.Context, fn func(*session) error) error {
	return sys.db.read(ctx, asSystem(fn))
}

func asSystem(fn func(*session) error) func(*session) error {
	return func(s *session) error {
		if err := s.as(systemVoice); err != nil {
			return err
		}
		return fn(s)
	}
}

// within is the transaction of one scope inside a system's, still with the
// wall open: signup writes two environments at once.
func (s *session) within(tenantID, environment string) *Tx {
	return &Tx{session: s, voice: voice{role: systemVoice.role, tenant: tenantID, environment: environment}}
}

// byScope cuts what is ordered by scope into stretches of one scope each.
func byScope[T any](ordered []T, scope func(T) voice) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for len(ordered) > 0 {
			n := 1
			for n < len(ordered) && scope(ordered[n]) == scope(ordered[0]) {
				n++
			}
			if !yield(ordered[:n]) {
				return
			}
			ordered = ordered[n:]
		}
	}
}
