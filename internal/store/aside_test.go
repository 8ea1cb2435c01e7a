package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// failSafe ends a test that would otherwise hang. No test result depends on its
// value.
const failSafe = 2 * time.Minute

// lockUsage locks usage rows until release is called: those of the tenants whose ids match the LIKE pattern in the
// parameter tenants. The transaction that holds the lock bypasses the store.
func lockUsage(t *testing.T, raw *sql.DB, tenants string) (release func()) {
	t.Helper()
	tx, err := raw.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = tx.ExecContext(t.Context(), "SELECT set_config('verdict.role', 'system', true)"); err == nil {
		_, err = tx.ExecContext(t.Context(), "SELECT used FROM usage_totals WHERE tenant_id LIKE $1 FOR UPDATE",
			tenants)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
	}
}

// inserting stores a decision in the background and returns a channel with the
// outcome.
func inserting(t *testing.T, scope *store.Scope, id string) <-chan error {
	t.Helper()
	result := make(chan error, 1)
	go func() { result <- scope.InsertDecision(t.Context(), write(id)) }()
	return result
}

func outcome(t *testing.T, result <-chan error) error {
	t.Helper()
	select {
	case err := <-result:
		return err
	case <-time.After(failSafe):
		t.Fatal("no answer")
		return nil
	}
}

func unanswered(t *testing.T, result <-chan error) {
	t.Helper()
	select {
	case err := <-result:
		t.Errorf("answered while the row is locked: %v", err)
	default:
	}
}

// setAside blocks until a scope is set aside.
func setAside(t *testing.T, db *store.DB) {
	t.Helper()
	for db.Blocked() == 0 {
		select {
		case <-t.Context().Done():
			t.Fatal("no scope was set aside")
		case <-time.After(time.Millisecond):
		}
	}
}

// wantNoneBlocked waits until no scope is set aside, and fails the test if that takes too long.
func wantNoneBlocked(t *testing.T, db *store.DB) {
	t.Helper()
	eventually(t, "the end of the lane", func() error {
		if db.Blocked() > 0 {
			return errors.New("the scope is still set aside")
		}
		return nil
	})
}

// TestBlockedScope locks a row of one tenant. It checks that the writes of other
// tenants are stored while the lock is held, both in the same batch and in later
// batches. The tenant's own writes must be stored after the lock is released.
func TestBlockedScope(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	db := storetest.Open(t, databaseURL, store.Options{Timeout: failSafe})
	blocked, free := db.Scope("ten_A", "sandbox"), db.Scope("ten_B", "sandbox")
	for _, scope := range []*store.Scope{blocked, free} {
		if err := scope.InsertDecision(t.Context(), write("dec_1")); err != nil {
			t.Fatal(err)
		}
	}
	unlock := lockUsage(t, storetest.Raw(t, databaseURL), "ten_A")
	release := hold(t, db)
	first, neighbour := inserting(t, blocked, "dec_2"), inserting(t, free, "dec_2")
	waiting(t, db, 2)
	release()
	if err := outcome(t, neighbour); err != nil {
		t.Errorf("the neighbour: %v", err)
	}
	unanswered(t, first)
	second := inserting(t, blocked, "dec_3") // this write is added to the side lane
	for i := range 20 {
		if err := outcome(t, inserting(t, free, numbered("dec", i))); err != nil {
			t.Errorf("a later neighbour: %v", err)
		}
	}
	// Other scopes are not blocked, not even the tenant's other environment.
	if err := db.Scope("ten_A", "live").InsertDecision(t.Context(), write("dec_1")); err != nil {
		t.Errorf("the other environment: %v", err)
	}
	unanswered(t, first)
	unanswered(t, second)
	unlock()
	for _, result := range []<-chan error{first, second} {
		if err := outcome(t, result); err != nil {
			t.Errorf("after the lock: %v", err)
		}
	}
	if err := blocked.InsertDecision(t.Context(), write("dec_4")); err != nil {
		t.Error(err)
	}
	wantDecisions(t, blocked, 4)
	wantDecisions(t, free, 22)
}

// TestBlockedSiblings locks the rows of both environments of a tenant. It checks that a blocked write in one
// environment also sets the other environment aside, so that the shared batch does not wait for the other
// environment too. A scope of the tenant that is not locked must leave its side lane with its first write.
func TestBlockedSiblings(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	db := storetest.Open(t, databaseURL, store.Options{Timeout: failSafe})
	sandbox, live := db.Scope("ten_A", "sandbox"), db.Scope("ten_A", "live")
	for _, scope := range []*store.Scope{sandbox, live, db.Scope("ten_B", "live")} {
		if err := scope.InsertDecision(t.Context(), write("dec_1")); err != nil {
			t.Fatal(err)
		}
	}
	unlock := lockUsage(t, storetest.Raw(t, databaseURL), "ten_A")
	first := inserting(t, sandbox, "dec_2")
	setAside(t, db)
	if n := db.Blocked(); n != 2 {
		t.Errorf("%d scopes are set aside, want both environments of the tenant and no other", n)
	}
	unlock()
	for _, result := range []<-chan error{first, inserting(t, live, "dec_2")} {
		if err := outcome(t, result); err != nil {
			t.Error(err)
		}
	}
	wantNoneBlocked(t, db)
}

