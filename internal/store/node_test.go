package store_test

import (
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestManyTenants commits the writes of many scopes in one transaction. On
// PostgreSQL the row-level security scope changes within the transaction.
func TestManyTenants(t *testing.T) {
	t.Parallel()
	storetest.Each(t, testManyTenants)
}

func testManyTenants(t *testing.T, db *store.DB) {
	t.Helper()
	var scopes []*store.Scope
	for i := range 6 {
		scopes = append(scopes, db.Scope(fmt.Sprintf("ten_%d", i/2), []string{"sandbox", "live"}[i%2]))
	}
	const each = 5
	release := hold(t, db)
	before := db.Stats().Batches
	var all sync.WaitGroup
	writes := 0
	writing := func(run func() error) {
		writes++
		all.Go(func() {
			if err := run(); err != nil {
				t.Error(err)
			}
		})
	}
	for i := range each * len(scopes) {
		scope := scopes[i%len(scopes)]
		// The same ids in every scope do not conflict.
		writing(func() error { return scope.InsertDecision(t.Context(), write(numbered("dec", i/len(scopes)))) })
		if i%4 == 3 {
			writing(func() error {
				return scope.Write(t.Context(), func(tx *store.Tx) error {
					if tx.Tenant() != scope.Tenant() || tx.Environment() != scope.Environment() {
						t.Error("the transaction is another's")
					}
					return tx.Audit().Add(store.AuditEntry{ID: numbered("aud_more", i), Action: "looked"})
				})
			})
		}
	}
	waiting(t, db, writes)
	release()
	all.Wait()
	for _, scope := range scopes {
		wantDecisions(t, scope, each)
	}
	if batches := db.Stats().Batches - before; batches != 2 { // one for hold and one for all the others
		t.Errorf("%d transactions", batches)
	}
}

// TestCrosswise makes a write and another client of the database lock two series in opposite orders. The write gives
// up when it has waited for lock_timeout, or PostgreSQL ends its transaction because of the deadlock. The write is
// retried, and its caller gets no error.
func TestCrosswise(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	node := storetest.Open(t, databaseURL, store.Options{})
	seed := store.Seed{Tenant: store.Tenant{ID: "ten_A"}, User: store.User{ID: "usr_1", Email: "a@example.in"}}
	if err := node.Accounts().CreateTenant(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	scope := node.Scope("ten_A", "sandbox")
	insert := func(tx *store.Tx, id, name string) error {
		_, err := tx.Scorecards().Insert(store.Scorecard{ID: id, Name: name})
		return err
	}
	if err := scope.Write(t.Context(), func(tx *store.Tx) error {
		return errors.Join(insert(tx, "sc_1", "first"), insert(tx, "sc_2", "second"))
	}); err != nil {
		t.Fatal(err)
	}
	// PostgreSQL may end the other client's transaction instead; then both try again.
	raw := storetest.Raw(t, databaseURL)
	deadlocks, written := int32(0), 2
	for try := 0; deadlocks == 0 && t.Context().Err() == nil; try++ {
		other, err := raw.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		lock := func(series string) error {
			_, err := other.ExecContext(t.Context(), "UPDATE series SET name = name WHERE name = $1", series)
			return err
		}
		if _, err := other.ExecContext(t.Context(), "SELECT set_config('verdict.role', 'system', true)"); err != nil {
			t.Fatal(err)
		}
		if err := lock("second"); err != nil {
			t.Fatal(err)
		}
		var runs atomic.Int32
		ended := make(chan error, 1)
		go func() {
			ended <- scope.Write(t.Context(), func(tx *store.Tx) error {
				runs.Add(1)
				return errors.Join(
					insert(tx, fmt.Sprintf("sc_%d_1", try), "first"), insert(tx, fmt.Sprintf("sc_%d_2", try), "second"))
			})
		}()
		waitForLock(t, raw)
		_ = lock("first") // fails if PostgreSQL ends this transaction
		_ = other.Commit()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		deadlocks, written = runs.Load()-1, written+2
	}
	cards, _, err := scope.Scorecards(t.Context()).List("", store.Page{Limit: 1000})
	if err != nil || len(cards) != written {
		t.Errorf("got %d, want %d: %v", len(cards), written, err)
	}
}

// TestScopeLockedFirst makes one node count usage and then lock the scope in one batch, while another node holds the
// lock and then counts usage. The batch must lock the scope at its start: if the second function of the batch took the
// lock, the two nodes would deadlock.
func TestScopeLockedFirst(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	first := storetest.Open(t, databaseURL, store.Options{})
	second := storetest.Open(t, databaseURL, store.Options{})
	seed := store.Seed{Tenant: store.Tenant{ID: "ten_A"}, User: store.User{ID: "usr_1", Email: "a@example.in"}}
	if err := first.Accounts().CreateTenant(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	var runs atomic.Int32
	meter := func(tx *store.Tx) error {
		runs.Add(1)
		return tx.Usage().Meter(store.Meter{
			Period:   "2026-11",
			Day:      "2026-11-15",
			Endpoint: "POST /v1/decisions",
			Units:    1,
			Billable: true,
			Quota:    store.Unmetered,
		})
	}
	locks := func(tx *store.Tx) error {
		runs.Add(1)
		return tx.PincodeRisks().Put([]store.PincodeRisk{{Pincode: "400001", Risk: "LOW"}})
	}
	var done sync.WaitGroup
	writes := func(db *store.DB, run func(*store.Tx) error) {
		done.Go(func() {
			if err := db.Scope("ten_A", "sandbox").Write(t.Context(), run); err != nil {
				t.Error(err)
			}
		})
	}
	locked, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	release := hold(t, second)
	writes(second, meter)
	waiting(t, second, 1)
	writes(second, locks)
	waiting(t, second, 2)
	writes(first, func(tx *store.Tx) error {
		if err := locks(tx); err != nil {
			return err
		}
		once.Do(func() { close(locked) })
		<-goOn
		return meter(tx)
	})
	<-locked
	release()
	// Wait until the second node waits for the first.
	waitForLock(t, storetest.Raw(t, databaseURL))
	close(goOn)
	done.Wait()
	if n := runs.Load(); n != 4 {
		t.Errorf("four steps took %d: some were undone", n)
	}
}

// waitForLock waits until a transaction on the database waits for a lock.
func waitForLock(t *testing.T, raw *sql.DB) {
	t.Helper()
	for blocked := 0; blocked == 0 && t.Context().Err() == nil; {
		if err := raw.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE wait_event_type = 'Lock' AND datname = current_database()`).Scan(&blocked); err != nil {
			t.Fatal(err)
		}
	}
}
