package filelock_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"verdict/internal/filelock"
)

// wantHeld fails unless Held reports whether a file is locked.
func wantHeld(t *testing.T, path string, want bool) {
	t.Helper()
	if held, err := filelock.Held(path); held != want || err != nil {
		t.Errorf("Held(%s) is %v, %v", path, held, err)
	}
}

// TestTake checks that a locked file cannot be locked again until it is closed.
func TestTake(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.lock")
	first, err := filelock.Take(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := filelock.Take(path); !errors.Is(err, filelock.ErrLocked) {
		t.Errorf("locked twice: %v", err)
	}
	wantHeld(t, path, true)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	wantHeld(t, path, false)
	missing := filepath.Join(t.TempDir(), "missing.lock")
	wantHeld(t, missing, false)
	if _, err := os.Stat(missing); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Held created the file: %v", err)
	}
	second, err := filelock.Take(path)
	if err != nil {
		t.Fatalf("after it was closed: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	if _, err := filelock.Take(filepath.Join(t.TempDir(), "none", "a.lock")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in a folder that does not exist: %v", err)
	}
}

// TestWait checks that a second lock waits for the end of the first one.
func TestWait(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.lock")
	first, err := filelock.Take(path)
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = second.Close() }()
	locked := make(chan error, 1)
	go func() { locked <- filelock.Wait(second) }()
	select {
	case err := <-locked:
		t.Fatalf("it did not wait: %v", err)
	case <-time.After(50 * time.Millisecond): // a lock that does not wait would nearly always be taken by now
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-locked; err != nil {
		t.Error(err)
	}
}
