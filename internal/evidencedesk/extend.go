package evidencedesk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"

	"golang.org/x/mod/sumdb/tlog"

	"verdict/internal/evidence"
	"verdict/internal/store"
)

// extension is a log that was extended and is not signed yet.
type extension struct {
	name       store.ScopeName
	generation int64
	checkpoint evidence.Checkpoint
	more       bool // there are further leaves
}

// leavesAtOnce is the number of leaves that a log is extended by at a time.
const leavesAtOnce = 4_096

// extend stores the hashes of the leaves that a log lacks. It returns nil if the log lacks
// none.
func (s *Service) extend(ctx context.Context, name store.ScopeName) (*extension, error) {
	scope := s.core.DB.Scope(name.Tenant, name.Environment)
	// Get the timeline before the first read, so that a change of the primary during the reads is noticed.
	timeline := s.core.DB.Timeline()
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
	if newest := s.newestOf(name, stored.Generation); newest > e.generation {
		return nil, stop(e.generation, "the log was reopened as %s, but the database does not contain that: an older "+
			"copy of the database was restored", originOf(name, newest))
	}
	if err := s.checkStored(ctx, scope, e, &stored, last); err != nil {
		return nil, err
	}
	tree := treeOf(ctx, scope, &stored)
	leaves, newest, err := readLeaves(ctx, scope, &stored, leavesAtOnce, tree)
	if err != nil {
		return nil, err
	}
	if len(leaves) == 0 {
		return nil, nil //nolint:nilnil // there is nothing to sign
	}
	if stored.Size == 0 {
		if stays, err := s.core.DB.System().Stays(ctx, name.Tenant); err != nil || !stays {
			return nil, err // SignAll finds the log later, when the tenant is in use
		}
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
		return tx.Log().PutTiles(e.generation, storedTiles(tiles))
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
		var why string
		if seen, why = openStored(stored, s.keyring.logKeys(e.checkpoint.Origin)); why != "" {
			return stop(e.generation, "%s", why)
		}
	}
	switch {
	case last.Size > stored.Size:
		// Either this node ended before it published the checkpoint, or an older copy of the
		// database was restored.
		if _, why, err := compareJournal(ctx, scope, stored.Opening,
			[]evidence.Checkpoint{last}, unvisited); err != nil || why != "" {
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

// readLeaves reads the leaves that follow the leaves of a checkpoint, up to the given limit. It returns their
// hashes and the last leaf. It also checks that the last leaf of the checkpoint is still the same.
func readLeaves(
	ctx context.Context, scope *store.Scope, from *store.LogCheckpoint, limit int, tree *evidence.Tree,
) (hashes []tlog.Hash, newest lastLeaf, err error) {
	generation := max(1, from.Generation)
	next := max(0, from.Size-1)
	// signed returns an error unless hash is the signed hash of the leaf whose number is in the
	// variable next. If it is, signed increments next.
	signed := func(hash tlog.Hash) error {
		before, err := tree.LeafHash(next)
		switch {
		case err != nil:
			return damaged(generation, err)
		case before != hash:
			return stop(generation, "entry %d of the log is not the one that was signed", next)
		}
		next++
		return nil
	}
	err = eachLeaf(ctx, scope, from.Opening, next, func(l *logLeaf) error {
		// A reopened log begins with a checkpoint of its opening, so the opening was signed, too.
		if next < from.Size || l.opening != "" {
			return signed(l.hash())
		}
		next++
		hashes = append(hashes, l.hash())
		newest = lastLeaf{l.entry, l.packed}
		if len(hashes) == limit {
			return io.EOF
		}
		return nil
	})
	var unreadable *leafError
	if errors.As(err, &unreadable) {
		err = stop(generation, "%s", unreadable)
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

// errOtherServer is the error if the leaves of the journal were read from one database server, and the server that
// executes the writes does not have them.
var errOtherServer = errors.New("the journal was read from one database server, but another server executes the writes")

// check returns an error if the transaction does not see the leaf, which means that the leaves were read
// from another server. If the transaction sees this leaf, the leaves before it are the same too: entries
// are only added to a journal, and extend has checked that no other server was promoted in the meantime.
func (l lastLeaf) check(tx *store.Tx) error {
	runs, err := tx.Journal().ReadRows(l.number, 2)
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
	signer, err := s.keyring.signer(e.checkpoint.Origin)
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
		found, err := scope.Log(ctx).Tiles(max(1, c.Generation), wanted)
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
