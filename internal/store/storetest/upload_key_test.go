//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"slices"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// uploadKey returns the number of the key of an upload.
func uploadKey(n int64) int64 { return store.LastUploadKey - n }

// addUpload stores the key of an upload, and its job: a batch if the id begins with "bat", otherwise a backtest with
// three chunks.
func addUpload(t *testing.T, scope *store.Scope, id, source string, key, finishedMicros int64) {
	t.Helper()
	change(t, scope, func(tx *store.Tx) error {
		if key <= store.LastUploadKey {
			if err := tx.KeyTrees().AddUpload(store.StoredTree{Number: key, Tree: []byte{1, byte(-key)}}); err != nil {
				return err
			}
		}
		if id[:3] == "bat" {
			b := batchJob(id)
			b.Status, b.UploadKey, b.FinishedMicros, b.Chunks = store.BatchJobCompleted, key, finishedMicros, 1
			return tx.BatchJobs().Insert(b)
		}
		b := run(id)
		b.Status, b.Source, b.UploadKey, b.FinishedMicros = store.BacktestSucceeded, source, key, finishedMicros
		if err := tx.Backtests().Insert(b); err != nil {
			return err
		}
		for number := range int64(3) {
			c := chunk(number + 1)
			c.Done, c.Result = true, []byte{7}
			if err := tx.Backtests().InsertChunk(id, c); err != nil {
				return err
			}
		}
		return nil
	})
}

// hasKey reports whether a key is stored.
func hasKey(t *testing.T, db *store.DB, tenant string, number int64) bool {
	t.Helper()
	_, found, err := db.Secrets().KeyTree(t.Context(), tenant, number)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestDestroyUploadKeys checks that the keys of uploads whose jobs ended before a time are destroyed, a few steps at a
// time. The uploaded rows of these backtests must be deleted too, but not their results or other rows.
func TestDestroyUploadKeys(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, jobs := t.Context(), db.Jobs()
		a, b := signUp(t, db, "ten_A"), signUp(t, db, "ten_B")
		addUpload(t, a, "bt_old", "csv", uploadKey(1), 2000)
		addUpload(t, b, "bt_readable", "rows", store.UploadsReadable, 2500) // from an earlier version, or unencrypted
		addUpload(t, a, "bt_replay", "decisions", store.UploadsReadable, 2600)
		addUpload(t, a, "bt_young", "csv", uploadKey(2), 4000)
		addUpload(t, b, "bat_old", "", uploadKey(3), 2000)
		addUpload(t, b, "bat_young", "", uploadKey(4), 4000)
		before, err := a.StoredBytes(ctx).Sum()
		if err != nil {
			t.Fatal(err)
		}
		if destroyed, err := db.System().ErasedSince(ctx, 0); destroyed || err != nil {
			t.Errorf("something was destroyed before: %t, %v", destroyed, err)
		}
		var steps []int64
		for {
			n, err := jobs.DestroyUploadKeys(ctx, 4000, 9000, 4)
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				break
			}
			steps = append(steps, n)
		}
		// bt_old has three chunks and a key, bt_readable three chunks and a mark, bt_replay a mark, and bat_old a key.
		if want := []int64{4, 4, 2}; !slices.Equal(steps, want) {
			t.Errorf("steps were %v, want %v", steps, want)
		}
		for number, want := range map[int64]bool{1: false, 2: true, 3: false, 4: true} {
			tenant := "ten_A"
			if number > 2 {
				tenant = "ten_B"
			}
			if got := hasKey(t, db, tenant, uploadKey(number)); got != want {
				t.Errorf("key %d is stored: %t, want %t", number, got, want)
			}
		}
		for _, c := range []struct {
			scope *store.Scope
			id    string
			key   int64
			rows  int
		}{
			{a, "bt_old", 0, 0},
			{b, "bt_readable", 0, 0},
			{a, "bt_replay", 0, 3},
			{a, "bt_young", uploadKey(2), 3},
		} {
			inputs, results := 0, 0
			err := c.scope.Backtests(ctx).WalkInputs(c.id, func(chunk store.BacktestChunk) error {
				inputs += min(1, len(chunk.Input))
				return nil
			})
			wantKind(t, err, 0, "")
			err = c.scope.Backtests(ctx).WalkResults(c.id, func(chunk store.BacktestChunk) error {
				results += len(chunk.Result)
				return nil
			})
			wantKind(t, err, 0, "")
			if got, err := c.scope.Backtests(ctx).Get(c.id); err != nil || got.UploadKey != c.key || inputs != c.rows ||
				results != 3 || got.Purged {
				t.Errorf("%s: key %d, %d chunks with rows, %d results, purged %t, %v", c.id, got.UploadKey, inputs,
					results, got.Purged, err)
			}
		}
		if after, err := a.StoredBytes(ctx).Sum(); err != nil || after != before-9 { // three chunks of three bytes
			t.Errorf("%d bytes are stored, before %d; %v", after, before, err)
		}
		for micros, want := range map[int64]bool{0: true, 8999: true, 9000: false} {
			if destroyed, err := db.System().ErasedSince(ctx, micros); destroyed != want || err != nil {
				t.Errorf("destroyed since %d: %t, %v", micros, destroyed, err)
			}
		}
	})
}

