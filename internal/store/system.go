package store

import (
	"context"
	"iter"
)

// above is embedded in the handles that work without a tenant or across tenants. The statements of these handles
// run without row-level security.
type above struct{ db *DB }

// System is the handle for the operator's work and for work over all tenants, such as removing expired rows. Requests
// of tenants do not use it.
type System struct{ above }

// System returns a handle that is valid until db is closed. It holds no resources, like the other handles of a DB.
func (db *DB) System() *System { return &System{above{db}} }

// Jobs is the handle for the backtests and batches of all tenants: for finding those that need work, failing those
// whose input is incomplete, and removing old ones.
type Jobs struct{ above }

// Jobs returns a handle that is valid until db is closed.
func (db *DB) Jobs() *Jobs { return &Jobs{above{db}} }

// Accounts is the handle for tenants with their people and sessions, which belong to both environments, and for API
// keys. It also finds the owner of a key, a session or an invitation.
type Accounts struct{ above }

// Accounts returns a handle that is valid until db is closed.
func (db *DB) Accounts() *Accounts { return &Accounts{above{db}} }

// Secrets is the handle for the keys of the installation: the master keys, the key trees of tenants, which are
// encrypted with a master key, the key of the log, and the secret of keyed hashes.
type Secrets struct{ above }

// Secrets returns a handle that is valid until db is closed.
func (db *DB) Secrets() *Secrets { return &Secrets{above{db}} }

// write and read run fn without row-level security. purpose, a tenant's id or the
// name of a task, serves as the scope for the committer. If the write is blocked
// by another transaction's locks, only writes with the same purpose wait with it.
func (h above) write(ctx context.Context, purpose string, fn func(*transaction) error) error {
	return h.db.submit(ctx, &job{scope: rlsScope{role: rlsSystem.role, tenant: purpose}, run: asSystem(fn)})
}

// writeIn runs fn like write. fn may add entries to the journal of an environment: the scope is locked before fn runs,
// and in the same order as in other writes.
func (h above) writeIn(ctx context.Context, tenantID, environment string, fn func(*transaction) error) error {
	return h.db.submit(ctx, &job{
		rls:   rlsScope{tenant: tenantID, environment: environment},
		scope: rlsScope{role: rlsSystem.role, tenant: tenantID},
		run:   asSystem(fn),
	})
}

func (h above) read(ctx context.Context, fn func(*transaction) error) error {
	return h.db.read(ctx, asSystem(fn))
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

// scopes yields the scopes that a query returns, ordered by tenant and environment. It reads a page at a time: the
// query returns at most $3 scopes after the tenant $1 and the environment $2. Its other arguments begin with $4.
// An error is the last element.
func (sys *System) scopes(ctx context.Context, page int, query string, args ...any) iter.Seq2[ScopeName, error] {
	return func(yield func(ScopeName, error) bool) {
		for last, more := (ScopeName{}), true; more; {
			var found []ScopeName
			err := sys.read(ctx, func(s *transaction) error {
				found = nil // the read may be repeated
				return s.each(func(scan func(...any) error) error {
					var n ScopeName
					err := scan(&n.Tenant, &n.Environment)
					found = append(found, n)
					return err
				}, query, append([]any{last.Tenant, last.Environment, int64(page)}, args...)...)
			})
			if err != nil {
				yield(ScopeName{}, err)
				return
			}
			for _, n := range found {
				if !yield(n, nil) {
					return
				}
				last = n
			}
			more = len(found) == page
		}
	}
}
