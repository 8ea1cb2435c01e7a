package app

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecondService starts a second service on the SQLite file of a running one, by its name and by another name. The
// second start must be refused before it changes anything, and allowed when the first service has ended.
func TestSecondService(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path, other := filepath.Join(folder, "verdict.db"), filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, other); err != nil {
		t.Fatal(err)
	}
	first, _, stop := startApp(t, "-database-url", "sqlite:"+path)
	for _, name := range []string{path, other} {
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
	startApp(t, "-database-url", "sqlite:"+path)
}
