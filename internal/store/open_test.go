//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package store_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestOpenRefuses checks that the error for an invalid URL says what to do and never
// repeats a password.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, url, want string }{
		{"empty", "", "no scheme"},
		{"path alone", "/var/lib/verdict.db", "no scheme"},
		{"another database", "mysql://root:s3cret@localhost/x", "other than sqlite: and postgres://"},
		{"no path", "sqlite:", "needs the path"},
		{"memory", "sqlite::memory:", "needs the path"},
		{"no folder", "sqlite:" + filepath.Join(t.TempDir(), "none", "x.db"), "does not exist"},
		{"a folder", "sqlite:" + t.TempDir(), "create the database file"},
		{"unreadable", "postgres://verdict:s3cret@local host:x/y", "cannot be read"},
		{"bad port", "postgres://verdict:s3cret@localhost:99999/y", "cannot be read"},
		{"bad setting", "postgres://verdict:s3cret@localhost/y?sslmode=s3cret", "cannot be read"},
		{"nobody there", "postgres://verdict:s3cret@127.0.0.1:1/y", "migrate the database"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			db, err := store.Open(t.Context(), c.url, store.Options{})
			if err == nil {
				t.Fatal("opened", db.Close())
			}
			if text := err.Error(); !strings.Contains(text, c.want) || strings.Contains(text, "s3cret") {
				t.Errorf("got %q, want %q", text, c.want)
			}
		})
	}
}

func TestOpenSQLite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a name?with #100%.db")
	db := storetest.Open(t, "sqlite:"+path, store.Options{})
	if db.Kind() != "sqlite" {
		t.Errorf("kind %q", db.Kind())
	}
	for name, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1"} {
		if got, err := db.WriterSetting(t.Context(), name); err != nil || got != want {
			t.Errorf("%s is %s, %v", name, got, err)
		}
	}
	if err := db.Scope("ten_A", "sandbox").InsertDecision(t.Context(), write("dec_1")); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{path, path + "-wal", path + "-shm"} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, info, err)
		}
	}
}

// TestUnclassified checks that an error of no known class has no kind, and that
// its text contains no value of a row.
func TestUnclassified(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := write("dec_1")
		err := db.Scope("ten_A", "staging-4321").InsertDecision(t.Context(), w) // no such environment
		if err == nil || kindOf(err) != 0 || strings.Contains(err.Error(), "4321") || strings.Contains(err.Error(),
			"rrrr") {
			t.Errorf("got %v", err)
		}
		scope := db.Scope("ten_A", "sandbox")
		if err := scope.InsertDecision(t.Context(), w); err != nil {
			t.Fatal(err)
		}
		err = scope.InsertDecision(t.Context(), w)
		if kindOf(err) != fault.Conflict || strings.Contains(err.Error(), "dec_1") {
			t.Errorf("got %v", err)
		}
	})
}

// TestReadOnly checks that Read cannot write, on either database.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := db.Scope("ten_A", "sandbox")
		if err := scope.Read(t.Context(),
			func(tx *store.Tx) error { return tx.Decisions().Insert(write("dec_1")) }); err == nil {
			t.Error("a decision was written in Read")
		}
		wantDecisions(t, scope, 0)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := scope.Decisions(ctx).Get("dec_1"); err == nil {
			t.Error("read with a context that had ended")
		}
	})
}
