//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package store_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// hold keeps the committer busy until release is called, so that the writes of
// a test wait together.
func hold(t *testing.T, db *store.DB) (release func()) {
	t.Helper()
	return holdBy(t, db, "ten_HOLD")
}

// holdBy does the same as hold, with a write of the given tenant.
func holdBy(t *testing.T, db *store.DB, tenantID string) (release func()) {
	t.Helper()
	begun, done, free := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		err := db.Scope(tenantID, "sandbox").Write(context.Background(), func(*store.Tx) error {
			close(begun)
			<-free
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}()
	<-begun
	return func() {
		close(free)
		<-done
	}
}

// waiting blocks until n writes are in the queue.
func waiting(t *testing.T, db *store.DB, n int) {
	t.Helper()
	for db.Stats().Waiting != n {
		select {
		case <-t.Context().Done():
			t.Fatal("the writes did not arrive in time")
		case <-time.After(time.Millisecond):
		}
	}
}

// TestShared checks that waiting writes are committed together, that failed
// writes store nothing, and that the other writes are not affected.
func TestShared(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		const n = 40
		scope := db.Scope("ten_A", "sandbox")
		broken := errors.New("this write fails")
		release := hold(t, db)
		before := db.Stats().Batches
		errs := make([]error, n)
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() {
				w := write(numbered("dec", i))
				switch i % 4 {
				case 0: // fails after it has written
					errs[i] = scope.Write(t.Context(), func(tx *store.Tx) error {
						return errors.Join(tx.Decisions().Insert(w), broken)
					})
				case 1: // fails in the database, and makes the bulk insert fail too
					w.Decision.ID = "dec_same"
					errs[i] = scope.InsertDecision(t.Context(), w)
				case 2:
					errs[i] = scope.Write(t.Context(), func(tx *store.Tx) error { return tx.Decisions().Insert(w) })
				default:
					errs[i] = scope.InsertDecision(t.Context(), w)
				}
			})
		}
		waiting(t, db, n)
		release()
		all.Wait()
		stored := 0
		for i, err := range errs {
			switch {
			case err == nil:
				stored++
			case i%4 == 0 && errors.Is(err, broken), i%4 == 1 && kindOf(err) == fault.Conflict:
			default:
				t.Errorf("write %d: %v", i, err)
			}
		}
		if want := n/2 + 1; stored != want {
			t.Errorf("%d were answered with success, want %d", stored, want)
		}
		wantDecisions(t, scope, stored)
		if batches := db.Stats().Batches - before; batches != 2 { // one for hold and one for all the others
			t.Errorf("%d transactions", batches)
		}
	})
}

func TestPanic(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := db.Scope("ten_A", "sandbox")
		func() {
			defer func() {
				p, ok := recover().(*fault.Panic)
				if !ok || p.Value != "mine" || !strings.Contains(string(p.Stack), "commit_test.go") {
					t.Errorf("recovered %v", p)
				}
			}()
			err := scope.Write(t.Context(), func(tx *store.Tx) error {
				if err := tx.Decisions().Insert(write("dec_1")); err != nil {
					return err
				}
				panic("mine")
			})
			t.Error("returned", err)
		}()
		if err := scope.InsertDecision(t.Context(), write("dec_2")); err != nil {
			t.Error(err)
		}
		wantDecisions(t, scope, 1)
	})
}

// TestCancelled checks that a write does not run if its caller is cancelled
// before the write begins, and that a caller that is cancelled later still gets
// the outcome.
func TestCancelled(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := db.Scope("ten_A", "sandbox")
		release := hold(t, db)
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error)
		go func() { result <- scope.InsertDecision(ctx, write("dec_1")) }()
		waiting(t, db, 1)
		cancel()
		if err := <-result; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		release()
		if err := scope.InsertDecision(ctx, write("dec_2")); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		ctx, cancel = context.WithCancel(t.Context())
		err := scope.Write(ctx, func(tx *store.Tx) error {
			cancel()
			return tx.Decisions().Insert(write("dec_3"))
		})
		if err != nil {
			t.Errorf("got %v", err)
		}
		wantDecisions(t, scope, 1)
	})
}

func TestQueueFull(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.SQLite(t), store.Options{QueueSize: 1, QueueWait: time.Millisecond})
	scope := db.Scope("ten_A", "sandbox")
	release := hold(t, db)
	result := make(chan error)
	go func() { result <- scope.InsertDecision(t.Context(), write("dec_1")) }()
	waiting(t, db, 1)
	if err := scope.InsertDecision(t.Context(), write("dec_2")); kindOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
	release()
	if err := <-result; err != nil {
		t.Error(err)
	}
	wantDecisions(t, scope, 1)
}

// TestCloseDrains checks that Close commits the waiting writes, and that each write is
// answered.
func TestCloseDrains(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		const n = 20
		db := storetest.Open(t, databaseURL, store.Options{})
		release := hold(t, db)
		results := make(chan error, n)
		for i := range n {
			go func() {
				results <- db.Scope("ten_A", "sandbox").InsertDecision(t.Context(), write(numbered("dec", i)))
			}()
		}
		waiting(t, db, n)
		closed := make(chan error)
		go func() { closed <- db.Close() }()
		release()
		for range n {
			if err := <-results; err != nil {
				t.Error(err)
			}
		}
		if err := <-closed; err != nil {
			t.Error(err)
		}
		if err := db.Scope("ten_A", "sandbox").InsertDecision(t.Context(),
			write("dec_late")); kindOf(err) != fault.Unavailable {
			t.Errorf("after closing: %v", err)
		}
		wantDecisions(t, storetest.Open(t, databaseURL, store.Options{}).Scope("ten_A", "sandbox"), n)
	})
}
