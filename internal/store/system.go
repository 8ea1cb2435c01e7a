package store

import (
	"context"
	"iter"
)

// System is the handle for work before or above a tenant: signup, finding the
// owner of a key, the operator's work, and a tenant's keys, which belong to both
// environments. Apart from authentication, invitations and keys, requests of tenants
// do not use this handle.
type System struct{ db *DB }

// System returns the handle.
func (db *DB) System() *System { return &System{db: db} }

// write and read run fn without row-level security. purpose, a tenant's id or the
// name of a task, serves as the scope for the committer. If the write is blocked
// by another transaction's locks, only writes with the same purpose wait with it.
func (sys *System) write(ctx context.Context, purpose string, fn func(*transaction) error) error {
	return sys.db.submit(ctx, &job{scope: rlsScope{role: rlsSystem.role, tenant: purpose}, run: asSystem(fn)})
}

// writeIn runs fn like write. fn may add entries to the journal of an environment: the scope is locked before fn runs,
// and in the same order as in other writes.
func (sys *System) writeIn(ctx context.Context, tenantID, environment string, fn func(*transaction) error) error {
	return sys.db.submit(ctx, &job{
		rls:   rlsScope{tenant: tenantID, environment: environment},
		scope: rlsScope{role: rlsSystem.role, tenant: tenantID},
		run:   asSystem(fn),
	})
}

func (sys *System) read(ctx context.Context, fn func(*transaction) error) error {
	return sys.db.read(ctx, asSystem(fn))
}

func asSystem(fn func(*transaction) error) func(*transaction) error {
	return func(s *transaction) error {
		if err := s.setRLS(rlsSystem); err != nil {
			return err
		}
		return fn(s)
	}
}

// within returns the transaction for one scope, still with the system's
// row-level security role: signup writes two environments in one transaction.
func (s *transaction) within(tenantID, environment string) *Tx {
	return &Tx{transaction: s, rls: rlsScope{role: rlsSystem.role, tenant: tenantID, environment: environment}}
}

// byScope splits a slice that is ordered by scope into slices of one scope
// each.
func byScope[T any](ordered []T, scope func(T) rlsScope) iter.Seq[[]T] {
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
