//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// roomy are caps that no test reaches by accident.
var roomy = store.ListCaps{Lists: 100, Entries: 1000, Bytes: 1000}

func fillList(tx *store.Tx) error {
	if err := tx.Lists().InsertChunks("lst_1", []store.ListChunk{listChunk(1)}); err != nil {
		return err
	}
	if _, err := tx.Lists().Put(listed("words", "lst_1"), 0, roomy); err != nil {
		return err
	}
	if _, err := tx.Lists().Put(listed("gone", "lst_2"), 0, roomy); err != nil {
		return err
	}
	if _, err := tx.Lists().Delete("gone", "key_1", 7); err != nil {
		return err
	}
	return tx.Lists().Use("pol_1", []string{"words"})
}

func listChunk(id int64) store.ListChunk {
	return store.ListChunk{ID: id, CreatedMicros: id, Keys: []byte{1, 0, 0xff}, Values: []byte{2, 0, 0xfe}}
}

func listed(name, id string) store.List {
	return store.List{
		Name: name, ID: id, Type: "text", Entries: 3, Bytes: 30, Directory: []byte{0, 0xff},
		CreatedMicros: 5, CreatedBy: "key_1", UpdatedMicros: 6, UpdatedBy: "key_2",
	}
}

func putList(t *testing.T, scope *store.Scope, l store.List, expected int64, caps store.ListCaps) (
	put store.List, err error,
) {
	t.Helper()
	err = scope.Write(t.Context(), func(tx *store.Tx) (err error) {
		put, err = tx.Lists().Put(l, expected, caps)
		return err
	})
	return put, err
}

// TestLists checks the versions of a list, and that another scope sees none of it.
func TestLists(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope, other := t.Context(), signUp(t, db, "ten_A"), signUp(t, db, "ten_B")
		live := db.Scope("ten_A", "live")
		_, err := scope.Lists(ctx).Get("words")
		wantKind(t, err, fault.NotFound, fault.CodeNotFound)
		first, err := putList(t, scope, listed("words", "lst_1"), 0, roomy)
		wantKind(t, err, 0, "")
		want := listed("words", "lst_1")
		want.Version = 1
		if diff := cmp.Diff(want, first); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		got, err := scope.Lists(ctx).Get("words")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		for _, expected := range []int64{0, 2} {
			_, err = putList(t, scope, listed("words", "lst_1"), expected, roomy)
			wantKind(t, err, fault.Precondition, fault.CodePreconditionFailed)
		}
		_, err = putList(t, scope, listed("words", "lst_2"), 1, roomy)
		wantKind(t, err, fault.Precondition, fault.CodePreconditionFailed)
		next := listed("words", "lst_1")
		next.Entries, next.Directory, next.UpdatedBy = 4, []byte{7}, "key_3"
		second, err := putList(t, scope, next, 1, roomy)
		if err != nil || second.Version != 2 {
			t.Errorf("%+v, %v", second, err)
		}

		for name, s := range map[string]*store.Scope{"tenant": other, "environment": live} {
			if _, err := s.Lists(ctx).Get("words"); fault.KindOf(err) != fault.NotFound {
				t.Errorf("another %s sees the list: %v", name, err)
			}
			if all, err := s.Lists(ctx).All(); err != nil || len(all) != 0 {
				t.Errorf("another %s has %v, %v", name, all, err)
			}
			err := s.Write(ctx,
				func(tx *store.Tx) error { _, err := tx.Lists().Delete("words", "key_1", 7); return err })
			wantKind(t, err, fault.NotFound, fault.CodeNotFound)
		}
		_, err = putList(t, other, listed("words", "lst_9"), 0, roomy)
		wantKind(t, err, 0, "")

		all, err := scope.Lists(ctx).All()
		if err != nil || len(all) != 1 || all[0].Version != 2 || all[0].Directory != nil {
			t.Errorf("%+v, %v", all, err)
		}
		directory, err := scope.Lists(ctx).Directory("lst_1")
		if err != nil || string(directory) != "\x07" {
			t.Errorf("%x, %v", directory, err)
		}
		err = scope.Write(ctx,
			func(tx *store.Tx) error { _, err := tx.Lists().Delete("words", "key_1", 7); return err })
		wantKind(t, err, 0, "")
		_, err = scope.Lists(ctx).Directory("lst_1")
		wantKind(t, err, fault.NotFound, fault.CodeNotFound)
		if _, err := other.Lists(ctx).Get("words"); err != nil {
			t.Errorf("the list of another tenant is gone: %v", err)
		}
	})
}

// TestListChunks checks that chunks are stored byte for byte and are seen in their own scope only. It also checks the
// walk over all chunks.
func TestListChunks(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope, other := t.Context(), signUp(t, db, "ten_A"), signUp(t, db, "ten_B")
		for _, s := range []*store.Scope{scope, other} {
			err := s.Write(ctx, func(tx *store.Tx) error {
				return tx.Lists().InsertChunks("lst_1", []store.ListChunk{listChunk(1), listChunk(1<<62 + 3)})
			})
			wantKind(t, err, 0, "")
		}
		got, err := scope.Lists(ctx).Chunk("lst_1", 1<<62+3)
		if diff := cmp.Diff(listChunk(1<<62+3), got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if keys, err := scope.Lists(ctx).Keys("lst_1", 1); err != nil || string(keys) != "\x01\x00\xff" {
			t.Errorf("%x, %v", keys, err)
		}
		_, err = db.Scope("ten_A", "live").Lists(ctx).Keys("lst_1", 1)
		wantKind(t, err, fault.NotFound, fault.CodeNotFound)

		err = scope.Write(ctx, func(tx *store.Tx) error { return tx.Lists().DeleteChunks("lst_1", []int64{1, 77}) })
		wantKind(t, err, 0, "")
		var seen []string
		for after := (store.ChunkPlace{}); ; {
			found, err := db.System().OlderChunks(ctx, after, 1<<62+3, 1)
			if err != nil {
				t.Fatal(err)
			}
			if len(found) == 0 {
				break
			}
			after = found[0]
			seen = append(seen, fmt.Sprint(after.Scope.Tenant, " ", after.ID))
		}
		// One other chunk was deleted, and two others are not older than the limit.
		if diff := cmp.Diff([]string{"ten_B 1"}, seen); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestListCaps lets many callers create lists at the same time. Together they must not exceed the caps.
func TestListCaps(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		for name, caps := range map[string]store.ListCaps{
			"lists":   {Lists: 4, Entries: 1000, Bytes: 1000},
			"entries": {Lists: 100, Entries: 12, Bytes: 1000},
			"bytes":   {Lists: 100, Entries: 1000, Bytes: 120},
		} {
			var all sync.WaitGroup
			errs := make([]error, 8)
			for i := range errs {
				all.Go(func() {
					_, errs[i] = putList(t, scope, listed(fmt.Sprint("l", i), fmt.Sprint("lst_", i)), 0, caps)
				})
			}
			all.Wait()
			refused := 0
			for i, err := range errs {
				if err != nil {
					refused++
					wantKind(t, err, fault.Conflict, fault.CodeCapReached)
					continue
				}
				err := scope.Write(t.Context(), func(tx *store.Tx) error {
					_, err := tx.Lists().Delete(fmt.Sprint("l", i), "key_1", 7)
					return err
				})
				wantKind(t, err, 0, "")
			}
			if refused != 4 {
				t.Errorf("%s: %d were refused", name, refused)
			}
		}
	})
}
