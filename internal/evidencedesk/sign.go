package evidencedesk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"verdict/internal/evidence"
	"verdict/internal/store"
)

// signTogether is the number of logs that are extended concurrently, so that the committer
// can write them in one batch.
const signTogether = 16

// Sign extends and signs the logs to which this node has added entries since the last
// call. It returns the errors of all logs; a log that could not be signed is tried again
// by the next call.
func (s *Service) Sign(ctx context.Context) error {
	if s.options.Key == nil {
		return nil
	}
	names := map[store.ScopeName]bool{}
	for _, name := range s.core.DB.TakeGrown() {
		names[name] = true
	}
	s.mu.Lock()
	maps.Copy(names, s.again)
	clear(s.again)
	maps.DeleteFunc(names, func(name store.ScopeName, _ bool) bool { return s.stopped[name] != "" })
	s.mu.Unlock()
	return s.sign(ctx, slices.Collect(maps.Keys(names)))
}

// Resume does what SignAll does, and also looks at all logs that were signed before: if an
// older copy of the database was restored, they are longer than their journals.
func (s *Service) Resume(ctx context.Context) error {
	if s.options.Key == nil {
		return nil
	}
	var names []store.ScopeName
	for _, origin := range s.options.Signed.Origins() {
		if name, generation, ok := parseOrigin(origin); ok && generation == s.newestOf(name, 1) {
			names = append(names, name)
		}
	}
	return errors.Join(s.sign(ctx, names), s.SignAll(ctx))
}

// SignAll extends and signs all logs that are behind their journals, for instance because a node
// stopped before it signed. Logs that were stopped are signed again if they were reopened.
func (s *Service) SignAll(ctx context.Context) error {
	if s.options.Key == nil {
		return nil
	}
	failed := s.forgetReopened(ctx)
	var oldestMicros int64
	for after := (store.ScopeName{}); ; {
		found, err := s.core.DB.System().Unsigned(ctx, after, 1_000)
		if err != nil {
			return errors.Join(failed, err)
		}
		if len(found) == 0 {
			s.oldestMicros.Store(oldestMicros)
			return failed
		}
		names := make([]store.ScopeName, len(found))
		for i, scope := range found {
			names[i] = scope.ScopeName
		}
		after = names[len(names)-1]
		s.mu.Lock()
		names = slices.DeleteFunc(names, func(name store.ScopeName) bool { return s.stopped[name] != "" })
		s.mu.Unlock()
		failed = errors.Join(failed, s.sign(ctx, names))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if waiting := s.oldestWaiting(found); oldestMicros == 0 || waiting > 0 && waiting < oldestMicros {
			oldestMicros = waiting
		}
	}
}

// forgetReopened removes the logs from s.stopped that were reopened since they were stopped.
func (s *Service) forgetReopened(ctx context.Context) error {
	s.mu.Lock()
	stopped := slices.Collect(maps.Keys(s.stopped))
	s.mu.Unlock()
	for _, name := range stopped {
		stored, err := s.core.DB.Scope(name.Tenant, name.Environment).Log(ctx).Checkpoint()
		if err != nil {
			return err
		}
		if stored.Generation > 1 && stored.Stopped == "" && s.newestOf(name, stored.Generation) == stored.Generation {
			s.mu.Lock()
			delete(s.stopped, name)
			s.mu.Unlock()
		}
	}
	return nil
}

// oldestWaiting returns the time of the oldest entry among scopes that could not be signed, or 0 if
// all were signed.
func (s *Service) oldestWaiting(scopes []store.UnsignedScope) (oldestMicros int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, scope := range scopes {
		if (s.again[scope.ScopeName] || s.stopped[scope.ScopeName] != "") &&
			(oldestMicros == 0 || scope.SinceMicros < oldestMicros) {
			oldestMicros = scope.SinceMicros
		}
	}
	return oldestMicros
}

// UnsignedAge returns the age of the oldest entry that could not be signed when SignAll last looked
// at all logs. It returns 0 if all were signed.
func (s *Service) UnsignedAge() time.Duration {
	oldest := s.oldestMicros.Load()
	if oldest == 0 {
		return 0
	}
	return max(0, s.core.Now().Sub(time.UnixMicro(oldest)))
}

// signRounds limits how often a pass extends the same log, so that a log with a large backlog does
// not delay the others for long.
const signRounds = 10

