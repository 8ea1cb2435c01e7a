package app

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"testing"

	"verdict/internal/sealing"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestRotationInBatches replaces the master key of a tenant with many trees and parts of 1 MiB. Each
// transaction may encrypt only a few of them, because the writes of all tenants wait for it. Then the trees are
// backed up and restored.
func TestRotationInBatches(t *testing.T) {
	t.Parallel()
	everyDatabase(t, func(t *testing.T, databaseURL string) {
		b := newRotationBench(t, databaseURL)
		keys, err := b.source.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		const owner, large, perBatch = "ten_000", 16, 4
		name := func(number int64) string { return fmt.Sprintf("key tree %s %d", owner, number) }
		trees := map[int64][]byte{}
		for i := range int64(large) {
			number := 2 + i/2
			if i%2 == 1 {
				number = -(1<<32 | number)
			}
			trees[number] = make([]byte, 1<<20-200)
			_, _ = rand.Read(trees[number]) // never fails
			wrapped := sealing.NewEpoch(keys[0]).Wrap(name(number), trees[number])
			change := store.TreeChange{Number: number, Tree: wrapped}
			err := b.db.Scope(owner, "live").Write(t.Context(), func(tx *store.Tx) error {
				return tx.KeyTrees().Change([]store.TreeChange{change})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		var steps []int64 // the number of trees that are done after each transaction
		o := RotateOptions{Progress: func(done, _ int64) { steps = append(steps, done) }}
		if _, err := RotateMasterKey(t.Context(), b.config, b.db, o); err != nil {
			t.Fatal(err)
		}
		// The parts come first. The tenant's first tree is small and is part of the second transaction.
		if len(steps) < 5 || steps[1] > perBatch || steps[2] > 2*perBatch+1 ||
			steps[len(steps)-1] != large+int64(len(b.trees)) {
			t.Errorf("after each transaction were encrypted %v trees", steps)
		}
		check := func(db *store.DB) {
			t.Helper()
			keys, err := b.source.Read(t.Context())
			if err != nil || len(keys) != 1 {
				t.Fatalf("%d keys, %v", len(keys), err)
			}
			for number, want := range trees {
				stored, found, err := db.Secrets().KeyTree(t.Context(), owner, number)
				if err != nil || !found {
					t.Fatalf("tree %d: %v, %v", number, found, err)
				}
				got, err := sealing.NewEpoch(keys[0]).Unwrap(name(number), stored.Tree)
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("tree %d has %d bytes, %v", number, len(got), err)
				}
			}
		}
		check(b.db)

		var data, keysFile bytes.Buffer
		if _, err := BackUp(t.Context(), b.config, b.db, &data, &keysFile, nil); err != nil {
			t.Fatal(err)
		}
		c := b.config
		c.DatabaseURL = storetest.SQLite(t)
		if _, err := RestoreBackup(t.Context(), c, &data, RestoreOptions{Keys: &keysFile}); err != nil {
			t.Fatal(err)
		}
		check(storetest.Open(t, c.DatabaseURL, store.Options{}))
	})
}
