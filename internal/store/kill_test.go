package store_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// childVariable is the environment variable that makes this test binary the
// process that is killed.
const childVariable = "VERDICT_STORE_CHILD"

// writeUntilKilled stores decisions from many goroutines. It prints the id of
// each decision only after the write was answered.
func writeUntilKilled(databaseURL string) {
	db, err := store.Open(context.Background(), databaseURL, store.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var next atomic.Int64
	for range 16 {
		go func() {
			for {
				id := fmt.Sprintf("dec_%d_%d", os.Getpid(), next.Add(1))
				if err := db.Scope("ten_A", "sandbox").InsertDecision(context.Background(), write(id)); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				// One system call writes the whole line, so it is printed
				// completely or not at all.
				_, _ = os.Stdout.WriteString(id + "\n")
			}
		}()
	}
	select {}
}

// TestKill kills a writing process at random moments, several times on one
// database. It checks that every decision that was answered is stored and counted
// once.
func TestKill(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: faults")
	}
	for _, c := range []struct {
		name   string
		url    func(testing.TB) string
		rounds int
	}{{"sqlite", storetest.SQLite, 20}, {"postgres", storetest.Postgres, 6}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rounds := c.rounds
			if os.Getenv("VERDICT_LONG") != "" {
				rounds = 200
			}
			databaseURL := c.url(t)
			var answered []string
			for range rounds {
				answered = append(answered, killAfter(t, databaseURL, 1+rand.IntN(400))...)
			}
			db := storetest.Open(t, databaseURL, store.Options{})
			scope := db.Scope("ten_A", "sandbox")
			for _, id := range answered {
				if _, err := scope.Decisions(t.Context()).Get(id); err != nil {
					t.Errorf("%s was answered: %v", id, err)
				}
			}
			checkConsistent(t, databaseURL, db.Kind(), len(answered))
		})
	}
}

// killAfter runs the writing process until it has answered at least n writes,
// kills it, and returns the ids of all answered writes.
func killAfter(t *testing.T, databaseURL string, n int) (answered []string) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childVariable+"="+databaseURL)
	var complaint strings.Builder
	child.Stderr = &complaint
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		answered = append(answered, lines.Text())
		if len(answered) == n {
			if err := child.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	}
	_ = child.Wait() // os/exec reports a killed process as an error
	if len(answered) < n {
		t.Fatalf("the writer stopped after %d of %d writes: %s", len(answered), n, &complaint)
	}
	return answered
}

// checkConsistent compares the tables with each other, bypassing package store: every stored decision, answered or not,
// is counted as usage, and nothing else is.
func checkConsistent(t *testing.T, databaseURL, kind string, answered int) {
	t.Helper()
	tx, err := storetest.Raw(t, databaseURL).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if kind == "postgres" {
		if _, err := tx.ExecContext(t.Context(), "SELECT set_config('verdict.role', 'system', true)"); err != nil {
			t.Fatal(err)
		}
	}
	var decisions, used, counted int
	if err := tx.QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM decisions WHERE actor = 'key_1'),
		(SELECT used FROM usage_totals), (SELECT sum(units) FROM usage_counters)`).Scan(&decisions, &used,
		&counted); err != nil {
		t.Fatal(err)
	}
	if decisions < answered || used != decisions || counted != decisions {
		t.Errorf("%d answered: %d decisions, usage %d and %d", answered, decisions, used, counted)
	}
	t.Logf("%d answered, %d stored", answered, decisions)
}
