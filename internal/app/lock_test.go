package app

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSecondService starts a second service on the SQLite file of a running one, by its name and by another name. The
// second start must be refused before it changes anything, and allowed when the first service has ended. The first
// service creates the file through a link.
func TestSecondService(t *testing.T) {
	t.Parallel()
	folder, links := t.TempDir(), t.TempDir()
	path, other := filepath.Join(folder, "verdict.db"), filepath.Join(links, "link.db")
	chain := filepath.Join(links, "chain.db")
	if err := errors.Join(os.Symlink(path, other), os.Symlink("link.db", chain)); err != nil {
		t.Fatal(err)
	}
	first, _, stop := startApp(t, "-database-url", "sqlite:"+chain)
	for _, name := range []string{chain, path, other} {
		c, err := load(t, []string{"-addr", "127.0.0.1:0", "-metrics-addr", "", "-database-url", "sqlite:" + name}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(t.Context(), c, io.Discard); err == nil ||
			!strings.Contains(err.Error(), "another process serves the database "+path) {
			t.Errorf("a second service on %s: %v", name, err)
		}
	}
	if err := errors.Join(stop(), first.Close()); err != nil {
		t.Fatal(err)
	}
	startApp(t, "-database-url", "sqlite:"+chain)
}

// TestNoLockFile checks that no lock file is created beside something that cannot be a database.
func TestNoLockFile(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{folder, filepath.Join(folder, "none", "verdict.db"), ":memory:", ""} {
		if lock, err := lockFile(Config{DatabaseURL: "sqlite:" + name}); lock != nil || err != nil {
			t.Errorf("%s: %v, %v", name, lock, err)
		}
	}
	if _, err := os.Stat(folder + ".lock"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a lock beside a folder: %v", err)
	}
}

// TestLocalRunIsIgnored checks that Git ignores every file that a service leaves beside a SQLite database. Otherwise a
// release could not be built in a clone in which the service has run.
func TestLocalRunIsIgnored(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../.gitignore")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	startApp(t, "-database-url", "sqlite:"+filepath.Join(folder, "verdict.db"), "-log-key", "", "-master-key", "")
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) < 5 {
		t.Fatalf("the service left %v, %v", entries, err)
	}
	for _, e := range entries {
		if !slices.ContainsFunc(strings.Fields(string(text)), func(pattern string) bool {
			matched, err := filepath.Match(pattern, e.Name())
			return err == nil && matched
		}) {
			t.Errorf(".gitignore does not have %s", e.Name())
		}
	}
}
