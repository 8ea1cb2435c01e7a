package storetest_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func checkpointOf(size int64) store.LogCheckpoint {
	return store.LogCheckpoint{
		Generation: 1, Size: size, Root: bytes.Repeat([]byte{byte(size)}, 32), Note: "note", SignedMicros: size,
	}
}

func fillLog(tx *store.Tx) error {
	tile := store.LogTile{Level: 0, Number: 0, Hashes: bytes.Repeat([]byte{1}, 32)}
	if err := tx.Log().PutTiles(1, []store.LogTile{tile}); err != nil {
		return err
	}
	cosigned := store.CosignedCheckpoint{Generation: 1, Size: 1, Root: tile.Hashes, Note: "cosigned", StoredMicros: 1}
	if err := tx.Log().PutCosigned(cosigned); err != nil {
		return err
	}
	return tx.Log().SetCheckpoint(checkpointOf(1))
}

// TestCosigned stores cosigned checkpoints, and finds the smallest one that is large enough.
func TestCosigned(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope, other := signUp(t, db, "ten_A"), signUp(t, db, "ten_B")
		put := func(generation, size int64, note string) store.CosignedCheckpoint {
			t.Helper()
			c := store.CosignedCheckpoint{
				Generation:   generation,
				Size:         size,
				Root:         bytes.Repeat([]byte{byte(size)}, 32),
				Note:         note,
				StoredMicros: 7,
			}
			err := scope.Write(t.Context(), func(tx *store.Tx) error { return tx.Log().PutCosigned(c) })
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		put(1, 9, "first")
		nine, five, reopened := put(1, 9, "second"), put(1, 5, "five"), put(2, 7, "seven")
		for _, c := range []struct {
			generation, minSize int64
			want                store.CosignedCheckpoint
		}{
			{1, 0, five}, {1, 5, five}, {1, 6, nine}, {1, 10, store.CosignedCheckpoint{}}, {2, 1, reopened},
			{3, 1, store.CosignedCheckpoint{}},
		} {
			got, err := scope.Log(t.Context()).Cosigned(c.generation, c.minSize)
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Errorf("%+v: %v (-want +got):\n%s", c, err, diff)
			}
		}
		if got, err := other.Log(t.Context()).Cosigned(1, 0); err != nil || got.Size != 0 {
			t.Errorf("a neighbour sees %+v, %v", got, err)
		}
	})
}

