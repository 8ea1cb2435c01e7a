package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"sync"
)

// Entry is an entry of a scope's journal (ADR 23).
type Entry struct {
	Leaf []byte // the leaf of the log, packed by package journal
	Data []byte // the data of the event; nil if the object's row contains it
}

// JournalReader reads the journal of a scope.
type JournalReader struct{ access }

// Journal reads like JournalReader, and adds entries.
type Journal struct{ JournalReader }

// Journal returns the JournalReader of the scope.
func (s *Scope) Journal(ctx context.Context) JournalReader { return JournalReader{s.access(ctx)} }

// Journal returns the Journal of the transaction.
func (tx *Tx) Journal() Journal { return Journal{JournalReader{tx.access()}} }

// raiseHead is the statement that adds $3 to the number of entries in the scope's row of journal_heads and returns the
// sum. It locks the row until the transaction ends, so that no other transaction of the scope can add entries in
// between. If there is no row, for instance after a restore, the number is computed from the journal.
const raiseHead = `INSERT INTO journal_heads (tenant_id, environment, size)
	VALUES ($1, $2, CAST($3 AS BIGINT) + coalesce((` + nextEntry + `), 0))
	ON CONFLICT (tenant_id, environment) DO UPDATE SET size = journal_heads.size + $3
	RETURNING size, key_changes`

// nextEntry selects the number of the next entry, which is the number of the last entry plus one. It selects no row if
// the journal is empty.
const nextEntry = `SELECT first + count FROM journal WHERE tenant_id = $1 AND environment = $2
	ORDER BY first DESC LIMIT 1`

// reserve locks the scope and returns the number of the next entry. n is the number of entries to be added. Before
// the transaction ends, the caller must add n entries with put, or give the unused numbers back with release,
// because the journal has no gaps. On SQLite there is nothing to lock, and put numbers the entries. keyChanges is
// the number of changes of the scope's keys; see KeyState.
func (j Journal) reserve(n int) (first, keyChanges int64, err error) {
	if !j.tx.transaction.db.dialect.hasHeads {
		return unnumbered, j.tx.transaction.keyChangesInMemory(j.tx.rls), nil
	}
	var head [2]int64 // declared here, so that it is allocated only on PostgreSQL
	err = j.tx.one([]any{&head[0], &head[1]}, raiseHead, int64(n))
	return head[0] - int64(n), head[1], err
}

const unnumbered = -1

// release gives the last n reserved numbers back.
func (j Journal) release(n int) error {
	if !j.tx.transaction.db.dialect.hasHeads {
		return nil
	}
	_, err := j.tx.exec(`UPDATE journal_heads SET size = size - $3 WHERE tenant_id = $1 AND environment = $2`, int64(n))
	return err
}

const (
	insertEntries = `INSERT INTO journal (tenant_id, environment, first, count, created_micros, entries)
		VALUES ($1, $2, $6, $3, $4, $5)`
	appendEntries = `INSERT INTO journal (tenant_id, environment, first, count, created_micros, entries)
		VALUES ($1, $2, coalesce((` + nextEntry + `), 0), $3, $4, $5) RETURNING first`
	insertExpected = `INSERT INTO journal (tenant_id, environment, first, count, created_micros, entries)
		SELECT $1, $2, $6, $3, $4, $5 WHERE $6 = coalesce((` + nextEntry + `), 0)`
)

// nextNumbers caches the number of the next entry for the journals that were written last. A number may be wrong, for
// instance after a rollback, so insertExpected checks it. Without the cache, put would need appendEntries, which
// returns a row and so costs twice as much.
type nextNumbers struct {
	mu      sync.Mutex
	byScope map[rlsScope]int64
}

// rememberedScopes limits the number of scopes in nextNumbers.
const rememberedScopes = 10_000

func (n *nextNumbers) get(scope rlsScope) (int64, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	next, ok := n.byScope[scope]
	return next, ok
}

func (n *nextNumbers) set(scope rlsScope, next int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.byScope == nil || len(n.byScope) >= rememberedScopes {
		n.byScope = map[rlsScope]int64{}
	}
	n.byScope[scope] = next
}

