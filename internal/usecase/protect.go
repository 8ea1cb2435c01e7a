package usecase

import (
	"context"
	"time"
)

// protectRetry is the pause after a failure to encrypt what is stored readable.
const protectRetry = time.Minute

// protect encrypts what was stored before the database had a master key. It returns when
// everything is encrypted or ctx ends.
func (s *Set) protect(ctx context.Context) {
	for {
		err := s.Protect(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		s.core.Logger.WarnContext(ctx, "could not encrypt what is stored readable; trying again later", "error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(protectRetry):
		}
	}
}

// Protect encrypts what was stored before the database had a master key, and removes the
// readable bytes from the files of an SQLite database. It does nothing without a master key.
func (s *Set) Protect(ctx context.Context) error {
	trees, err := s.keys.Protect(ctx)
	if err != nil || trees == 0 {
		return err
	}
	s.core.Logger.InfoContext(ctx, "encrypted the key trees of older tenants", "done", trees)
	return s.scrub(ctx)
}

// scrubPause is the pause before the write-ahead log is truncated again, if a reader needed
// it.
const scrubPause = time.Second

// scrub removes former bytes from the files of an SQLite database.
func (s *Set) scrub(ctx context.Context) error {
	for {
		done, err := s.core.DB.System().Scrub(ctx)
		if err != nil || done {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(scrubPause):
		}
	}
}