// TestLogOnlyGrows checks that neither a tile nor a checkpoint is replaced by a smaller one,
// that a stopped log keeps its checkpoint, and that scopes with unsigned entries are found.
func TestLogOnlyGrows(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		db.TakeGrown() // forget the journals that the signup has extended
		tile := func(n int) []store.LogTile {
			return []store.LogTile{{Level: 2, Number: 7, Hashes: make([]byte, 32*n)}}
		}
		want := func(tileSize int, c store.LogCheckpoint) {
			t.Helper()
			got, err := scope.Log(t.Context()).Checkpoint()
			if diff := cmp.Diff(c, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			found, err := scope.Log(t.Context()).Tiles(1,
				[]store.LogTile{{Level: 2, Number: 7}, {Level: 0, Number: 7}})
			if err != nil || len(found) != 2 || len(found[0]) != 32*tileSize || found[1] != nil {
				t.Errorf("the tiles are %v, %v", found, err)
			}
		}
		write := func(fn func(l store.Log) error) {
			t.Helper()
			if err := scope.Write(t.Context(), func(tx *store.Tx) error { return fn(tx.Log()) }); err != nil {
				t.Fatal(err)
			}
		}
		unsigned := func(want ...store.ScopeName) {
			t.Helper()
			found, err := db.System().Unsigned(t.Context(), store.ScopeName{}, 10)
			var got []store.ScopeName
			for _, scope := range found {
				got = append(got, scope.ScopeName)
				if scope.Environment == live &&
					scope.SinceMicros != 100 { // in the sandbox, the entry of the signup's key has the time 0 ms
					t.Errorf("%+v says nothing about the time", scope)
				}
			}
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		}
		want(0, store.LogCheckpoint{})
		stays := func(want bool) {
			t.Helper()
			if got, err := db.System().Stays(t.Context(), scope.Tenant()); err != nil || got != want {
				t.Errorf("the tenant stays: %t, %v", got, err)
			}
		}
		stays(false)
		unsigned() // a tenant that was never used may be removed, so its log is not signed
		for _, id := range []string{"dec_1", "dec_2"} {
			if err := scope.InsertDecision(t.Context(), decision(id, store.Unmetered)); err != nil {
				t.Fatal(err)
			}
		}
		name := store.ScopeName{Tenant: scope.Tenant(), Environment: scope.Environment()}
		if diff := cmp.Diff([]store.ScopeName{name}, db.TakeGrown()); diff != "" {
			t.Errorf("the grown journals (-want +got):\n%s", diff)
		}
		if grown := db.TakeGrown(); len(grown) != 0 {
			t.Errorf("%v have grown again", grown)
		}
		other := store.ScopeName{Tenant: scope.Tenant(), Environment: live}
		unsigned(other, name)
		stays(true)
		write(func(l store.Log) error { return l.Stop(1, "nothing is signed, so nothing can be stopped") })
		write(func(l store.Log) error { return l.PutTiles(1, tile(3)) })
		write(func(l store.Log) error { return l.PutTiles(1, tile(2)) })
		write(func(l store.Log) error { return l.SetCheckpoint(checkpointOf(2)) })
		write(func(l store.Log) error { return l.SetCheckpoint(checkpointOf(1)) })
		want(3, checkpointOf(2))
		size, err := scope.Journal(t.Context()).Size()
		if err != nil {
			t.Fatal(err)
		}
		write(func(l store.Log) error { return l.SetCheckpoint(checkpointOf(size)) })
		unsigned(other)
		stopped := checkpointOf(size)
		stopped.Stopped = "older"
		write(func(l store.Log) error { return l.Stop(1, "older") })
		write(func(l store.Log) error { return l.Stop(1, "later") })
		write(func(l store.Log) error { return l.SetCheckpoint(checkpointOf(size + 3)) })
		want(3, stopped)

		// A reopened log has its own tiles. Its first leaf is about the reopening, so it has one more leaf than
		// the journal has entries.
		reopened := store.LogCheckpoint{
			Generation: 2, Size: 1, Root: make([]byte, 32), Note: "again", SignedMicros: 9, Opening: "{}",
		}
		write(func(l store.Log) error { return l.SetCheckpoint(reopened) })
		want(3, reopened)
		unsigned(other, name)
		reopened.Size = size + 1
		write(func(l store.Log) error { return l.SetCheckpoint(reopened) })
		unsigned(other)
		if found, err := scope.Log(t.Context()).Tiles(2, tile(0)); err != nil || found[0] != nil {
			t.Errorf("the reopened log has the tiles %v, %v", found, err)
		}
		all, err := scope.Log(t.Context()).Checkpoints()
		if diff := cmp.Diff([]store.LogCheckpoint{stopped, reopened}, all); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}

// TestOutcomes reads more decisions by their ids than one statement takes. An unknown id and
// the id of another tenant's decision are left out of the result.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope, other := signUp(t, db, "ten_A"), signUp(t, db, "ten_B")
		ids := []string{"dec_none", "dec_other"}
		if err := other.InsertDecision(t.Context(), decision("dec_other", store.Unmetered)); err != nil {
			t.Fatal(err)
		}
		for i := range 130 {
			w := decision(numbered("dec", i), store.Unmetered)
			if err := scope.InsertDecision(t.Context(), w); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, w.Decision.ID)
		}
		found, err := scope.Decisions(t.Context()).Outcomes(ids)
		if err != nil || len(found) != 130 {
			t.Errorf("%d decisions, %v", len(found), err)
		}
		for _, id := range ids[2:] {
			d := found[id]
			if d.ID != id || d.Status == "" || d.Hash == "" || d.ApplicantRef != "" || d.Response != nil {
				t.Errorf("%s is %+v", id, d)
			}
		}
		if found, err := scope.Decisions(t.Context()).Outcomes(nil); err != nil || len(found) != 0 {
			t.Errorf("no ids: %v, %v", found, err)
		}
	})
}
