package journal

import (
	"context"
	"errors"

	"verdict/internal/evidence"
	"verdict/internal/store"
)

// Reader reads the leaves of a scope by number. It reads many at a time, and is fast
// if the numbers are close to each other. It must not be used concurrently.
type Reader struct {
	scope  *store.Scope
	first  int64 // the number of the first leaf in window
	window []store.Entry
}

// NewReader returns a reader.
func NewReader(scope *store.Scope) *Reader { return &Reader{scope: scope} }

// windowSize is the number of leaves that a reader reads before the requested leaf.
// They are needed next, because decisions are verified from the newest to the oldest.
const windowSize = 2_048

// ErrNoEntry is the error for a number that has no entry.
var ErrNoEntry = errors.New("the journal has no such entry")

// Leaf returns the leaf with the given number. It returns ErrNoEntry if there is none, and
// evidence.ErrNotALeaf if the entry cannot be read.
func (r *Reader) Leaf(ctx context.Context, number int64) (evidence.Leaf, error) {
	if number < 0 {
		return evidence.Leaf{}, ErrNoEntry
	}
	if !r.has(number) {
		if err := r.load(ctx, number); err != nil {
			return evidence.Leaf{}, err
		}
	}
	if !r.has(number) {
		return evidence.Leaf{}, ErrNoEntry
	}
	return evidence.UnpackLeaf(r.window[number-r.first].Leaf)
}

// has reports whether the window has the entry.
func (r *Reader) has(number int64) bool {
	return number >= r.first && number < r.first+int64(len(r.window))
}

// load reads a window of consecutive entries around a number. The window begins up to windowSize entries before
// the number. It also contains some entries after the number, because whole rows are read. If there is no entry
// with that number, the window does not contain it.
func (r *Reader) load(ctx context.Context, number int64) error {
	r.window = r.window[:0]
	for next := max(0, number-windowSize); next <= number; {
		runs, err := r.scope.Journal(ctx).Read(next)
		if err != nil {
			return err
		}
		if len(runs) == 0 {
			return nil
		}
		for _, run := range runs {
			if run.First != r.first+int64(len(r.window)) { // the first row, or the first one after a gap
				if r.has(number) {
					return nil // the window must not move past the number
				}
				r.first, r.window = run.First, r.window[:0]
			}
			r.window = append(r.window, run.List...)
		}
		next = r.first + int64(len(r.window))
	}
	return nil
}

// Each calls visit for the entries in order, beginning with the number "from". It does not report gaps; visit
// can detect them by comparing the numbers. It reads few rows at first, and then twice as many each time, because
// most callers stop after some entries.
func (r *Reader) Each(ctx context.Context, from int64, visit func(number int64, e store.Entry) error) error {
	for rows := 2; ; rows = min(2*rows, store.JournalRows) {
		runs, err := r.scope.Journal(ctx).ReadRows(from, rows)
		if err != nil || len(runs) == 0 {
			return err
		}
		for _, run := range runs {
			for i, e := range run.List {
				if n := run.First + int64(i); n >= from {
					if err := visit(n, e); err != nil {
						return err
					}
				}
			}
			from = run.First + int64(len(run.List))
		}
	}
}
