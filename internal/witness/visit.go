package witness

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"verdict/internal/evidence"
)

// Visit reads the last checkpoint of a lender's log, signs it if it continues what the
// witness has signed before, and gives the signature to the lender.
func (w *Witness) Visit(ctx context.Context, r *Remote) (evidence.Checkpoint, error) {
	signed, err := r.Checkpoint(ctx)
	if err != nil {
		return evidence.Checkpoint{}, err
	}
	c, err := w.open(signed)
	if err != nil {
		return c, err
	}
	last, _ := w.state.Last(c.Origin)
	if last.Size > c.Size {
		return c, fmt.Errorf("the log %s has %d entries, and had %d before: %w", c.Origin, c.Size, last.Size,
			ErrShorter)
	}
	var line string
	if last.Size == 0 || last.Size == c.Size {
		line, err = w.Add(last.Size, nil, signed)
	} else {
		proof, failed := r.Tree(ctx, c).ProveGrowth(last.Size)
		if failed != nil {
			return c, fmt.Errorf("prove that the log %s begins with its first %d entries: %w", c.Origin, last.Size,
				failed)
		}
		line, err = w.Add(last.Size, proof, signed)
	}
	if err != nil {
		return c, err
	}
	key := Key{Name: w.name, Secret: w.key}
	return c, r.AddCosignature(ctx, append(signed, line...), key.Public())
}

// Audited is the result of an audit.
type Audited struct {
	Since, Now evidence.Checkpoint
	Kinds      map[evidence.Kind]int64 // how many entries of each kind were added
	// Reopening is the first entry of the log if the log was reopened after the checkpoint Since. Otherwise it is
	// nil.
	Reopening *evidence.Reopening
}

// The errors of Audit about the log. Other errors mean that the log could not be read.
var (
	ErrRewritten = errors.New("the log was rewritten: it does not begin with the entries of the older checkpoint")
	ErrShorter   = errors.New("the log has fewer entries than the older checkpoint")
	ErrEntries   = errors.New("the entries of the log do not have the hashes of its tree")
)

// Audit checks that a lender's log still begins with the entries that an older checkpoint covers, and that the
// entries added since have the hashes of the log's tree. If the log was reopened since, it checks the whole new log.
func Audit(ctx context.Context, r *Remote, keys *evidence.LogKeys, since []byte) (a Audited, err error) {
	if a.Since, _, err = keys.Open(since); err != nil {
		return a, fmt.Errorf("the older checkpoint: %w", err)
	}
	signed, err := r.Checkpoint(ctx)
	if err != nil {
		return a, err
	}
	if a.Now, _, err = keys.Open(signed); err != nil {
		return a, fmt.Errorf("the present checkpoint: %w", err)
	}
	tree := r.Tree(ctx, a.Now)
	from := a.Since.Size
	switch {
	case a.Now.Origin != a.Since.Origin:
		from = 0
	case a.Now.Size < a.Since.Size:
		return a, ErrShorter
	default:
		root, err := tree.RootAt(a.Since.Size)
		if err != nil {
			return a, err
		}
		if root != a.Since.Root {
			return a, ErrRewritten
		}
	}
	a.Kinds = map[evidence.Kind]int64{}
	err = r.Entries(ctx, from, a.Now.Size, func(number int64, text []byte) error {
		hash, err := tree.LeafHash(number)
		if err != nil {
			return err
		}
		return a.add(number, text, hash)
	})
	return a, err
}

// add counts an entry. It returns ErrEntries if the hash of the entry is not hash, the leaf hash in the tree.
func (a *Audited) add(number int64, text []byte, hash tlog.Hash) error {
	if tlog.RecordHash(text) != hash {
		return ErrEntries
	}
	if number == 0 {
		if r, err := evidence.ParseReopening(text); err == nil {
			a.Reopening = &r
			return nil
		}
	}
	leaf, err := evidence.ParseLeaf(text)
	if err != nil {
		return ErrEntries
	}
	a.Kinds[leaf.Kind]++
	return nil
}
