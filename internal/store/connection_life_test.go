package store_test

import (
	"testing"
	"time"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestConnectionLife checks that no pool uses a connection to PostgreSQL for longer than its life, and that a
// connection within its life is used again.
func TestConnectionLife(t *testing.T) {
	t.Parallel()
	storetest.NeedPostgres(t)
	url := storetest.Postgres(t)
	for _, c := range []struct {
		name  string
		life  time.Duration
		again bool
	}{
		{"over immediately", time.Nanosecond, false},
		{"the default", 0, true},
	} {
		first, second, err := store.Backends(t.Context(), url, c.life)
		if err != nil {
			t.Fatal(err)
		}
		for i, pool := range []string{"reader", "writer", "side"} {
			if again := first[i] == second[i]; again != c.again {
				t.Errorf("%s: the %s used its connection again: %v", c.name, pool, again)
			}
		}
	}
}

// TestUnconfirmedReadsShareACommit lets many callers wait for rows that may not be durable. One commit must answer all
// of them. Only one scope writes, because batches are kept short while several scopes do.
func TestUnconfirmedReadsShareACommit(t *testing.T) {
	t.Parallel()
	storetest.NeedPostgres(t)
	db := storetest.Open(t, storetest.Postgres(t), store.Options{Timeout: failSafe})
	scope := db.Scope("ten_A", "sandbox")
	const readers = 20
	for i := range readers {
		id := numbered("dec", i)
		if err := scope.InsertDecision(t.Context(), write(id)); err != nil {
			t.Fatal(err)
		}
		scope.MarkUnconfirmed(id)
	}
	before := db.Stats().Batches
	release := holdBy(t, db, "ten_A")
	results := make(chan error, readers)
	for i := range readers {
		go func() {
			results <- scope.ReadOf(t.Context(), numbered("dec", i), func(tx *store.Tx) error {
				_, err := tx.Decisions().Get(numbered("dec", i))
				return err
			})
		}()
	}
	waiting(t, db, readers)
	release()
	for range readers {
		if err := outcome(t, results); err != nil {
			t.Error(err)
		}
	}
	if batches := db.Stats().Batches - before; batches != 2 { // one for holdBy and one for all the readers
		t.Errorf("%d commits", batches)
	}
	// The rows are confirmed now, so reading them needs no further commit.
	if _, err := scope.Decisions(t.Context()).Get(numbered("dec", 0)); err != nil {
		t.Error(err)
	}
	if batches := db.Stats().Batches - before; batches != 2 {
		t.Errorf("%d commits after a confirmed read", batches)
	}
}
