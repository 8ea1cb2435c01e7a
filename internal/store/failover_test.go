package store_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"verdict/internal/fault"
	"verdict/internal/pgcluster"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestFollowsPromotion freezes the primary, which the URL lists first, and promotes the
// standby. It checks that callers that wait for the frozen server are answered long
// before their own timeout, and that writes continue on the new primary. When the old
// primary runs again, it must be neither written to nor read from.
func TestFollowsPromotion(t *testing.T) {
	t.Parallel()
	first, second := synchronousPair(t)
	db := storetest.Open(t, pgcluster.URLs("ledger", first, second), store.Options{Timeout: failSafe})
	scope := db.Scope("ten_A", "sandbox")
	if err := scope.InsertDecision(t.Context(), write("dec_1")); err != nil {
		t.Fatal(err)
	}
	fillPool(t, scope)
	first.Freeze()
	var waits sync.WaitGroup
	var written error
	waits.Go(func() { written = scope.InsertDecision(t.Context(), write("dec_2")) })
	for range 3 {
		waits.Go(func() {
			if _, err := scope.Decisions(t.Context()).Get("dec_1"); err != nil {
				t.Errorf("a read that waited for the frozen server: %v", err)
			}
		})
	}
	if err := second.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	waits.Wait()
	if written != nil && kindOf(written) != fault.Unavailable {
		t.Errorf("a write that waited for the frozen server: %v", written)
	}
	eventually(t, "writing to the new primary",
		func() error { return scope.InsertDecision(t.Context(), write("dec_3")) })
	first.Thaw()
	for i := range 5 {
		fillPool(t, scope)
		if _, err := scope.Decisions(t.Context()).Get("dec_3"); err != nil {
			t.Errorf("reading from the new primary: %v", err)
		}
		if err := scope.InsertDecision(t.Context(), write(numbered("dec", i))); err != nil {
			t.Errorf("writing: %v", err)
		}
	}
	want := 7
	if written == nil {
		want++
	}
	wantDecisions(t, scope, want)
}

// TestOldPrimary checks that a node stops using a running primary when it sees
// that another server was promoted.
func TestOldPrimary(t *testing.T) {
	t.Parallel()
	first, second := synchronousPair(t)
	if err := first.Synchronous(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	db := storetest.Open(t, pgcluster.URLs("ledger", first, second), store.Options{Timeout: failSafe})
	scope := db.Scope("ten_A", "sandbox")
	fillPool(t, scope)
	if err := second.Promote(t.Context()); err != nil { // the first server keeps running
		t.Fatal(err)
	}
	eventually(t, "leaving the old primary", func() error {
		// After a write to either server, there must be no connection to the old primary.
		if err := scope.InsertDecision(t.Context(), write("dec_1")); err != nil && kindOf(err) != fault.Conflict {
			return err
		}
		if db.ConnectionsOf(1) > 0 {
			return errors.New("there are connections to the old primary")
		}
		return nil
	})
	// If the old primary accepted the write, the new primary does not have it, so
	// repeat it.
	if err := scope.InsertDecision(t.Context(), write("dec_1")); err != nil && kindOf(err) != fault.Conflict {
		t.Fatal(err)
	}
	fillPool(t, scope)
	seen(t, second.URL("ledger"), 1)
	if _, err := scope.Decisions(t.Context()).Get("dec_1"); err != nil {
		t.Errorf("reading from the new primary: %v", err)
	}
	if n := db.ConnectionsOf(1); n > 0 {
		t.Errorf("%d connections to the old primary", n)
	}
	standbyOnly := second.URL("ledger") + "&target_session_attrs=standby"
	if _, err := store.Open(t.Context(), standbyOnly, store.Options{}); err == nil {
		t.Error("opened a server that the URL excludes")
	}
}

// TestCloseAfterCut checks that Close returns no error if idle connections were
// closed before, as happens after a promotion.
func TestCloseAfterCut(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), storetest.Postgres(t), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	fillPool(t, db.Scope("ten_A", "sandbox"))
	if n := db.MeetTimeline(1 << 30); n < 5 {
		t.Errorf("%d connections were cut", n)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// TestReadOnlyServer checks that a connection whose server refuses writes is
// not used a second time.
func TestReadOnlyServer(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.Postgres(t), store.Options{})
	scope := db.Scope("ten_A", "sandbox")
	if err := db.MakeWriterReadOnly(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := scope.InsertDecision(t.Context(), write("dec_1")); kindOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
	if err := scope.InsertDecision(t.Context(), write("dec_1")); err != nil {
		t.Errorf("the connection was used again: %v", err)
	}
}

// TestNothingStaleAfterPromotion promotes the standby while the old primary keeps running, and deletes the decisions
// on the new primary. The node's next read and write must be answered by the new primary. The node must check the
// server even after a refused write: a write that the old primary refuses commits nothing, so it does not wait for a
// standby.
func TestNothingStaleAfterPromotion(t *testing.T) {
	t.Parallel()
	first, second := synchronousPair(t)
	db := storetest.Open(t, pgcluster.URLs("ledger", first, second), store.Options{Timeout: failSafe})
	scope := db.Scope("ten_A", "sandbox")
	for _, id := range []string{"dec_1", "dec_2"} {
		if err := scope.InsertDecision(t.Context(), write(id)); err != nil {
			t.Fatal(err)
		}
	}
	fillPool(t, scope)
	if err := second.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), second.URL("ledger"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	if _, err := conn.Exec(t.Context(), "TRUNCATE decisions CASCADE"); err != nil {
		t.Fatal(err)
	}
	var inserted, found error
	var both sync.WaitGroup
	both.Go(func() { inserted = scope.InsertDecision(t.Context(), write("dec_1")) })
	both.Go(func() { _, found = scope.Decisions(t.Context()).Get("dec_2") })
	both.Wait()
	if kindOf(inserted) == fault.Unavailable {
		// The read noticed the promotion and closed the connection of this write. The
		// outcome of the write is unknown, so it is retried.
		inserted = scope.InsertDecision(t.Context(), write("dec_1"))
	}
	if inserted != nil {
		t.Errorf("a write was refused because of what the old primary has: %v", inserted)
	}
	if kindOf(found) != fault.NotFound {
		t.Errorf("a read found what the old primary has: %v", found)
	}
	if n := db.ConnectionsOf(1); n > 0 {
		t.Errorf("%d connections to the old primary", n)
	}
}
