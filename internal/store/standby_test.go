package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"verdict/internal/fault"
	"verdict/internal/pgcluster"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// standbyName is the name of the pair's second server.
const standbyName = "second"

// synchronousPair starts a primary and a synchronous standby, with an empty database "ledger". Commits wait for the
// standby's acknowledgement.
func synchronousPair(t *testing.T) (primary, standby *pgcluster.Cluster) {
	t.Helper()
	storetest.NeedPostgres(t)
	primary, err := pgcluster.Start(t.Context(), pgcluster.Options{Settings: []string{"fsync=off"}})
	if err != nil {
		t.Fatal(err)
	}
	closed := func(c *pgcluster.Cluster) {
		t.Cleanup(func() {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	closed(primary)
	if _, err = primary.Create(t.Context(), "ledger"); err == nil {
		standby, err = primary.Standby(t.Context(), standbyName)
	}
	if err != nil {
		t.Fatal(err)
	}
	closed(standby)
	if err := primary.Synchronous(t.Context(), standbyName); err != nil {
		t.Fatal(err)
	}
	return primary, standby
}

// eventually repeats try until it succeeds.
func eventually(t *testing.T, what string, try func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), failSafe)
	defer cancel()
	for {
		err := try()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s: %v", what, err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// replayed looks up the stored answer of a write and returns an error if there
// is none.
func replayed(t *testing.T, db *store.DB, w *store.DecisionWrite) error {
	t.Helper()
	stored, err := db.Scope("ten_A", "sandbox").Answers(t.Context()).Lookup(w.Answer.Key, w.Answer.RequestHash, 1500)
	if err == nil && stored == nil {
		return errors.New("there is no answer")
	}
	return err
}

// TestReplayIsDurable stores decisions while the synchronous standby is stopped.
// Each write is refused, although its row is visible on the primary. Neither a
// replay nor a read may return the row until the standby has it.
func TestReplayIsDurable(t *testing.T) {
	t.Parallel()
	primary, standby := synchronousPair(t)
	url := primary.URL("ledger")
	node := storetest.Open(t, url, store.Options{Timeout: failSafe})
	hasty := storetest.Open(t, url, store.Options{Timeout: failSafe})
	other := storetest.Open(t, url, store.Options{Timeout: failSafe})
	scope := node.Scope("ten_A", "sandbox")
	if err := scope.InsertDecision(t.Context(), write("dec_0")); err != nil {
		t.Fatal(err)
	}
	standby.Stop()

	// If an operator cancels the wait for the standby, PostgreSQL reports the commit
	// as a success.
	plain, function := answering("dec_1", "order-1", "h"), answering("dec_2", "order-2", "h")
	for _, store := range []func() error{
		func() error { return scope.InsertDecision(t.Context(), plain) },
		func() error {
			return scope.Write(t.Context(), func(tx *store.Tx) error { return tx.Decisions().Insert(function) })
		},
	} {
		if err := cancelled(t, primary, store); kindOf(err) != fault.Unavailable {
			t.Errorf("not acknowledged: %v", err)
		}
	}
	// The node's own timeout ends the wait.
	late := answering("dec_3", "order-3", "h")
	tooLate(t, url, hasty, late, 4)
	// The other calls only have to fail, so a short timeout is enough.
	hasty.SetTimeout(time.Second)
	other.SetTimeout(time.Second)
	for _, c := range []struct {
		name string
		try  func() error
	}{
		{"a replay where the outcome is not known", func() error { return replayed(t, hasty, late) }},
		{"a replay on another node", func() error { return replayed(t, other, plain) }},
		{"a repetition", func() error { return hasty.Scope("ten_A", "sandbox").InsertDecision(t.Context(), late) }},
		{"a GET where the outcome is not known", func() error {
			_, err := hasty.Scope("ten_A", "sandbox").Decisions(t.Context()).Get("dec_3")
			return err
		}},
	} {
		if err := c.try(); kindOf(err) != fault.Unavailable {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for name, try := range map[string]func() error{
		"a replay": func() error { return replayed(t, node, function) },
		"a GET":    func() error { _, err := scope.Decisions(t.Context()).Get("dec_1"); return err },
	} {
		if err := cancelled(t, primary, try); kindOf(err) != fault.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
	hasty.SetTimeout(failSafe)
	other.SetTimeout(failSafe)
	if _, err := hasty.Scope("ten_A", "sandbox").Decisions(t.Context()).Get("dec_0"); err != nil {
		t.Errorf("a decision that was answered: %v", err)
	}

	if err := standby.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, db := range []*store.DB{node, hasty, other} {
		for _, w := range []*store.DecisionWrite{plain, function, late} {
			eventually(t, "a replay with the standby back", func() error { return replayed(t, db, w) })
		}
	}
	eventually(t, "a GET with the standby back", func() error {
		_, err := hasty.Scope("ten_A", "sandbox").Decisions(t.Context()).Get("dec_3")
		return err
	})
	wantDecisions(t, scope, 4)
}

// tooLate stores a decision, which then waits for the standby until the timeout of the node. On a busy machine the
// timeout may expire before the write reaches its commit. So tooLate tries again with a longer timeout until the
// server shows the wanted number of decisions.
func tooLate(t *testing.T, url string, node *store.DB, w *store.DecisionWrite, want int) {
	t.Helper()
	raw := storetest.Raw(t, url)
	for within := time.Second; within < failSafe; within *= 4 {
		node.SetTimeout(within)
		if err := node.Scope("ten_A", "sandbox").InsertDecision(t.Context(), w); kindOf(err) != fault.Unavailable {
			t.Fatalf("within %s: %v", within, err)
		}
		if shown(t, raw) == want {
			return
		}
	}
	t.Fatal("the write never reached its commit")
}

// cancelled calls a function that waits for the standby, and cancels every such wait as an operator would. It
// returns the function's error.
func cancelled(t *testing.T, primary *pgcluster.Cluster, run func() error) error {
	t.Helper()
	result := make(chan error, 1)
	go func() { result <- run() }()
	over := time.After(failSafe)
	for {
		select {
		case err := <-result:
			return err
		case <-over:
			t.Fatal("no answer")
		case <-time.After(10 * time.Millisecond):
		}
		if err := primary.Execute(t.Context(),
			"SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"); err != nil {
			t.Fatal(err)
		}
	}
}

// seen waits until the server shows the wanted number of decisions.
func seen(t *testing.T, databaseURL string, want int) {
	t.Helper()
	raw := storetest.Raw(t, databaseURL)
	eventually(t, "the rows on the primary", func() error {
		if n := shown(t, raw); n != want {
			return fmt.Errorf("there are %d rows", n)
		}
		return nil
	})
}

// shown returns the number of decisions that the server shows.
func shown(t *testing.T, raw *sql.DB) (n int) {
	t.Helper()
	tx, err := raw.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err = tx.ExecContext(t.Context(), "SELECT set_config('verdict.role', 'system', true)"); err == nil {
		err = tx.QueryRowContext(t.Context(), "SELECT count(*) FROM decisions").Scan(&n)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}
