package decisioning

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"verdict/internal/evidence"
	"verdict/internal/journal"
	"verdict/internal/store"
)

// entryFinder finds the journal entries of decisions, and remembers which entries it
// found.
type entryFinder struct {
	reader *journal.Reader
	seen   numbers
	older  func(*store.Decision) bool // reports whether a decision may lack an entry
	gone   int64                      // decisions that missing has found only in the journal
}

// beforeJournal returns a function that reports whether a decision may lack an entry in
// the journal: it was made before the database had a journal, and not all older decisions
// have their entries yet. Verify reports every other decision without an entry, because
// somebody may have inserted it.
func (a *Auditor) beforeJournal(ctx context.Context) (func(*store.Decision) bool, error) {
	system := a.core.DB.System()
	complete, err := system.JournalComplete(ctx, store.BackfilledDecisions)
	if err != nil {
		return nil, err
	}
	since, err := system.JournalSince(ctx, store.BackfilledDecisions)
	if err != nil {
		return nil, err
	}
	return func(d *store.Decision) bool { return !complete && d.CreatedMicros < since+clocks }, nil
}

// clocks is the maximum difference between the clocks of the nodes, in microseconds.
const clocks = int64(time.Hour / time.Microsecond)

// numbers is a set of entry numbers. It is a bit set that is allocated in blocks. Millions of decisions therefore
// take little memory, and a forged number in the billions takes only one block.
type numbers map[int64]*[blockBits / 64]uint64

const blockBits = 4_096

func (n numbers) has(i int64) bool {
	block := n[i/blockBits]
	return block != nil && block[i%blockBits/64]&(1<<(i%64)) != 0
}

func (n numbers) add(i int64) {
	block := n[i/blockBits]
	if block == nil {
		block = &[blockBits / 64]uint64{}
		n[i/blockBits] = block
	}
	block[i%blockBits/64] |= 1 << (i % 64)
}

func (f *entryFinder) find(ctx context.Context, d *store.Decision) (entered, error) {
	e := entered{decision: d}
	if d.Leaf < 0 {
		if !f.older(d) {
			e.problem = "the decision has no entry in the journal"
		}
		return e, nil
	}
	if f.seen.has(d.Leaf) {
		e.problem = fmt.Sprintf("another decision has the same entry %d of the journal", d.Leaf)
		return e, nil
	}
	var err error
	switch e.leaf, err = f.reader.Leaf(ctx, d.Leaf); {
	case errors.Is(err, journal.ErrNoEntry):
		e.problem = fmt.Sprintf("the journal has no entry %d", d.Leaf)
	case errors.Is(err, evidence.ErrNotALeaf):
		e.problem = fmt.Sprintf("entry %d of the journal cannot be read", d.Leaf)
		f.seen.add(d.Leaf)
	case err != nil:
		return e, err
	case e.leaf.ID == d.ID:
		f.seen.add(d.Leaf)
	}
	return e, nil
}

// missing reports every decision that has one of the first size entries but was not found
// in storage. It also reports gaps in the journal and entries that cannot be read. It
// passes the entries that are not about decisions to records.
func (f *entryFinder) missing(ctx context.Context, size int64, records *recordVerifier) error {
	next, tell := int64(0), records.tell
	gap := func(to int64) {
		if to > next {
			tell("", fmt.Sprintf("the journal has no entries %d to %d", next, to-1))
		}
	}
	err := f.reader.Each(ctx, 0, func(number int64, e store.Entry) error {
		if number >= size {
			return io.EOF
		}
		gap(number)
		next = number + 1
		if f.seen.has(number) {
			return nil
		}
		leaf, err := evidence.UnpackLeaf(e.Leaf)
		switch {
		case err != nil:
			tell("", fmt.Sprintf("entry %d of the journal cannot be read", number))
		case leaf.Kind == evidence.Decision:
			f.gone++
			tell(leaf.ID, fmt.Sprintf("the decision of entry %d of the journal is missing", number))
		default:
			return records.check(ctx, &entry{number, leaf, e.Data})
		}
		return nil
	})
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	gap(size)
	return nil
}
