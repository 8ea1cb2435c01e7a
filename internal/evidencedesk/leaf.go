package evidencedesk

import (
	"context"
	"errors"
	"fmt"
	"io"

	"golang.org/x/mod/sumdb/tlog"

	"verdict/internal/evidence"
	"verdict/internal/journal"
	"verdict/internal/store"
)

// logLeaf is a leaf of a log: the opening of a reopened log, or the leaf of an entry of the journal.
type logLeaf struct {
	number  int64 // the number of the leaf in the log
	opening string
	leaf    evidence.Leaf // set if opening is ""
	entry   int64         // the number of the entry in the journal
	packed  []byte        // the leaf as the journal stores it
}

func (l *logLeaf) hash() tlog.Hash {
	if l.opening != "" {
		return tlog.RecordHash([]byte(l.opening))
	}
	return evidence.LeafHash(&l.leaf)
}

// text returns the bytes that are hashed.
func (l *logLeaf) text() []byte {
	if l.opening != "" {
		return []byte(l.opening)
	}
	return l.leaf.Append(nil)
}

// leafError says that the journal lacks an entry, or that an entry cannot be read.
type leafError struct {
	entry   int64
	missing bool
}

func (e *leafError) Error() string {
	if e.missing {
		return fmt.Sprintf("the journal has no entry %d", e.entry)
	}
	return fmt.Sprintf("entry %d of the journal cannot be read", e.entry)
}

// openings returns how many leaves a log has before the leaves of the journal: 1 if it has an opening, and 0
// otherwise.
func openings(opening string) int64 {
	if opening == "" {
		return 0
	}
	return 1
}

// eachLeaf calls visit for the leaves of a log in order. The parameter from is the number of the first leaf.
// opening is the first leaf of a reopened log, or "" if the log was not reopened. If visit returns io.EOF, eachLeaf
// ends and returns nil. It returns a *leafError if an entry of the journal is missing although a later entry
// exists, or if an entry cannot be read.
func eachLeaf(
	ctx context.Context, scope *store.Scope, opening string, from int64, visit func(*logLeaf) error,
) error {
	shift, next := openings(opening), from
	err := error(nil)
	if next < shift {
		err = visit(&logLeaf{number: next, opening: opening})
		next++
	}
	if err == nil {
		err = journal.NewReader(scope).Each(ctx, next-shift, func(number int64, e store.Entry) error {
			if number != next-shift {
				return &leafError{entry: next - shift, missing: true}
			}
			leaf, err := evidence.UnpackLeaf(e.Leaf)
			if err != nil {
				return &leafError{entry: number}
			}
			next++
			return visit(&logLeaf{number: next - 1, leaf: leaf, entry: number, packed: e.Leaf})
		})
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
