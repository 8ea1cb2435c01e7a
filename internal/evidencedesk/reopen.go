package evidencedesk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/tlog"

	"verdict/internal/evidence"
	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Reopened describes the log of a scope before and after it was reopened.
type Reopened struct {
	Before evidence.Checkpoint // the last checkpoint that was signed
	Kept   int64               // how many of its first leaves the journal is known to have
	Origin string              // the name of the reopened log
}

// maxReason is the maximum number of characters of the reason for reopening a log.
const maxReason = 500

// Reopen begins a new log for a scope whose log cannot be signed any more. Its first leaf
// has the last checkpoint of the old log and the reason; after it come all entries that the
// journal has. Reopen refuses (Conflict) if the log can be signed, or if nothing was signed
// before.
func (s *Service) Reopen(
	ctx context.Context, tenantID string, environment tenant.Environment, reason string,
) (r Reopened, err error) {
	if s.options.Key == nil {
		return r, errNoKey()
	}
	if reason = strings.TrimSpace(reason); reason == "" || utf8.RuneCountInString(reason) > maxReason ||
		strings.ContainsFunc(reason, unicode.IsControl) {
		return r, fault.New(fault.Invalid, fault.CodeInvalidField,
			"the reason must be a text of 1 to %d characters on one line", maxReason)
	}
	if err := s.keyring.prepare(ctx); err != nil {
		return r, err
	}
	name := store.ScopeName{Tenant: tenantID, Environment: string(environment)}
	scope := s.core.DB.Scope(name.Tenant, name.Environment)
	if err := s.mustBeStopped(ctx, name); err != nil {
		return r, err
	}
	stored, err := scope.Log(ctx).Checkpoint()
	if err != nil {
		return r, err
	}
	generation := s.newestOf(name, stored.Generation)
	if r.Before, r.Kept, err = s.whatRemains(ctx, name, &stored, generation); err != nil {
		return r, err
	}
	r.Origin = originOf(name, generation+1)
	before, err := s.keyring.signer(r.Before.Origin)
	if err != nil {
		return r, err
	}
	signed, err := r.Before.Sign(before)
	if err != nil {
		return r, err
	}
	opening := evidence.Reopening{
		Origin:     r.Origin,
		At:         evidence.At(s.core.Moment().UnixMicro()),
		Checkpoint: string(signed),
		Kept:       r.Kept,
		Reason:     reason,
	}
	if err := s.begin(ctx, scope, generation+1, &opening); err != nil {
		return r, err
	}
	s.newestOf(name, generation+1)
	s.mu.Lock()
	delete(s.stopped, name)
	s.mu.Unlock()
	s.retry(name)
	return r, nil
}

// mustBeStopped returns nil if the log of a scope cannot be signed, and Conflict if it can.
func (s *Service) mustBeStopped(ctx context.Context, name store.ScopeName) error {
	_, err := s.extend(ctx, name)
	var stop *stopError
	switch {
	case errors.As(err, &stop):
		return nil
	case err != nil:
		return err
	}
	return fault.New(fault.Conflict, fault.CodeInvalidTransition,
		"the log can be signed as it is, so there is no reason to reopen it")
}

// whatRemains returns the last checkpoint of a log that is known to be signed, and how many of its
// first leaves the journal still has. If the leaves of the journal differ from those of the
// checkpoint, whatRemains finds the first different leaf with the stored hashes, as far as these
// exist.
func (s *Service) whatRemains(
	ctx context.Context, name store.ScopeName, stored *store.LogCheckpoint, generation int64,
) (before evidence.Checkpoint, kept int64, err error) {
	scope := s.core.DB.Scope(name.Tenant, name.Environment)
	origin := originOf(name, generation)
	before, _ = s.options.Signed.Last(origin)
	if stored.Generation == generation {
		seen, why := openStored(stored, s.keyring.logKeys(origin))
		follows := false
		if why == "" {
			if follows, err = continues(ctx, scope, stored, before); err != nil {
				return before, 0, err
			}
		}
		if follows {
			if kept, err = commonLeaves(ctx, scope, stored); err != nil {
				return before, 0, err
			}
			if seen.Size > before.Size {
				before = seen
			}
		}
	}
	if before.Size == 0 {
		return before, 0, fault.New(fault.Conflict, fault.CodeInvalidTransition,
			"no checkpoint of this log is known to be signed, so there is nothing to reopen")
	}
	if stored.Generation == generation || generation == 1 {
		switch _, why, err := compareJournal(ctx, scope, stored.Opening, []evidence.Checkpoint{before}, unvisited); {
		case err != nil:
			return before, 0, err
		case why == "":
			kept = before.Size
		}
	}
	return before, kept, nil
}

