package listdesk

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"time"

	"verdict/internal/admission"
	"verdict/internal/fault"
	"verdict/internal/journal"
	"verdict/internal/list"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// writer writes a new version of a list: first its chunks, in small transactions, and then the row of the list.
type writer struct {
	s      *Service
	p      tenant.Principal
	scope  *store.Scope
	tree   *journal.Tree
	now    time.Time
	keyer  list.Keyer
	before store.List // version 0 if the list does not exist yet

	next           store.List
	directory      list.Directory
	chunks         map[int]int64 // the ids of the new chunks by index, 0 for those that have no entries now
	waiting        []store.ListChunk
	size           int     // bytes of the waiting chunks
	written        []int64 // ids of the chunks that were stored
	added, removed int
}

// batchBytes is the size of the chunks that are stored in one transaction. It limits how long others wait.
const batchBytes = 256 << 10

// writer returns the writer of the next version of a list. t is the type that the caller wants, or "" for any type. If
// create is false and there is no list of this name, it returns NotFound.
func (s *Service) writer(
	ctx context.Context, p tenant.Principal, name string, t list.Type, expected int64, create bool,
) (*writer, error) {
	w := &writer{s: s, p: p, scope: s.core.Scope(p), now: s.core.Moment(), chunks: map[int]int64{}}
	var err error
	w.before, err = w.scope.Lists(ctx).Get(name)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return nil, err
	}
	if w.before.Version == 0 && !create {
		return nil, fault.Missing("list")
	}
	if err := operation.CheckVersion("list", w.before.Version, expected); err != nil {
		return nil, err
	}
	w.next = w.before
	w.next.UpdatedMicros, w.next.UpdatedBy = w.now.UnixMicro(), operation.Actor(p)
	if w.before.Version == 0 {
		w.next.Name, w.next.ID = name, s.core.IDs.New(tenant.KindList, w.now)
		w.next.CreatedMicros, w.next.CreatedBy = w.next.UpdatedMicros, w.next.UpdatedBy
		w.next.Type = string(t)
	} else if w.directory, err = list.ReadDirectory(w.before.Directory); err != nil {
		return nil, operation.AsDefect(err)
	}
	if err := checkType(t, w.before); err != nil {
		return nil, err
	}
	if w.tree, err = s.core.Keys.Tree(ctx, p.TenantID); err != nil {
		return nil, err
	}
	w.keyer, err = s.keyer(ctx, operation.ScopeOf(p), w.next.ID, list.Type(w.next.Type))
	return w, err
}

// checkType refuses a type that the list does not have, and a new list without a type. A list keeps its type, because
// the conditions that name the list were checked against that type.
func checkType(t list.Type, before store.List) error {
	_, known := list.ParseType(string(t))
	switch {
	case t != "" && !known:
		return operation.Invalid("/type", fault.CodeInvalidField, "must be "+describeTypes())
	case t == "" && before.Version == 0:
		return operation.Invalid("/type", fault.CodeRequired, "is required for a new list: "+describeTypes())
	case t != "" && before.Version > 0 && string(t) != before.Type:
		return operation.Invalid("/type", fault.CodeInvalidField,
			fmt.Sprintf("the list has the type %s and keeps it; use another name for another type", before.Type))
	}
	return nil
}

// rewrite stores the chunks of a version that has exactly these entries, in any order. It returns how many entries
// repeat the value of another entry. It sorts chunk by chunk, because sorting a million entries in one step would delay
// other requests.
func (w *writer) rewrite(ctx context.Context, entries []list.Entry) (repeated int, err error) {
	w.directory, w.next.Entries, w.next.Bytes = list.NewDirectory(len(entries)), 0, 0
	order, starts := w.directory.Group(entries)
	var part []list.Entry
	for index := range w.directory.Len() {
		part = part[:0]
		for _, at := range order[starts[index]:starts[index+1]] {
			part = append(part, entries[at])
		}
		sorted, n := list.Sort(part)
		if repeated += n; len(sorted) > 0 {
			if err := w.put(ctx, index, sorted); err != nil {
				return 0, err
			}
		}
		if err := admission.Checkpoint(ctx); err != nil {
			return 0, err
		}
	}
	return repeated, w.finish(ctx)
}