// TestBlockedDecisionsStayAside locks a row that decisions need. It checks that Write succeeds in the scope with a
// function that does not need the row, and that the scope still stays set aside. Otherwise its next decision would
// delay the shared batch again.
func TestBlockedDecisionsStayAside(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	db := storetest.Open(t, databaseURL, store.Options{Timeout: failSafe})
	scope := db.Scope("ten_A", "sandbox")
	if err := scope.InsertDecision(t.Context(), write("dec_1")); err != nil {
		t.Fatal(err)
	}
	unlock := lockUsage(t, storetest.Raw(t, databaseURL), "ten_A")
	ctx, giveUp := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() { first <- scope.InsertDecision(ctx, write("dec_2")) }()
	setAside(t, db)
	giveUp()
	if err := outcome(t, first); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := scope.Write(t.Context(), func(*store.Tx) error { return nil }); err != nil {
		t.Error(err)
	}
	if db.Blocked() != 1 {
		t.Error("after a function that needs no lock, the scope is no longer set aside")
	}
	unlock()
	if err := outcome(t, inserting(t, scope, "dec_3")); err != nil {
		t.Error(err)
	}
	wantNoneBlocked(t, db)
}

// TestStuckLanes locks rows of more tenants than there are side connections. It checks that some connections stay free
// for scopes that are blocked for a moment only.
func TestStuckLanes(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	db := storetest.Open(t, databaseURL, store.Options{Timeout: failSafe})
	_, all := db.SideConnections()
	for i := range all + 1 {
		if err := db.Scope(numbered("ten", i), "sandbox").InsertDecision(t.Context(), write("dec_1")); err != nil {
			t.Fatal(err)
		}
	}
	unlock := lockUsage(t, storetest.Raw(t, databaseURL), "ten%")
	var results []<-chan error
	for i := range all + 1 {
		results = append(results, inserting(t, db.Scope(numbered("ten", i), "sandbox"), "dec_2"))
	}
	eventually(t, "every lane stuck", func() error {
		if n := db.Stuck(); n != all+1 {
			return fmt.Errorf("%d scopes are stuck, want %d", n, all+1)
		}
		return nil
	})
	for range 100 {
		if used, _ := db.SideConnections(); used > all/2 {
			t.Fatalf("stuck lanes use %d of %d side connections", used, all)
		}
		<-time.After(time.Millisecond)
	}
	unlock()
	for _, result := range results {
		if err := outcome(t, result); err != nil {
			t.Error(err)
		}
	}
}

// TestBlockedAlone locks a row of the only scope that writes. It checks that both an InsertDecision and a Write wait,
// and that their changes are stored after the lock is released.
func TestBlockedAlone(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	db := storetest.Open(t, databaseURL, store.Options{Timeout: failSafe})
	scope := db.Scope("ten_A", "sandbox")
	if err := scope.InsertDecision(t.Context(), write("dec_1")); err != nil {
		t.Fatal(err)
	}
	unlock := lockUsage(t, storetest.Raw(t, databaseURL), "ten_A")
	decision := inserting(t, scope, "dec_2")
	setAside(t, db)
	function := make(chan error, 1)
	go func() {
		function <- scope.Write(t.Context(), func(tx *store.Tx) error { return tx.Decisions().Insert(write("dec_3")) })
	}()
	unanswered(t, decision)
	unlock()
	for _, result := range []<-chan error{decision, function} {
		if err := outcome(t, result); err != nil {
			t.Error(err)
		}
	}
	wantDecisions(t, scope, 3)
}

