//go:build unix

package filelock_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"verdict/internal/filelock"
)

// TestTakeWhileStarting takes and closes a lock again and again while the process starts other processes. Each of them
// has a copy of the descriptor for a moment, which must not keep the lock.
func TestTakeWhileStarting(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path, started := filepath.Join(t.TempDir(), "a.lock"), make(chan error)
	go func() {
		defer close(started)
		for range 20 {
			if err := exec.Command(program, "-test.run=^$").Run(); err != nil { //nolint:gosec // the test itself
				started <- err
			}
		}
	}()
	for {
		select {
		case err, more := <-started:
			if err != nil {
				t.Error(err)
			}
			if !more {
				return
			}
		default:
		}
		lock, err := filelock.Take(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := lock.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
