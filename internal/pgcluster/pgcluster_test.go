package pgcluster

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestCluster stops, kills and closes a server. It checks that committed data
// survives a stop and a kill, and that nothing is left after Close.
func TestCluster(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: PostgreSQL")
	}
	c, err := Start(t.Context(), Options{Settings: []string{"max_connections=17"}})
	if err != nil {
		t.Fatal(err)
	}
	folder := c.folder
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(folder); !os.IsNotExist(err) {
			t.Errorf("the folder is still there: %v", err)
		}
	}()
	databaseURL, err := c.Create(t.Context(), "ledger")
	if err != nil {
		t.Fatal(err)
	}
	if got := query[string](t, databaseURL, "SHOW max_connections"); got != "17" {
		t.Errorf("max_connections is %s", got)
	}
	if got := query[string](t, databaseURL, "SHOW fsync"); got != "on" {
		t.Errorf("fsync is %s", got)
	}
	if query[bool](t, databaseURL, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") {
		t.Error("row-level security does not bind a superuser")
	}
	enter := func() int {
		return query[int](t, databaseURL, "INSERT INTO entry SELECT count(*) + 1 FROM entry RETURNING n")
	}
	connect(t, databaseURL, func(db *pgx.Conn) error {
		_, err := db.Exec(t.Context(), "CREATE TABLE entry (n INT)")
		return err
	})
	enter()
	for i, interruption := range []struct {
		name string
		do   func()
	}{{"stop", c.Stop}, {"kill", c.Kill}, {"none", func() {}}} {
		before := c.Pid()
		interruption.do()
		if err := c.Restart(t.Context()); err != nil {
			t.Fatalf("%s: %v", interruption.name, err)
		}
		if c.Pid() == before {
			t.Errorf("%s: the same process", interruption.name)
		}
		if got := enter(); got != i+2 {
			t.Errorf("%s: entry %d, want %d", interruption.name, got, i+2)
		}
	}
	if err := c.Drop(t.Context(), "ledger"); err != nil {
		t.Error(err)
	}
}

// TestRestartThatFails checks that a failed start returns the server's message
// without waiting.
func TestRestartThatFails(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: PostgreSQL")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if c, err := Start(ctx, Options{Settings: []string{"no_such_setting=1"}}); err == nil {
		t.Error("a wrong setting was taken", c.Close())
	} else if ctx.Err() != nil {
		t.Errorf("only after a minute: %v", err)
	}
}

// query returns the single value of a statement.
func query[T any](t *testing.T, databaseURL, statement string) (got T) {
	t.Helper()
	connect(t, databaseURL, func(db *pgx.Conn) error { return db.QueryRow(t.Context(), statement).Scan(&got) })
	return got
}

func connect(t *testing.T, databaseURL string, use func(db *pgx.Conn) error) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close(context.WithoutCancel(t.Context())) }()
	if err := use(db); err != nil {
		t.Fatal(err)
	}
}