// finish stores the chunks that still wait. It refuses a version with too many entries.
func (w *writer) finish(ctx context.Context) error {
	if w.next.Entries > list.MaxEntries {
		return fault.New(fault.TooLarge, fault.CodeRequestTooLarge, "a list has at most %d entries", list.MaxEntries)
	}
	return w.flush(ctx)
}

// merge stores the chunks that a change affects. The parameters add and remove are sorted.
func (w *writer) merge(ctx context.Context, add []list.Entry, remove []list.Key) error {
	if w.directory.Crowded(int(w.before.Entries) + len(add)) {
		return w.mergeAll(ctx, add, remove)
	}
	for len(add) > 0 || len(remove) > 0 {
		index := w.firstIndex(add, remove)
		var merged []list.Entry
		var err error
		if merged, add, remove, err = w.mergeChunk(ctx, w.directory, index, add, remove); err != nil {
			return err
		}
		if err := w.put(ctx, index, merged); err != nil {
			return err
		}
		if err := admission.Checkpoint(ctx); err != nil {
			return err
		}
	}
	return w.finish(ctx)
}

// mergeAll applies a change to all chunks, and divides their entries into more chunks.
func (w *writer) mergeAll(ctx context.Context, add []list.Entry, remove []list.Key) error {
	before := w.directory
	w.directory = list.NewDirectory(int(w.before.Entries) + len(add))
	for index := range before.Len() {
		var merged []list.Entry
		var err error
		if merged, add, remove, err = w.mergeChunk(ctx, before, index, add, remove); err != nil {
			return err
		}
		for len(merged) > 0 { // sorted by key, so the entries of a new chunk are next to each other
			var part []list.Entry
			at := w.directory.Index(merged[0].Key)
			part, merged = cut(merged, func(e list.Entry) bool { return w.directory.Index(e.Key) == at })
			if err := w.put(ctx, at, part); err != nil {
				return err
			}
		}
		if err := admission.Checkpoint(ctx); err != nil {
			return err
		}
	}
	return w.finish(ctx)
}

// mergeChunk returns the entries of a chunk of the previous version with the change applied, and the rest of the
// change.
func (w *writer) mergeChunk(
	ctx context.Context, before list.Directory, index int, add []list.Entry, remove []list.Key,
) (merged, laterAdd []list.Entry, laterRemove []list.Key, err error) {
	entries, err := w.entriesAt(ctx, before, index)
	if err != nil {
		return nil, nil, nil, err
	}
	adding, laterAdd := cut(add, func(e list.Entry) bool { return before.Index(e.Key) == index })
	removing, laterRemove := cut(remove, func(k list.Key) bool { return before.Index(k) == index })
	merged, added, removed := list.Merged(entries, adding, removing)
	w.added, w.removed = w.added+added, w.removed+removed
	w.next.Entries -= int64(len(entries))
	w.next.Bytes -= bytesOf(entries)
	return merged, laterAdd, laterRemove, nil
}

// firstIndex returns the index of the first chunk that a change affects.
func (w *writer) firstIndex(add []list.Entry, remove []list.Key) int {
	first := w.directory.Len()
	if len(add) > 0 {
		first = w.directory.Index(add[0].Key)
	}
	if len(remove) > 0 {
		first = min(first, w.directory.Index(remove[0]))
	}
	return first
}

// cut splits a list before the first element for which the function belongs returns false.
func cut[T any](all []T, belongs func(T) bool) (head, rest []T) {
	n := slices.IndexFunc(all, func(x T) bool { return !belongs(x) })
	if n < 0 {
		n = len(all)
	}
	return all[:n], all[n:]
}

// entriesAt returns the entries of a chunk of the previous version.
func (w *writer) entriesAt(ctx context.Context, before list.Directory, index int) ([]list.Entry, error) {
	id := before.Chunk(index)
	if id == 0 {
		return nil, nil
	}
	stored, err := w.scope.Lists(ctx).Chunk(w.before.ID, id)
	if fault.KindOf(err) == fault.NotFound {
		return nil, changedMeanwhile()
	}
	if err != nil {
		return nil, err
	}
	return w.s.open(ctx, operation.ScopeOf(w.p), w.before.ID, &stored)
}

