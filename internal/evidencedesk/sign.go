package evidencedesk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"golang.org/x/mod/sumdb/tlog"

	"verdict/internal/evidence"
	"verdict/internal/journal"
	"verdict/internal/store"
)

const (
	// signTogether is the number of logs that are extended concurrently, so that the
	// committer can write them in one batch.
	signTogether = 16
	// leavesAtOnce is the number of leaves that a log is extended by at a time.
	leavesAtOnce = 4_096
)

// Sign extends and signs the logs to which this node has added entries since the last
// call. It returns the first error; a log that could not be signed is tried again by the
// next call.
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
		if name, ok := scopeOf(origin); ok {
			names = append(names, name)
		}
	}
	return errors.Join(s.sign(ctx, names), s.SignAll(ctx))
}

// SignAll extends and signs all logs that are behind their journals, for instance because
// a node stopped before it signed.
func (s *Service) SignAll(ctx context.Context) error {
	if s.options.Key == nil {
		return nil
	}
	var failed error
	for after := (store.ScopeName{}); ; {
		names, err := s.core.DB.System().Unsigned(ctx, after, 1_000)
		if err != nil || len(names) == 0 {
			return errors.Join(failed, err)
		}
		after = names[len(names)-1]
		s.mu.Lock()
		names = slices.DeleteFunc(names, func(name store.ScopeName) bool { return s.stopped[name] != "" })
		s.mu.Unlock()
		failed = errors.Join(failed, s.sign(ctx, names))
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// signRounds limits how often a pass extends the same log, so that a log with a large
// backlog does not hold up the others for long.
const signRounds = 10

// sign extends logs, stores their checkpoints outside the database, and only then
// publishes them. A log that has more leaves after signRounds is left to the next pass.
func (s *Service) sign(ctx context.Context, names []store.ScopeName) error {
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
		names = names[:0]
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

// each calls do for the numbers below n, a few at the same time.
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

// outcome notes whether a log could be signed. It returns err, unless the log is stopped:
// then it logs that once.
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
			"database, or serve without new proofs",
			"tenant_id", name.Tenant, "environment", name.Environment, "error", stop.why)
		return s.stopEverywhere(ctx, name, stop)
	case err != nil:
		s.retry(name)
		return fmt.Errorf("sign the log of %s: %w", originOf(name, 1), err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.stopped, name)
	return nil
}

// stopEverywhere stores that a log must not be signed, so that the other nodes do not sign
// it either: they may not know what this node has signed.
func (s *Service) stopEverywhere(ctx context.Context, name store.ScopeName, stop *stopError) error {
	if stop.generation == 0 {
		return nil // it is stored already
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

// extension is a log that was extended and is not signed yet.
type extension struct {
	name       store.ScopeName
	generation int64
	checkpoint evidence.Checkpoint
	more       bool // there are further leaves
}

// extend stores the hashes of the leaves that a log lacks. It returns nil if the log lacks
// none.
func (s *Service) extend(ctx context.Context, name store.ScopeName) (*extension, error) {
	scope := s.core.DB.Scope(name.Tenant, name.Environment)
	stored, err := scope.Log(ctx).Checkpoint()
	if err != nil {
		return nil, err
	}
	e := &extension{name: name, generation: max(1, stored.Generation)}
	e.checkpoint.Origin = originOf(name, e.generation)
	last, _ := s.options.Signed.Last(e.checkpoint.Origin)
	if stored.Stopped != "" {
		return nil, &stopError{why: stored.Stopped}
	}
	if err := s.checkStored(ctx, scope, e, &stored, last); err != nil {
		return nil, err
	}
	timeline := s.core.DB.Timeline()
	tree := treeOf(ctx, scope, &stored)
	leaves, newest, err := readLeaves(ctx, scope, &stored, leavesAtOnce, tree)
	if err != nil {
		return nil, err
	}
	if len(leaves) == 0 {
		return nil, nil //nolint:nilnil // there is nothing to sign
	}
	after, tiles, err := tree.Extend(leaves)
	if err != nil {
		return nil, damaged(e.generation, err)
	}
	err = scope.Write(ctx, func(tx *store.Tx) error {
		// The leaves may have been read from a server that is no longer the primary.
		if s.core.DB.Timeline() != timeline {
			return errOtherServer
		}
		if err := newest.check(tx); err != nil {
			return err
		}
		return tx.Log().PutTiles(storedTiles(tiles))
	})
	if err != nil {
		return nil, err
	}
	e.checkpoint.Size, e.checkpoint.Root = after.Size, after.Root
	e.more = len(leaves) == leavesAtOnce
	return e, nil
}

// checkStored checks the checkpoint of the database before the log is extended: this
// service must have signed it, and it must not contradict what is recorded outside the
// database. It also records the checkpoints of other nodes, so that this node notices if
// they are lost.
func (s *Service) checkStored(
	ctx context.Context, scope *store.Scope, e *extension, stored *store.LogCheckpoint, last evidence.Checkpoint,
) error {
	var seen evidence.Checkpoint
	if stored.Size > 0 {
		verifier, err := evidence.VerifierOf(e.checkpoint.Origin, s.publicKey())
		if err != nil {
			return err
		}
		var why string
		if seen, why = openStored(stored, verifier); why != "" {
			return stop(e.generation, "%s", why)
		}
	}
	switch {
	case last.Size > stored.Size:
		// Either this node ended before it published the checkpoint, or an older copy of the
		// database was restored.
		if _, why, err := compareJournal(ctx, scope, []evidence.Checkpoint{last}); err != nil || why != "" {
			return cmp.Or(err, stop(e.generation, "%s: an older copy of the database was restored, or a standby "+
				"without the last decisions was promoted", why))
		}
	case last.Size == stored.Size && last != seen:
		return stop(e.generation, "the first %d entries of the log are not those that were signed", last.Size)
	case last.Size > 0 && last.Size < stored.Size:
		root, err := treeOf(ctx, scope, stored).RootAt(last.Size)
		if err != nil {
			return damaged(e.generation, err)
		}
		if root != last.Root {
			return stop(e.generation, "the first %d entries of the log are not those that were signed", last.Size)
		}
	}
	if seen.Size > last.Size {
		return s.options.Signed.Add([]evidence.Checkpoint{seen})
	}
	return nil
}

// damaged turns an error of the tree into the refusal to sign it, unless the database
// could not be read.
func damaged(generation int64, err error) error {
	if errors.Is(err, evidence.ErrTilesMissing) || !isStorage(err) {
		return stop(generation, "the stored hashes of the log do not match its last checkpoint: %v", err)
	}
	return err
}

// readLeaves returns the hashes of the leaves after those of a checkpoint, at most limit,
// and the last leaf. It also checks that the last leaf of the checkpoint is still the same.
func readLeaves(
	ctx context.Context, scope *store.Scope, from *store.LogCheckpoint, limit int, tree *evidence.Tree,
) (hashes []tlog.Hash, newest lastLeaf, err error) {
	generation := max(1, from.Generation)
	next := max(0, from.Size-1)
	err = journal.NewReader(scope).Each(ctx, next, func(number int64, entry store.Entry) error {
		if number != next {
			return stop(generation, "the journal has no entry %d", next)
		}
		leaf, err := evidence.UnpackLeaf(entry.Leaf)
		if err != nil {
			return stop(generation, "entry %d of the journal cannot be read", number)
		}
		next++
		hash := evidence.LeafHash(&leaf)
		if number < from.Size {
			if signed, err := tree.LeafHash(number); err != nil {
				return damaged(generation, err)
			} else if signed != hash {
				return stop(generation, "entry %d of the journal is not the one that was signed", number)
			}
			return nil
		}
		hashes = append(hashes, hash)
		newest = lastLeaf{number, entry.Leaf}
		if len(hashes) == limit {
			return io.EOF
		}
		return nil
	})
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err == nil && next < from.Size {
		err = stop(generation, "the journal has fewer entries than the signed log, which has %d", from.Size)
	}
	return hashes, newest, err
}

// lastLeaf is the last leaf that was read.
type lastLeaf struct {
	number int64
	packed []byte
}

// errOtherServer is the error if the database that is written to does not have the leaves
// that were read.
var errOtherServer = errors.New("the journal was read from another server than the one that is written to")

// check returns an error if the transaction does not see the leaf. Journals are only added
// to, so the leaves before the last one are then the same too.
func (l lastLeaf) check(tx *store.Tx) error {
	runs, err := tx.Journal().Read(l.number)
	if err != nil {
		return err
	}
	if len(runs) > 0 {
		if i := l.number - runs[0].First; i >= 0 && i < int64(len(runs[0].List)) &&
			bytes.Equal(runs[0].List[i].Leaf, l.packed) {
			return nil
		}
	}
	return errOtherServer
}

// publish signs the checkpoint of a log and stores it.
func (s *Service) publish(ctx context.Context, e *extension) error {
	signer, err := s.signer(e.checkpoint.Origin)
	if err != nil {
		return err
	}
	text, err := e.checkpoint.Sign(signer)
	if err != nil {
		return err
	}
	c := store.LogCheckpoint{
		Generation:   e.generation,
		Size:         e.checkpoint.Size,
		Root:         e.checkpoint.Root[:],
		Note:         string(text),
		SignedMicros: s.core.Moment().UnixMicro(),
	}
	scope := s.core.DB.Scope(e.name.Tenant, e.name.Environment)
	return scope.Write(ctx, func(tx *store.Tx) error { return tx.Log().SetCheckpoint(c) })
}

// treeOf returns the tree of a stored checkpoint.
func treeOf(ctx context.Context, scope *store.Scope, c *store.LogCheckpoint) *evidence.Tree {
	return evidence.NewTree(c.Size, rootOf(c), func(tiles []tlog.Tile) ([][]byte, error) {
		wanted := make([]store.LogTile, len(tiles))
		for i, t := range tiles {
			wanted[i] = store.LogTile{Level: int64(t.L), Number: t.N}
		}
		found, err := scope.Log(ctx).Tiles(wanted)
		if err != nil {
			return nil, &storageError{err}
		}
		return found, nil
	})
}

// storageError marks an error of the database among the errors of a tree.
type storageError struct{ error }

func (e *storageError) Unwrap() error { return e.error }

func isStorage(err error) bool {
	var e *storageError
	return errors.As(err, &e)
}

func storedTiles(tiles []evidence.Tile) []store.LogTile {
	stored := make([]store.LogTile, len(tiles))
	for i, t := range tiles {
		stored[i] = store.LogTile{Level: int64(t.Level), Number: t.Number, Hashes: t.Hashes}
	}
	return stored
}