// continues reports whether a stored log is consistent with the checkpoint that is recorded outside
// the database. If it is not, two different logs were signed, and the recorded one counts.
func continues(
	ctx context.Context, scope *store.Scope, stored *store.LogCheckpoint, recorded evidence.Checkpoint,
) (bool, error) {
	switch {
	case recorded.Size == 0 || recorded.Size > stored.Size:
		return true, nil
	case recorded.Size == stored.Size:
		return recorded.Root == rootOf(stored), nil
	}
	root, err := treeOf(ctx, scope, stored).RootAt(recorded.Size)
	if isStorage(err) {
		return false, err
	}
	return err == nil && root == recorded.Root, nil
}

// commonLeaves returns how many leaves at the beginning of a stored log are also in the journal. Hashes that do not
// belong to the signed root are not compared.
func commonLeaves(ctx context.Context, scope *store.Scope, stored *store.LogCheckpoint) (common int64, err error) {
	_, why, err := compareJournal(ctx, scope, stored.Opening,
		[]evidence.Checkpoint{{Size: stored.Size, Root: rootOf(stored)}}, unvisited)
	if err != nil || why == "" {
		return stored.Size, err
	}
	tree := treeOf(ctx, scope, stored)
	same := func(hash tlog.Hash) error {
		switch signed, err := tree.LeafHash(common); {
		case isStorage(err):
			return err
		case err != nil || signed != hash:
			return io.EOF
		}
		if common++; common == stored.Size {
			return io.EOF
		}
		return nil
	}
	err = eachLeaf(ctx, scope, stored.Opening, 0, func(l *logLeaf) error { return same(l.hash()) })
	if errors.As(err, new(*leafError)) {
		err = nil // the leaves before it are in both
	}
	return common, err
}

// begin signs and stores the first checkpoint of a reopened log.
func (s *Service) begin(
	ctx context.Context, scope *store.Scope, generation int64, opening *evidence.Reopening,
) error {
	empty := store.LogCheckpoint{Generation: generation}
	tree, tiles, err := treeOf(ctx, scope, &empty).Extend([]tlog.Hash{opening.Hash()})
	if err != nil {
		return err
	}
	signer, err := s.keyring.signer(opening.Origin)
	if err != nil {
		return err
	}
	checkpoint := evidence.Checkpoint{Origin: opening.Origin, Size: tree.Size, Root: tree.Root}
	if err := s.options.Signed.Add([]evidence.Checkpoint{checkpoint}); err != nil {
		return fmt.Errorf("store the signed checkpoint: %w", err)
	}
	text, err := checkpoint.Sign(signer)
	if err != nil {
		return err
	}
	return scope.Write(ctx, func(tx *store.Tx) error {
		// A node that does not know that the old log is wrong must not sign it any more.
		if err := tx.Log().Stop(generation-1, "it was reopened as "+opening.Origin); err != nil {
			return err
		}
		if err := tx.Log().PutTiles(generation, storedTiles(tiles)); err != nil {
			return err
		}
		return tx.Log().SetCheckpoint(store.LogCheckpoint{
			Generation:   generation,
			Size:         tree.Size,
			Root:         tree.Root[:],
			Note:         string(text),
			SignedMicros: s.core.Moment().UnixMicro(),
			Opening:      string(opening.Append(nil)),
		})
	})
}
