package store

import (
	"context"
)

// ListChunk holds some entries of a list, encoded by the caller. It is never changed.
type ListChunk struct {
	ID            int64
	CreatedMicros int64
	Keys          []byte
	Values        []byte
}

var listChunkTable = newBulkTable("list_chunks", column{"list_id", text}, column{"id", bigint},
	column{"created_micros", bigint}, column{"keys", bytea}, column{"entry_values", bytea})

// InsertChunks stores chunks, which belong to no version until Put stores a directory that names them.
func (l Lists) InsertChunks(listID string, chunks []ListChunk) error {
	rows, size := make([][]any, len(chunks)), 0
	for i, c := range chunks {
		rows[i] = []any{listID, c.ID, c.CreatedMicros, notNil(c.Keys), notNil(c.Values)}
		size += len(c.Keys) + len(c.Values)
	}
	if err := listChunkTable.insert(l.tx, rows); err != nil {
		return err
	}
	return l.tx.StoredBytes().add(size)
}

// Keys returns the keys of a chunk, NotFound if there is no such chunk.
func (l ListReader) Keys(listID string, id int64) ([]byte, error) {
	return read(l.access, func(tx *Tx) (keys []byte, err error) {
		err = tx.one([]any{&keys}, `SELECT keys FROM list_chunks
			WHERE tenant_id = $1 AND environment = $2 AND list_id = $3 AND id = $4`, listID, id)
		return keys, orNotFound("part of a list", err)
	})
}

// Chunk returns a chunk, NotFound if there is no such chunk.
func (l ListReader) Chunk(listID string, id int64) (ListChunk, error) {
	return read(l.access, func(tx *Tx) (c ListChunk, err error) {
		err = tx.one([]any{&c.ID, &c.CreatedMicros, &c.Keys, &c.Values}, `SELECT id, created_micros, keys, entry_values
			FROM list_chunks WHERE tenant_id = $1 AND environment = $2 AND list_id = $3 AND id = $4`, listID, id)
		return c, orNotFound("part of a list", err)
	})
}

// DeleteChunks deletes chunks. The caller has made sure that no directory names them.
func (l Lists) DeleteChunks(listID string, ids []int64) error {
	for _, id := range ids {
		if _, err := l.tx.StoredBytes().deleteCounted(`DELETE FROM list_chunks
			WHERE tenant_id = $1 AND environment = $2 AND list_id = $3 AND id = $4
			RETURNING length(keys) + length(entry_values)`, listID, id); err != nil {
			return err
		}
	}
	return nil
}

// ChunkPlace names a chunk of any scope. Chunks are ordered by their age.
type ChunkPlace struct {
	CreatedMicros int64
	Scope         ScopeName
	ListID        string
	ID            int64
}

// OlderChunks returns at most limit chunks that were created before beforeMicros and come after the given place.
func (sys *System) OlderChunks(
	ctx context.Context, after ChunkPlace, beforeMicros int64, limit int,
) (found []ChunkPlace, err error) {
	err = sys.read(ctx, func(s *transaction) error {
		found = nil // the read may be repeated
		return s.each(func(scan func(...any) error) error {
			var c ChunkPlace
			err := scan(&c.CreatedMicros, &c.Scope.Tenant, &c.Scope.Environment, &c.ListID, &c.ID)
			found = append(found, c)
			return err
		}, `SELECT created_micros, tenant_id, environment, list_id, id FROM list_chunks
			WHERE created_micros < $1 AND (created_micros, tenant_id, environment, list_id, id) > ($2, $3, $4, $5, $6)
			ORDER BY created_micros, tenant_id, environment, list_id, id LIMIT $7`,
			beforeMicros, after.CreatedMicros, after.Scope.Tenant, after.Scope.Environment, after.ListID, after.ID,
			int64(limit))
	})
	return found, err
}

// Directory returns the directory of the latest version of the list with an id, NotFound if the list was deleted.
func (l ListReader) Directory(listID string) ([]byte, error) {
	return read(l.access, func(tx *Tx) (directory []byte, err error) {
		err = tx.one([]any{&directory}, `SELECT directory FROM lists
			WHERE tenant_id = $1 AND environment = $2 AND id = $3`, listID)
		return directory, orNotFound("list", err)
	})
}