// TestBlockedDeadline checks that a blocked write ends at its deadline, or when
// its caller is cancelled, even while the lock is held, and that nothing of the
// write is stored.
func TestBlockedDeadline(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	db := storetest.Open(t, databaseURL, store.Options{Timeout: failSafe})
	scope := db.Scope("ten_A", "sandbox")
	if err := scope.InsertDecision(t.Context(), write("dec_1")); err != nil {
		t.Fatal(err)
	}
	unlock := lockUsage(t, storetest.Raw(t, databaseURL), "ten_A")
	ctx, cancel := context.WithCancel(t.Context())
	left, late := make(chan error, 1), make(chan error, 1)
	go func() { left <- scope.InsertDecision(ctx, write("dec_2")) }()
	setAside(t, db)
	go func() {
		late <- scope.InsertDecisionBy(t.Context(), write("dec_3"), time.Now().Add(10*time.Millisecond))
	}()
	if err := outcome(t, late); kindOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
	unanswered(t, left)
	cancel()
	if err := outcome(t, left); err == nil {
		t.Error("stored although its caller was cancelled")
	}
	wantDecisions(t, scope, 1)
	// No write waits any more, but the scope stays set aside until one of its writes
	// succeeds.
	if db.Blocked() != 1 {
		t.Errorf("%d scopes are set aside", db.Blocked())
	}
	again := inserting(t, scope, "dec_4")
	if err := outcome(t, inserting(t, db.Scope("ten_B", "sandbox"), "dec_1")); err != nil {
		t.Errorf("the neighbour: %v", err)
	}
	unanswered(t, again)
	unlock()
	if err := outcome(t, again); err != nil {
		t.Errorf("after the lock: %v", err)
	}
	wantNoneBlocked(t, db)
}

// TestBlockedSystem locks a tenant's row that the flush of unbilled usage needs.
// It checks that a signup does not wait for the flush, and that the flush
// succeeds after the lock is released.
func TestBlockedSystem(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	db := storetest.Open(t, databaseURL, store.Options{Timeout: failSafe})
	adds := []store.UsageAdd{{TenantID: "ten_A", Environment: "sandbox", Meter: store.Meter{
		Period: "2026-11", Day: "2026-11-15", Endpoint: "POST /v1/eligibility", Units: 1, Quota: store.Unmetered,
	}}}
	if err := db.System().AddUsage(t.Context(), adds); err != nil {
		t.Fatal(err)
	}
	tx, err := storetest.Raw(t, databaseURL).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"SELECT set_config('verdict.role', 'system', true)", "UPDATE usage_counters SET units = units",
	} {
		if _, err := tx.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	flush := make(chan error, 1)
	go func() { flush <- db.System().AddUsage(t.Context(), adds) }()
	setAside(t, db)
	seed := store.Seed{Tenant: store.Tenant{ID: "ten_B"}, User: store.User{ID: "usr_1", Email: "b@example.in"}}
	if err := db.Accounts().CreateTenant(t.Context(), seed); err != nil {
		t.Errorf("signup: %v", err)
	}
	unanswered(t, flush)
	if err := tx.Rollback(); err != nil {
		t.Error(err)
	}
	if err := outcome(t, flush); err != nil {
		t.Errorf("the flush: %v", err)
	}
}

// TestScopeShare fills the queue from one scope and checks that another scope
// can still write.
func TestScopeShare(t *testing.T) {
	t.Parallel()
	options := store.Options{QueueSize: 8, QueueWait: time.Millisecond, Timeout: failSafe}
	db := storetest.Open(t, storetest.SQLite(t), options)
	greedy, modest := db.Scope("ten_A", "sandbox"), db.Scope("ten_B", "sandbox")
	release := hold(t, db)
	var results []<-chan error
	for i := range 4 {
		results = append(results, inserting(t, greedy, numbered("dec", i)))
	}
	waiting(t, db, 4)
	if err := greedy.InsertDecision(t.Context(), write("dec_more")); kindOf(err) != fault.Unavailable {
		t.Errorf("more than its share: %v", err)
	}
	results = append(results, inserting(t, modest, "dec_1"))
	waiting(t, db, 5)
	release()
	for _, result := range results {
		if err := outcome(t, result); err != nil {
			t.Error(err)
		}
	}
	wantDecisions(t, greedy, 4)
	wantDecisions(t, modest, 1)
}

// TestPausedNode stops a node in the middle of a transaction that has locked a
// row of a scope. It checks that the server ends that transaction. While the
// first node is still paused, another node's writes to the scope must be stored,
// and writes to other scopes must not wait.
func TestPausedNode(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	paused := storetest.Open(t, databaseURL, store.Options{})
	healthy := storetest.Open(t, databaseURL, store.Options{Timeout: failSafe})
	locks, resume, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- paused.Scope("ten_A", "sandbox").Write(t.Context(), func(tx *store.Tx) error {
			if err := tx.Decisions().Insert(write("dec_1")); err != nil {
				return err
			}
			close(locks)
			<-resume
			return nil
		})
	}()
	select {
	case <-locks:
	case err := <-ended:
		t.Fatal(err)
	}
	scope := healthy.Scope("ten_A", "sandbox")
	same := inserting(t, scope, "dec_2")
	if err := outcome(t, inserting(t, healthy.Scope("ten_B", "sandbox"), "dec_1")); err != nil {
		t.Errorf("another scope: %v", err)
	}
	if err := outcome(t, same); err != nil {
		t.Errorf("the same scope: %v", err)
	}
	close(resume)
	if err := outcome(t, ended); kindOf(err) != fault.Unavailable {
		t.Errorf("the paused node: %v", err)
	}
	wantDecisions(t, scope, 1)
}