// put stores entries and returns the number of the first entry. If first is unnumbered, put appends them to the
// journal. Otherwise they get the reserved numbers that begin with first.
func (j Journal) put(first int64, entries []Entry, nowMicros int64) (int64, error) {
	count, packed := int64(len(entries)), packEntries(entries)
	j.tx.transaction.noteGrown(j.tx.rls)
	if first != unnumbered {
		_, err := j.tx.exec(insertEntries, count, nowMicros, packed, first)
		return first, err
	}
	remembered := &j.tx.transaction.db.nextNumbers
	if next, ok := remembered.get(j.tx.rls); ok {
		inserted, err := j.tx.exec(insertExpected, count, nowMicros, packed, next)
		if err != nil {
			return 0, err
		}
		if inserted == 1 {
			remembered.set(j.tx.rls, next+count)
			return next, nil
		}
	}
	err := j.tx.one([]any{&first}, appendEntries, count, nowMicros, packed)
	remembered.set(j.tx.rls, first+count)
	return first, err
}

// Add adds entries and returns the number of the first entry.
func (j Journal) Add(nowMicros int64, entries ...Entry) (first int64, err error) {
	if first, _, err = j.reserve(len(entries)); err != nil {
		return 0, err
	}
	return j.put(first, entries, nowMicros)
}

// Size returns the number of entries. On PostgreSQL it still includes entries that were deleted from the end of the
// journal, because journal_heads also stores the number.
func (j JournalReader) Size() (int64, error) {
	return read(j.access, func(tx *Tx) (size int64, err error) {
		if err := tx.one([]any{&size}, nextEntry); ignoreAbsent(err) != nil {
			return 0, err
		}
		var raised int64
		if tx.transaction.db.dialect.hasHeads {
			err = tx.one([]any{&raised}, "SELECT size FROM journal_heads WHERE tenant_id = $1 AND environment = $2")
		}
		return max(size, raised), ignoreAbsent(err)
	})
}

// Entries holds the entries of one row of the journal. If the row was altered and cannot be decoded, List has a single
// entry without a leaf.
type Entries struct {
	First         int64 // the number of the first entry
	CreatedMicros int64
	List          []Entry
}

// JournalRows is the maximum number of rows of the journal that Read returns.
const JournalRows = 64

// Read returns entries in order, out of at most JournalRows rows. Parameter "from" is the number of the first
// wanted entry. Each Entries holds all entries of one row, so the first Entries may begin before the first wanted
// entry. Read returns nil if the journal has no entry with this number or a higher one.
func (j JournalReader) Read(from int64) ([]Entries, error) { return j.ReadRows(from, JournalRows) }

// ReadRows returns what Read returns, but out of at most the given number of rows. The number must be at least 2,
// because the first row may end before the first wanted entry.
func (j JournalReader) ReadRows(from int64, rows int) ([]Entries, error) {
	return read(j.access, func(tx *Tx) (found []Entries, err error) {
		begin := from
		err = tx.one([]any{&begin}, `SELECT first FROM journal WHERE tenant_id = $1 AND environment = $2 AND first <= $3
			ORDER BY first DESC LIMIT 1`, from)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
		err = tx.each(func(scan func(...any) error) error {
			var e Entries
			var count int64
			var packed []byte
			if err := scan(&e.First, &count, &e.CreatedMicros, &packed); err != nil {
				return err
			}
			e.List = unpackEntries(packed, count)
			if e.First+int64(len(e.List)) > from { // false for a row that ends before the first wanted entry
				found = append(found, e)
			}
			return nil
		}, `SELECT first, count, created_micros, entries FROM journal
			WHERE tenant_id = $1 AND environment = $2 AND first >= $3 ORDER BY first LIMIT $4`,
			begin, int64(rows))
		return found, err
	})
}

// FirstSince returns the number of the first entry that was added at the time micros or later. If there is none, it
// returns the number of entries. It uses a binary search, because entries are stored in the order of their times. If
// the clocks of the nodes differ, that order, and so the result, is approximate.
func (j JournalReader) FirstSince(micros int64) (int64, error) {
	return read(j.access, func(tx *Tx) (int64, error) {
		size, err := tx.Journal().Size()
		if err != nil {
			return 0, err
		}
		// Invariant of the variables "from" and "to": every entry whose number is below "from" was added before
		// micros. The entry with the number "to" and all later entries were not.
		from, to := int64(0), size
		for from < to {
			middle := from + (to-from)/2
			var first, count, created int64
			err := tx.one([]any{&first, &count, &created}, `SELECT first, count, created_micros FROM journal
				WHERE tenant_id = $1 AND environment = $2 AND first <= $3 ORDER BY first DESC LIMIT 1`, middle)
			if ignoreAbsent(err) != nil {
				return 0, err
			}
			if err == nil && created >= micros {
				to = first
			} else {
				from = max(middle+1, first+count) // the journal has no gaps, unless it was damaged
			}
		}
		return from, nil
	})
}

