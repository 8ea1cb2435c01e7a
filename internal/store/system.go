package store

import "context"

// System is the handle for what happens before or above a tenant: signup,
// finding the owner of a key, and the operator's work. Nothing that answers a
// tenant's request beyond authentication belongs here.
type System struct{ db *DB }

// System makes the handle.
func (db *DB) System() *System { return &System{db: db} }

// write and read run fn with the database's own wall open.
func (sys *System) write(ctx context.Context, fn func(*session) error) error {
	return sys.db.write(ctx, asSystem(fn))
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