// TestDestroyUploadKeysOfDeletedBatches checks that the key of a deleted batch is destroyed soon, whatever is deleted
// first: the key or the chunks. Nothing of the batch is left then.
func TestDestroyUploadKeysOfDeletedBatches(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		destroy := func() {
			if _, err := db.Jobs().DestroyUploadKeys(ctx, 0, 9000, 10); err != nil {
				t.Fatal(err)
			}
		}
		purge := func() {
			if _, err := db.Jobs().PurgeBatchJobs(ctx, 0, 10); err != nil {
				t.Fatal(err)
			}
		}
		for i, order := range [][]func(){{destroy, purge}, {purge, destroy}} {
			id, key := numbered("bat", i), uploadKey(int64(i))
			addUpload(t, scope, id, "", key, 8000)
			destroy()
			if !hasKey(t, db, "ten_A", key) {
				t.Errorf("the key of a batch that has just ended is destroyed")
			}
			change(t, scope, func(tx *store.Tx) error { return tx.BatchJobs().Delete(id) })
			for _, do := range order {
				do()
			}
			left, found := storetest.Dump(t, databaseURL)["batches.id"], hasKey(t, db, "ten_A", key)
			if len(left) > 0 || found {
				t.Errorf("%s: the batches %q are stored, and the key: %t", id, left, found)
			}
		}
	})
}

// TestDestroyUploadKeysRaces destroys keys on two nodes at the same time.
func TestDestroyUploadKeysRaces(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		nodes := []*store.DB{db, secondNode(t, db, databaseURL)}
		scope := signUp(t, db, "ten_A")
		for i := range 10 {
			addUpload(t, scope, numbered("bt", i), "csv", uploadKey(int64(i)), 2000)
			addUpload(t, scope, numbered("bat", i), "", uploadKey(int64(100+i)), 2000)
		}
		succeeded(t, race(8, func(i int) error {
			for {
				n, err := nodes[i%2].Jobs().DestroyUploadKeys(t.Context(), 3000, 9000, 3)
				if err != nil || n == 0 {
					return err
				}
			}
		}), 0, "")
		for i := range 10 {
			got, err := scope.Backtests(t.Context()).Get(numbered("bt", i))
			if err != nil || got.UploadKey != 0 || hasKey(t, db, "ten_A", uploadKey(int64(i))) ||
				hasKey(t, db, "ten_A", uploadKey(int64(100+i))) {
				t.Errorf("%d: %+v, %v", i, got, err)
			}
		}
	})
}
