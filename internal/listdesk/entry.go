package listdesk

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"verdict/internal/fault"
	"verdict/internal/journal"
	"verdict/internal/list"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Entry is a value of a list.
type Entry struct {
	Value         string // as it was sent; in a hashed list the hash in hexadecimal
	ExpiresMicros int64  // 0: never
	Expired       bool
}

// EntryPage is a page of the entries of a list.
type EntryPage struct {
	operation.Page[Entry]
	List    string
	Type    list.Type
	Version int64 // the version to which the page belongs
}

// Entries returns a page of the entries of a list, including those that have expired. They are in the order of their
// keys, which is the same in every version. So the next page continues where the last one ended, even if the list was
// changed.
func (s *Service) Entries(
	ctx context.Context, p tenant.Principal, name string, l operation.List,
) (page EntryPage, err error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return EntryPage{}, err
	}
	if !rule.IsListName(name) {
		return EntryPage{}, fault.Missing("list")
	}
	filters := []string{"list entries", name}
	text, err := l.After(p, filters)
	if err != nil {
		return EntryPage{}, err
	}
	after, ok := list.ParseKey(text)
	if text != "" && !ok {
		return EntryPage{}, operation.NotACursor()
	}
	var of store.List
	var chunks []store.ListChunk
	err = s.core.Scope(p).Read(ctx, func(tx *store.Tx) (err error) {
		if of, err = tx.Lists().Get(name); err != nil {
			return err
		}
		chunks, err = chunksAfter(tx, &of, text != "", after, l.Limit+1)
		return err
	})
	if err != nil {
		return EntryPage{}, err
	}
	var found []list.Entry
	for i := range chunks {
		entries, err := s.open(ctx, operation.ScopeOf(p), of.ID, &chunks[i])
		if err != nil {
			return EntryPage{}, err
		}
		if text != "" && i == 0 {
			entries = entriesAfter(entries, after)
		}
		found = append(found, entries...)
	}
	page.List, page.Type, page.Version = name, list.Type(of.Type), of.Version
	page.Limit = l.Limit
	now := s.core.Moment().UnixMicro()
	for i, e := range found {
		if i == l.Limit {
			page.NextCursor = l.CursorAfter(p, filters, found[i-1].Key.String())
			break
		}
		page.Data = append(page.Data, Entry{
			Value:         e.Value,
			ExpiresMicros: e.ExpiresMicros,
			Expired:       !list.Lasts(e.ExpiresMicros, now),
		})
	}
	return page, nil
}

// chunksAfter reads chunks of a list until the number of their entries is at least wanted. If resume is set, it
// begins with the chunk of the key in parameter "after", and does not count the entries of that chunk.
func chunksAfter(
	tx *store.Tx, of *store.List, resume bool, after list.Key, wanted int,
) (chunks []store.ListChunk, err error) {
	directory, err := list.ReadDirectory(of.Directory)
	if err != nil {
		return nil, operation.AsDefect(err)
	}
	first := 0
	if resume {
		first = directory.Index(after)
	}
	for i := first; i < directory.Len() && wanted > 0; i++ {
		id := directory.Chunk(i)
		if id == 0 {
			if resume && i == first {
				chunks = append(chunks, store.ListChunk{})
			}
			continue
		}
		stored, err := tx.Lists().Chunk(of.ID, id)
		if err != nil {
			return nil, operation.MissingIsDefect(err)
		}
		chunks = append(chunks, stored)
		if !resume || i > first {
			held, err := list.ReadChunk(stored.Keys)
			if err != nil {
				return nil, operation.AsDefect(err)
			}
			wanted -= held.Len()
		}
	}
	return chunks, nil
}

// entriesAfter returns the entries whose keys come after a key.
func entriesAfter(entries []list.Entry, after list.Key) []list.Entry {
	at, there := slices.BinarySearchFunc(entries, after, func(e list.Entry, k list.Key) int {
		return e.Key.Compare(k)
	})
	if there {
		at++
	}
	return entries[at:]
}

// open returns the entries of a stored chunk, or none for the zero chunk.
func (s *Service) open(
	ctx context.Context, scope operation.ScopeID, listID string, c *store.ListChunk,
) ([]list.Entry, error) {
	if c.ID == 0 {
		return nil, nil
	}
	if !list.Intact(listID, c.ID, c.Keys) || !list.IntactValues(c.Keys, c.Values) {
		return nil, fmt.Errorf("chunk %d of list %s: %w", c.ID, listID, operation.AsDefect(errAltered))
	}
	values, err := s.core.Keys.OpenList(ctx, journal.Scope(scope), listID, list.ChunkNumber(c.Keys), c.Values)
	var unreadable journal.Unreadable
	if errors.As(err, &unreadable) {
		return nil, operation.AsDefect(err)
	}
	if err != nil {
		return nil, err
	}
	entries, err := list.Decode(c.Keys, values)
	if err != nil {
		return nil, fmt.Errorf("chunk %d of list %s: %w", c.ID, listID, operation.AsDefect(err))
	}
	return entries, nil
}
