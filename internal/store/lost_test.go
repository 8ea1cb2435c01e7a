package store_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestLost checks that reads and writes return Unavailable while PostgreSQL
// accepts no connections, and that they work again afterwards without a restart.
func TestLost(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	db := storetest.Open(t, databaseURL, store.Options{})
	scope := db.Scope("ten_A", "sandbox")
	if err := scope.InsertDecision(t.Context(), write("dec_1")); err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(address.Path, "/")
	address.Path = "/postgres"
	admin := storetest.Raw(t, address.String())
	execute := func(statement string, args ...any) {
		t.Helper()
		if _, err := admin.ExecContext(t.Context(), statement, args...); err != nil {
			t.Fatal(err)
		}
	}
	const terminate = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1"

	// Dead connections are replaced, however many were idle, and the caller gets no
	// error.
	fillPool(t, scope)
	execute(terminate, name)
	if _, err := scope.Decisions(t.Context()).Get("dec_1"); err != nil {
		t.Errorf("reading after the connections died: %v", err)
	}
	fillPool(t, scope)
	execute(terminate, name)
	if err := scope.InsertDecision(t.Context(), write("dec_2")); err != nil {
		t.Errorf("writing after the connections died: %v", err)
	}

	execute("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false")
	execute(terminate, name)
	for range 3 {
		if err := scope.InsertDecision(t.Context(), write("dec_3")); kindOf(err) != fault.Unavailable {
			t.Errorf("writing: %v", err)
		}
		if _, err := scope.Decisions(t.Context()).Get("dec_1"); kindOf(err) != fault.Unavailable {
			t.Errorf("reading: %v", err)
		}
		if err := db.Ping(t.Context()); kindOf(err) != fault.Unavailable {
			t.Errorf("ping: %v", err)
		}
	}
	execute("ALTER DATABASE " + name + " ALLOW_CONNECTIONS true")
	if err := scope.InsertDecision(t.Context(), write("dec_3")); err != nil {
		t.Errorf("writing again: %v", err)
	}
	wantDecisions(t, scope, 3)
}

// fillPool opens several connections and leaves them idle.
func fillPool(t *testing.T, scope *store.Scope) {
	t.Helper()
	var here, gone sync.WaitGroup
	here.Add(5)
	for range 5 {
		gone.Go(func() {
			err := scope.Read(t.Context(), func(tx *store.Tx) error {
				_, err := tx.Usage().Get("2026-11")
				here.Done()
				here.Wait()
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	gone.Wait()
}

// TestLostWithin kills the connection in the middle of a batch. It checks that
// nothing of the batch is stored and that every caller gets an error.
func TestLostWithin(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	db := storetest.Open(t, databaseURL, store.Options{})
	scope := db.Scope("ten_A", "sandbox")
	killer := storetest.Raw(t, databaseURL)
	release := hold(t, db)
	results := make(chan error)
	go func() { results <- scope.InsertDecision(t.Context(), write("dec_1")) }()
	go func() {
		results <- scope.Write(t.Context(), func(tx *store.Tx) error {
			if err := tx.Decisions().Insert(write("dec_2")); err != nil {
				return err
			}
			_, err := killer.ExecContext(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND pid <> pg_backend_pid()`)
			if err != nil {
				t.Error(err)
			}
			_ = tx.Decisions().Insert(write("dec_3")) // simulates a function that ignores the error
			return nil
		})
	}()
	waiting(t, db, 2)
	release()
	for range 2 {
		if err := <-results; kindOf(err) != fault.Unavailable {
			t.Errorf("got %v", err)
		}
	}
	if err := scope.InsertDecision(t.Context(), write("dec_4")); err != nil {
		t.Error(err)
	}
	wantDecisions(t, scope, 1)
}

// TestFull fills the disk under SQLite. It checks that writes return Unavailable,
// that reads continue, and that writes work again when there is space.
func TestFull(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		disk func(t *testing.T) (databaseURL string, fill func(*store.DB), free func(*store.DB))
	}{{"small disk", smallDisk}, {"page limit", pageLimit}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			databaseURL, fill, free := c.disk(t)
			db := storetest.Open(t, databaseURL, store.Options{})
			scope := db.Scope("ten_A", "sandbox")
			stored := 0
			insert := func() error {
				stored++
				return scope.InsertDecision(t.Context(), write(numbered("dec", stored)))
			}
			if err := insert(); err != nil {
				t.Fatal(err)
			}
			fill(db)
			err := insert()
			for err == nil && stored < 20000 {
				err = insert()
			}
			stored--
			if kindOf(err) != fault.Unavailable {
				t.Fatalf("got %v after %d", err, stored)
			}
			if _, err := scope.Decisions(t.Context()).Get(numbered("dec", 1)); err != nil {
				t.Errorf("reading: %v", err)
			}
			free(db)
			if err := insert(); err != nil {
				t.Errorf("writing again: %v", err)
			}
			wantDecisions(t, scope, stored)
		})
	}
}

// smallDisk mounts a file system of a few megabytes with a file that can be
// removed to free space. Only root can mount it; otherwise only pageLimit is
// tested.
func smallDisk(t *testing.T) (databaseURL string, fill, free func(*store.DB)) {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=6m"); err != nil {
		t.Skipf("mounting a small disk needs root (%v); the page limit is tested instead", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	ballast := filepath.Join(dir, "ballast")
	fill = func(*store.DB) {
		if err := os.WriteFile(ballast, make([]byte, 3<<20), 0o600); err != nil {
			t.Error(err)
		}
	}
	free = func(*store.DB) {
		if err := os.Remove(ballast); err != nil {
			t.Error(err)
		}
	}
	return "sqlite:" + filepath.Join(dir, "verdict.db"), fill, free
}

// pageLimit makes SQLite itself report a full disk.
func pageLimit(t *testing.T) (databaseURL string, fill, free func(*store.DB)) {
	t.Helper()
	limit := func(pages int) func(*store.DB) {
		return func(db *store.DB) {
			if err := db.LimitPages(t.Context(), pages); err != nil {
				t.Error(err)
			}
		}
	}
	return storetest.SQLite(t), limit(150), limit(100000)
}
