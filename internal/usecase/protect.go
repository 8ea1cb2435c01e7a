package usecase

import (
	"context"
	"time"

	"verdict/internal/operation"
)

// protectRetry is the pause after a failure to encrypt data that is stored unencrypted.
const protectRetry = time.Minute

// protect encrypts what was stored before the database had a master key. It returns when
// everything is encrypted or ctx ends.
func (s *Set) protect(ctx context.Context) {
	for {
		err := s.Protect(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		s.core.Logger.WarnContext(ctx, "could not encrypt data that is stored unencrypted; trying again later", "error",
			err)
		if operation.Sleep(ctx, protectRetry) != nil {
			return
		}
	}
}

// Protect encrypts what was stored before the database had a master key, and removes the unencrypted bytes from the
// files of an SQLite database. It does nothing without a master key.
//
// Protect searches the whole database repeatedly, until a search finds nothing to encrypt. It then records that
// everything is encrypted. A later call only encrypts secrets of webhooks and second factors that are still
// unencrypted.
func (s *Set) Protect(ctx context.Context) error {
	if !s.core.Keys.Seals() {
		return nil
	}
	webhooks, err := s.Webhooks.SealOlder(ctx)
	if err != nil {
		return err
	}
	factors, err := s.Factors.SealOlder(ctx)
	if err != nil {
		return err
	}
	if webhooks > 0 || factors > 0 {
		s.core.Logger.InfoContext(ctx, "secrets that were stored unencrypted are now encrypted",
			"webhooks", webhooks, "second_factors", factors)
		if err := s.scrub(ctx); err != nil {
			return err
		}
	}
	system := s.core.DB.System()
	if complete, err := system.DocumentsSealed(ctx); err != nil || complete {
		return err
	}
	for {
		secrets, err := s.core.Keys.Protect(ctx)
		if err != nil {
			return err
		}
		decisions, err := s.Decisions.Audit.SealOlder(ctx, s.sealProgress(ctx))
		if err != nil {
			return err
		}
		runs, err := s.Agents.SealOlder(ctx)
		if err != nil {
			return err
		}
		exposures, err := s.Exposures.SealOlder(ctx)
		if err != nil {
			return err
		}
		if secrets == 0 && decisions == 0 && runs == 0 && exposures == 0 {
			break
		}
		s.core.Logger.InfoContext(ctx, "data that was stored unencrypted is now encrypted",
			"secrets", secrets, "decisions", decisions, "runs", runs,
			"exposures", exposures)
	}
	if err := s.scrub(ctx); err != nil {
		return err
	}
	return system.SetDocumentsSealed(ctx)
}

// sealProgress returns a function that logs the progress at intervals.
func (s *Set) sealProgress(ctx context.Context) func(done int64) {
	last := s.core.Now()
	return func(done int64) {
		if now := s.core.Now(); now.Sub(last) >= backfillProgress {
			last = now
			s.core.Logger.InfoContext(ctx, "encrypting decisions that are stored unencrypted", "done", done)
		}
	}
}

// scrubPause is the pause before the next attempt to truncate the write-ahead log, if a reader still needed the
// log.
const scrubPause = time.Second

// scrub removes overwritten and deleted data from the files of an SQLite database.
func (s *Set) scrub(ctx context.Context) error {
	for {
		done, err := s.core.DB.System().Scrub(ctx)
		if err != nil || done {
			return err
		}
		if err := operation.Sleep(ctx, scrubPause); err != nil {
			return err
		}
	}
}
