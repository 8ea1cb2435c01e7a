package decisioning

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"sync"

	"verdict/internal/evidence"
	"verdict/internal/fault"
	"verdict/internal/journal"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// erasedPeople finds the people of a scope whose erasure has an entry in the journal. It is safe for
// concurrent use.
type erasedPeople struct {
	scope *store.Scope

	mu     sync.Mutex
	loaded bool
	// entries has the states of the erasures. The key is the person's reference in the leaves of decisions, in
	// hexadecimal digits. For a decision that names no applicant, the key is the id of the decision.
	entries map[string]journal.ErasureEntry
}

// find returns the state of the erasure of a leaf's person, according to the journal. If documents of the
// person were emptied and no erasure is known, it looks for erasures that were made while the verification
// runs.
func (p *erasedPeople) find(ctx context.Context, leaf *evidence.Leaf, emptied bool) (journal.ErasureEntry, error) {
	return p.lookUp(ctx, emptied, func() journal.ErasureEntry {
		if entry, found := p.entries[leaf.ID]; found {
			return entry
		}
		return p.entries[hex.EncodeToString(leaf.Reference[:])]
	})
}

// findRef does the same as find, for the person whose reference is in the column "plain" of a decision.
func (p *erasedPeople) findRef(ctx context.Context, ref string, emptied bool) (journal.ErasureEntry, error) {
	return p.lookUp(ctx, emptied, func() journal.ErasureEntry { return p.entries[ref] })
}

func (p *erasedPeople) lookUp(
	ctx context.Context, emptied bool, lookUp func() journal.ErasureEntry,
) (journal.ErasureEntry, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.loaded {
		if entry := lookUp(); entry != journal.NotErased || !emptied {
			return entry, nil
		}
	}
	err := p.load(ctx)
	return lookUp(), err
}

// load reads the erasures of the scope. It accepts a stored erasure only if its entry in the journal says
// the same, so that a forged row alone cannot hide removed documents.
func (p *erasedPeople) load(ctx context.Context) error {
	p.loaded, p.entries = true, map[string]journal.ErasureEntry{}
	reader := journal.NewReader(p.scope)
	return p.scope.Erasures(ctx).Walk(func(e *store.Erasure) error {
		record, number := e.Record()
		record.Tenant, record.Environment = p.scope.Tenant(), p.scope.Environment()
		leaf, err := reader.Leaf(ctx, number)
		switch {
		case errors.Is(err, journal.ErrNoEntry), errors.Is(err, evidence.ErrNotALeaf):
			return nil
		case err != nil:
			return err
		case leaf != record.Leaf():
			return nil
		}
		entry := journal.ErasureStarted
		if e.State == store.ErasureCompleted {
			entry = journal.ErasureCompleted
		}
		for _, ref := range e.Refs {
			p.entries[ref] = entry
		}
		if e.Person.DecisionID != "" {
			p.entries[e.Person.DecisionID] = entry
		}
		return nil
	})
}

// checkErasures finds erasures that have no entry, such as one that somebody has inserted as a receipt for data that
// was never erased. An erasure that waits or was withdrawn has no entry.
func (v *recordVerifier) checkErasures(tx *store.Tx) error {
	return tx.Erasures().Walk(func(e *store.Erasure) error {
		started := e.State == store.ErasureRunning || e.State == store.ErasureCompleted
		if started && !v.erasures[e.ID] {
			v.wrong(e.ID, "the erasure has no entry in the journal")
		}
		return nil
	})
}

// checkErasure compares an entry of an erasure with the stored erasure. An erasure in several transactions
// has at least two entries.
func (v *recordVerifier) checkErasure(ctx context.Context, e *entry) error {
	row, err := v.scope.Erasures(ctx).Get(e.leaf.ID)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		v.wrong(e.leaf.ID, "the erasure of entry %d of the journal is missing", e.number)
		return nil
	case err != nil:
		return err
	}
	if made, ok := tenant.Time(row.ID); ok && made.UnixMicro() != row.CreatedMicros {
		v.wrong(e.leaf.ID, "the stored time at which the erasure was requested was altered")
	}
	record, number := row.Record()
	// An erasure may have several entries before the one of its completion; its row names the last of them.
	started := e.is(store.EventErasureStarted)
	if at := row.StartedLeaf; started && at < e.number || !started && at >= e.number {
		v.wrong(e.leaf.ID,
			"its row names entry %d of the journal as the last one before its completion, which is wrong", at)
	}
	if e.number == number || !bytes.HasPrefix(e.event, []byte(store.EventErasureStarted+" ")) {
		if v.linked(e, number) {
			v.compare(e, record, "")
		}
		return nil
	}
	v.compareEvent(e)
	return nil
}
