package store_test

import (
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

// TestCrosswise makes two nodes lock two series in opposite orders. PostgreSQL
// ends one transaction to resolve the deadlock. The test checks that the write of
// that transaction is retried, and that no caller gets an error.
func TestCrosswise(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	nodes := []*store.DB{
		storetest.Open(t, databaseURL, store.Options{}), storetest.Open(t, databaseURL, store.Options{}),
	}
	seed := store.Seed{Tenant: store.Tenant{ID: "ten_A"}, User: store.User{ID: "usr_1", Email: "a@example.in"}}
	if err := nodes[0].System().CreateTenant(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	var met, done sync.WaitGroup
	met.Add(len(nodes))
	var runs atomic.Int32
	for i, node := range nodes {
		names := []string{"first", "second"}
		done.Go(func() {
			var once sync.Once
			err := node.Scope("ten_A", "sandbox").Write(t.Context(), func(tx *store.Tx) error {
				runs.Add(1)
				for k := range names {
					name := names[(i+k)%2]
					if _, err := tx.Scorecards().Insert(
						store.Scorecard{ID: fmt.Sprintf("sc_%d_%d", i, k), Name: name}); err != nil {
						return err
					}
					once.Do(func() { met.Done(); met.Wait() })
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	if runs.Load() < 3 {
		t.Errorf("%d runs: there was no deadlock", runs.Load())
	}
	cards, _, err := nodes[0].Scope("ten_A", "sandbox").Scorecards(t.Context()).List("", store.Page{})
	if err != nil || len(cards) != 4 {
		t.Errorf("got %d, %v", len(cards), err)
	}
}

// TestScopeLockedFirst makes one node meter and then lock the scope in one batch,
// while another node holds the lock and then meters. The batch must lock the
// scope at its start: if the second function of the batch took the lock, the two
// nodes would deadlock.
func TestScopeLockedFirst(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	first := storetest.Open(t, databaseURL, store.Options{})
	second := storetest.Open(t, databaseURL, store.Options{})
	seed := store.Seed{Tenant: store.Tenant{ID: "ten_A"}, User: store.User{ID: "usr_1", Email: "a@example.in"}}
	if err := first.System().CreateTenant(t.Context(), seed); err != nil {
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
	raw, blocked := storetest.Raw(t, databaseURL), 0
	for blocked == 0 && t.Context().Err() == nil {
		if err := raw.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_locks WHERE NOT granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(
			&blocked); err != nil {
			t.Error(err)
			break
		}
	}
	close(goOn)
	done.Wait()
	if n := runs.Load(); n != 4 {
		t.Errorf("four steps took %d: some were undone", n)
	}
}