func changedMeanwhile() error {
	return fault.New(fault.Precondition, fault.CodePreconditionFailed,
		"the list was changed in the meantime; read it again")
}

// put prepares the chunk at an index of the new version.
func (w *writer) put(ctx context.Context, index int, entries []list.Entry) error {
	w.next.Entries += int64(len(entries))
	w.next.Bytes += bytesOf(entries)
	w.chunks[index] = 0
	if len(entries) == 0 {
		return nil
	}
	number, err := w.newNumber()
	if err != nil {
		return err
	}
	keys, values := list.Encode(entries, number)
	values = w.tree.SealList(w.scope.Environment(), w.next.ID, number, values)
	id := list.Bind(w.next.ID, keys, values)
	chunk := store.ListChunk{ID: id, CreatedMicros: w.now.UnixMicro(), Keys: keys, Values: values}
	w.chunks[index] = id
	w.waiting, w.size = append(w.waiting, chunk), w.size+len(chunk.Keys)+len(chunk.Values)
	if w.size < batchBytes {
		return nil
	}
	return w.flush(ctx)
}

// newNumber returns a random number for a chunk.
func (w *writer) newNumber() (int64, error) {
	var random [8]byte
	if _, err := io.ReadFull(w.s.core.Random, random[:]); err != nil {
		return 0, fmt.Errorf("number a chunk: %w", err)
	}
	return int64(binary.BigEndian.Uint64(random[:]) >> 1), nil // 63 bits
}

// flush stores the waiting chunks.
func (w *writer) flush(ctx context.Context) error {
	if len(w.waiting) == 0 {
		return nil
	}
	for _, c := range w.waiting {
		w.written = append(w.written, c.ID)
	}
	err := w.scope.Write(ctx, func(tx *store.Tx) error {
		if err := tx.Lists().InsertChunks(w.next.ID, w.waiting); err != nil {
			return err
		}
		return operation.CheckStored(tx, w.p.Plan)
	})
	w.waiting, w.size = nil, 0
	if err != nil {
		return err
	}
	return admission.Checkpoint(ctx) // the write gave up the processor slot, so ask for it again
}

// commit stores the row of the new version. If anyVersion is set, the new version replaces whichever version is the
// last one by then. The chunks that are no longer needed are deleted.
func (w *writer) commit(ctx context.Context, anyVersion bool) (stored store.List, err error) {
	w.next.Directory = w.directory.With(w.chunks).Stored()
	replaced := w.before
	err = operation.RetryChange(func() (lost bool, err error) {
		err = w.scope.Write(ctx, func(tx *store.Tx) (err error) {
			if stored, err = tx.Lists().Put(w.next, replaced.Version, w.s.options.Caps); err != nil {
				return err
			}
			return tx.Audit().Add(w.audit(&stored))
		})
		if !anyVersion || !operation.IsLost(err) {
			return false, err
		}
		now, reading := w.scope.Lists(ctx).Get(w.next.Name)
		if reading != nil || now.ID != w.next.ID {
			return false, err // the list was deleted, or created by somebody else, so the keys of the entries differ
		}
		replaced = now
		return true, err
	})
	w.s.heads.Forget(headID{w.scope.Tenant(), w.scope.Environment(), w.next.Name})
	if err != nil {
		w.abandon(ctx)
		return store.List{}, err
	}
	kept := chunksOf(w.next.Directory)
	w.s.discard(ctx, w.scope, w.next.ID, slices.DeleteFunc(chunksOf(replaced.Directory), func(id int64) bool {
		_, found := slices.BinarySearch(kept, id)
		return found
	}))
	return stored, nil
}

// abandon deletes the chunks of a version that could not be stored.
func (w *writer) abandon(ctx context.Context) { w.s.discard(ctx, w.scope, w.next.ID, w.written) }

// bytesOf returns the size of the values of entries.
func bytesOf(entries []list.Entry) (n int64) {
	for i := range entries {
		n += int64(len(entries[i].Value))
	}
	return n
}

// sortedKeys returns the keys in order, each once.
func sortedKeys(keys []list.Key) []list.Key {
	slices.SortFunc(keys, list.Key.Compare)
	return slices.Compact(keys)
}
