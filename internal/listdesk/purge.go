package listdesk

import (
	"context"
	"fmt"
	"slices"
	"time"

	"verdict/internal/fault"
	"verdict/internal/list"
	"verdict/internal/operation"
	"verdict/internal/store"
)

// chunksOf returns the ids of the chunks that a stored directory names, in ascending order.
func chunksOf(stored []byte) []int64 {
	directory, err := list.ReadDirectory(stored)
	if err != nil {
		return nil
	}
	ids := slices.Collect(directory.Chunks)
	slices.Sort(ids)
	return ids
}

// discardEach is the number of chunks that are deleted in one transaction, which limits how long others wait.
const discardEach = 16

// discardTimeout limits the time for which a request continues deleting chunks after its change was stored.
const discardTimeout = 10 * time.Second

// discard deletes the given chunks that the latest version of the list does not name. It reads the latest version
// in the transaction that deletes them: if the connection was lost during a commit, the node does not know which
// version the list has. Chunks that it cannot delete are left to Purge.
func (s *Service) discard(ctx context.Context, scope *store.Scope, listID string, ids []int64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTimeout)
	defer cancel()
	for part := range slices.Chunk(ids, discardEach) {
		err := scope.Write(ctx, func(tx *store.Tx) error {
			directory, err := tx.Lists().Directory(listID)
			if err != nil && fault.KindOf(err) != fault.NotFound {
				return err
			}
			named := chunksOf(directory)
			return tx.Lists().DeleteChunks(listID, slices.DeleteFunc(slices.Clone(part), func(id int64) bool {
				_, found := slices.BinarySearch(named, id)
				return found
			}))
		})
		if err != nil {
			s.core.Logger.WarnContext(ctx, "could not delete parts of a list that was replaced; the next purge retries",
				"list", listID, "error", err)
			return
		}
	}
}

// chunkAge is the age at which a chunk that no list names is deleted. No upload takes that long.
const chunkAge = 2 * time.Hour

// purgePage is the number of chunks that Purge reads at a time.
const purgePage = 1_000

// Purge deletes the chunks older than chunkAge that no list names. Such chunks remain from interrupted uploads, and
// from changes whose old chunks could not be deleted.
func (s *Service) Purge(ctx context.Context) {
	var after store.ChunkPlace
	before := s.core.Now().Add(-chunkAge).UnixMicro()
	for {
		found, err := s.core.DB.System().OlderChunks(ctx, after, before, purgePage)
		if err == nil {
			err = s.purge(ctx, found)
		}
		if err != nil {
			s.core.Logger.WarnContext(ctx, "could not purge parts of lists; the next purge retries", "error", err)
			return
		}
		if len(found) < purgePage {
			return
		}
		after = found[len(found)-1]
	}
}

// purge deletes the found chunks that no list names.
func (s *Service) purge(ctx context.Context, found []store.ChunkPlace) error {
	type listName struct {
		scope store.ScopeName
		id    string
	}
	byList := map[listName][]int64{}
	for _, c := range found {
		at := listName{c.Scope, c.ListID}
		byList[at] = append(byList[at], c.ID)
	}
	for of, ids := range byList {
		scope := s.core.DB.Scope(of.scope.Tenant, of.scope.Environment)
		directory, err := scope.Lists(ctx).Directory(of.id)
		if err != nil && fault.KindOf(err) != fault.NotFound {
			return err
		}
		if _, err := list.ReadDirectory(directory); len(directory) > 0 && err != nil {
			return fmt.Errorf("list %s: %w", of.id, operation.AsDefect(err))
		}
		named := chunksOf(directory)
		s.discard(ctx, scope, of.id, slices.DeleteFunc(ids, func(id int64) bool {
			_, found := slices.BinarySearch(named, id)
			return found
		}))
	}
	return nil
}