// packEntries returns the entries in the form in which they are stored: for each entry its leaf and its data, each
// preceded by its length.
func packEntries(entries []Entry) []byte {
	size := 0
	for _, e := range entries {
		size += len(e.Leaf) + len(e.Data) + 2*binary.MaxVarintLen32
	}
	packed := make([]byte, 0, size)
	for _, e := range entries {
		packed = append(binary.AppendUvarint(packed, uint64(len(e.Leaf))), e.Leaf...)
		packed = append(binary.AppendUvarint(packed, uint64(len(e.Data))), e.Data...)
	}
	return packed
}

// unpackEntries reads entries that packEntries wrote. They share the memory of packed. It returns a single empty entry
// if packed does not contain exactly count entries.
func unpackEntries(packed []byte, count int64) []Entry {
	var entries []Entry
	for len(packed) > 0 {
		var e Entry
		for _, part := range []*[]byte{&e.Leaf, &e.Data} {
			n, used := binary.Uvarint(packed)
			if used <= 0 || n > uint64(len(packed)-used) {
				return []Entry{{}}
			}
			end := used + int(n) // n is at most the length
			*part, packed = packed[used:end:end], packed[end:]
		}
		entries = append(entries, e)
	}
	if int64(len(entries)) != count {
		return []Entry{{}}
	}
	return entries
}

// WithoutLeaf returns decisions that have no entry in the journal, with their documents, oldest first. It begins after
// an id and returns at most limit decisions. It scans at most scanRows decisions, so it may return fewer, or none.
// next is the id after which to continue, "" if there are no more decisions.
func (ds DecisionReader) WithoutLeaf(after string, limit int) (found []Decision, next string, err error) {
	return ds.scanned("leaf < 0", after, limit)
}

// Backfilled names a part of the database. Rows of the part that are older than the journal get their journal entries
// afterwards.
type Backfilled string

// The parts that are backfilled.
const (
	BackfilledDecisions Backfilled = "journal_complete"
	BackfilledRecords   Backfilled = "journal_records_complete" // reviews, rule sets, activations and settings
	BackfilledLists     Backfilled = "journal_lists_complete"   // scorecards and the block list
	BackfilledExposures Backfilled = "journal_exposures_complete"
)

// JournalComplete reports whether SetJournalComplete was called for a part.
func (sys *System) JournalComplete(ctx context.Context, part Backfilled) (bool, error) {
	var found []string
	err := sys.read(ctx, func(s *transaction) (err error) {
		found, err = s.firstColumn("SELECT name FROM installation WHERE name = $1", string(part))
		return err
	})
	return len(found) == 1, err
}

// SetJournalComplete records that every row of a part has an entry in the journal. If a row without an entry appears
// later, it was not inserted by this program.
func (sys *System) SetJournalComplete(ctx context.Context, part Backfilled) error {
	return sys.write(ctx, "journal complete", func(s *transaction) error {
		_, err := s.exec("INSERT INTO installation (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
			string(part), []byte{1})
		return err
	})
}

// ErrHasLeaf is the error of AddLeaves for a decision that has an entry already:
// another node has added it.
var ErrHasLeaf = errors.New("a decision has an entry in the journal already")

// AddLeaves adds the entries of decisions that have none, and stores the Plain of each decision. It returns ErrHasLeaf
// if one of the decisions has an entry already, and ErrKeysChanged if keys were removed since the entries were made.
// The caller must then undo the transaction.
func (ds Decisions) AddLeaves(writes []*DecisionWrite, nowMicros int64) error {
	if len(writes) > 0 {
		if err := ds.tx.KeyTrees().Check(writes[0].KeyChanges); err != nil {
			return err
		}
	}
	entries := make([]Entry, len(writes))
	for i, w := range writes {
		entries[i] = w.Entry
	}
	first, err := ds.tx.Journal().Add(nowMicros, entries...)
	if err != nil {
		return err
	}
	for i, w := range writes {
		changed, err := ds.tx.exec(`UPDATE decisions SET leaf = $4, plain = $5
			WHERE tenant_id = $1 AND environment = $2 AND id = $3 AND leaf < 0`,
			w.Decision.ID, first+int64(i), w.Decision.Plain)
		if err != nil {
			return err
		}
		if changed != 1 {
			return ErrHasLeaf
		}
	}
	return nil
}