// sign extends logs, stores their checkpoints outside the database, and only then
// publishes them. A log that has more leaves after signRounds is left to the next pass.
func (s *Service) sign(ctx context.Context, names []store.ScopeName) error {
	if len(names) == 0 {
		return nil
	}
	if err := s.keyring.prepare(ctx); err != nil {
		for _, name := range names {
			s.retry(name)
		}
		return err
	}
	s.mu.Lock()
	for _, name := range names {
		delete(s.again, name)
	}
	s.mu.Unlock()
	var failures []error
	for range signRounds {
		if len(names) == 0 {
			break
		}
		extended := make([]*extension, len(names))
		failures = append(failures, each(len(names), func(i int) (err error) {
			var stop *stopError
			if extended[i], err = s.extend(ctx, names[i]); errors.As(err, &stop) {
				// During a failover a server that is no longer the primary may have been read.
				extended[i], err = s.extend(ctx, names[i])
			}
			return s.outcome(ctx, names[i], err)
		}))
		extended = slices.DeleteFunc(extended, func(e *extension) bool { return e == nil })
		names = names[:0]
		if len(extended) == 0 {
			break
		}
		checkpoints := make([]evidence.Checkpoint, len(extended))
		for i, e := range extended {
			checkpoints[i] = e.checkpoint
		}
		if err := s.options.Signed.Add(checkpoints); err != nil {
			for _, e := range extended {
				s.retry(e.name)
			}
			return errors.Join(append(failures, fmt.Errorf("store the signed checkpoints: %w", err))...)
		}
		failures = append(failures, each(len(extended), func(i int) error {
			return s.outcome(ctx, extended[i].name, s.publish(ctx, extended[i]))
		}))
		for _, e := range extended {
			if e.more {
				names = append(names, e.name)
			}
		}
	}
	for _, name := range names {
		s.retry(name)
	}
	return errors.Join(failures...)
}

// each calls the function do with every number from 0 to n-1, with at most signTogether calls at the same time.
func each(n int, do func(i int) error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	turns := make(chan struct{}, signTogether)
	for i := range n {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			errs[i] = do(i)
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// outcome records whether a log could be signed. If err is a stopError, the log must not be signed any more; outcome
// then logs the reason once and stores it for the other nodes. It returns every other error.
func (s *Service) outcome(ctx context.Context, name store.ScopeName, err error) error {
	var stop *stopError
	switch {
	case errors.As(err, &stop):
		s.mu.Lock()
		before := s.stopped[name]
		s.stopped[name] = stop.why
		s.mu.Unlock()
		if before == stop.why {
			return nil
		}
		s.core.Logger.ErrorContext(ctx, "the log of a tenant is no longer signed; restore the newest copy of the "+
			"database, or reopen the log with \"verdict log reopen\"",
			"tenant_id", name.Tenant, "environment", name.Environment, "error", stop.why)
		if err := s.stopEverywhere(ctx, name, stop); err != nil {
			s.mu.Lock()
			delete(s.stopped, name) // so that the next pass stores the reason
			s.mu.Unlock()
			s.retry(name)
			return err
		}
		return nil
	case err != nil:
		s.retry(name)
		return fmt.Errorf("sign the log of %s: %w", originOf(name, 1), err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.stopped, name)
	return nil
}

// stopEverywhere stores that a log must not be signed, so that the other nodes do not sign it
// either. They may not know what this node has signed.
func (s *Service) stopEverywhere(ctx context.Context, name store.ScopeName, stop *stopError) error {
	if stop.generation == 0 {
		return nil // the reason is stored already
	}
	scope := s.core.DB.Scope(name.Tenant, name.Environment)
	return scope.Write(ctx, func(tx *store.Tx) error { return tx.Log().Stop(stop.generation, stop.why) })
}

func (s *Service) retry(name store.ScopeName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.again[name] = true
}

// Stopped returns the number of logs that are not signed, because the database does not
// contain what was signed before.
func (s *Service) Stopped() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.stopped)
}

// stopError says that a log must not be signed.
type stopError struct {
	why        string
	generation int64 // the generation of the log; 0 if the database has the reason already
}

func (e *stopError) Error() string { return e.why }

func stop(generation int64, format string, args ...any) error {
	return &stopError{fmt.Sprintf(format, args...), generation}
}
