package store_test

import (
	"errors"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestWritableTellsTheTruth checks that Writable reports a full disk on the
// next call, even if small writes still succeed, and reports success again when
// there is space.
func TestWritableTellsTheTruth(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := storetest.Open(t, storetest.SQLite(t), store.Options{})
	scope := db.Scope("ten_A", "sandbox")
	writable := func(want bool) {
		t.Helper()
		err := db.Writable(ctx)
		var refusal *fault.Error
		if (err == nil) != want || err != nil && (!errors.As(err, &refusal) || refusal.Kind != fault.Unavailable) {
			t.Errorf("got %v, want writable %t", err, want)
		}
	}
	insert := func(id string, bytes int) error {
		return scope.InsertDecision(ctx,
			&store.DecisionWrite{Decision: store.Decision{ID: id, Response: make([]byte, bytes), PolicyKey: "default"}})
	}
	for range 3 {
		writable(true)
	}
	if err := insert("dec_1", 100); err != nil {
		t.Fatal(err)
	}
	writable(true)
	if err := db.LimitPages(ctx, 1); err != nil { // allow no new pages
		t.Fatal(err)
	}
	if err := insert("dec_2", 256<<10); err == nil {
		t.Fatal("there was room")
	}
	for range 3 {
		writable(false)
	}
	// A write that fits into existing pages does not show that there is disk space.
	if _, err := db.Secrets().Secret(ctx, []byte("s")); err != nil {
		t.Logf("a small write: %v", err)
	}
	writable(false)
	if err := db.LimitPages(ctx, 1<<30); err != nil {
		t.Fatal(err)
	}
	writable(true)
	if err := insert("dec_2", 256<<10); err != nil {
		t.Fatal(err)
	}
	writable(true)
}

// TestProbesDoNotGrow checks that the number of rows stays the same after many
// probes.
func TestProbesDoNotGrow(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		t.Helper()
		db := storetest.Open(t, databaseURL, store.Options{})
		for range 130 {
			if err := db.Writable(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		raw := storetest.Raw(t, databaseURL)
		tx, err := raw.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback() }()
		if db.Kind() == "postgres" {
			execAll(t, tx, "SELECT set_config('verdict.role', 'system', true)")
		}
		var n int
		if err := tx.QueryRowContext(t.Context(), "SELECT count(*) FROM installation").Scan(&n); err != nil || n != 2 {
			t.Errorf("%d rows, %v", n, err)
		}
	})
}
