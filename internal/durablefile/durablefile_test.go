package durablefile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// wantFiles fails the test unless a folder has exactly these files, and only their owner can read them.
func wantFiles(t *testing.T, folder string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != len(want) {
		t.Errorf("the folder has %v, %v", entries, err)
	}
	for name, text := range want {
		path := filepath.Join(folder, name)
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%s has %q, %v; want %q", name, got, err, text)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

func TestWriteNew(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "key")
	if err := WriteNew(path, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := WriteNew(path, []byte("two")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("writing it again: %v", err)
	}
	wantFiles(t, folder, map[string]string{"key": "one"})
}

// TestReplace replaces a file, and checks that a failed attempt leaves the former bytes and no other file.
func TestReplace(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "backup")
	for _, text := range []string{"one", "two"} {
		err := Replace(path, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		wantFiles(t, folder, map[string]string{"backup": text})
	}
	failed := errors.New("the database is gone")
	err := Replace(path, func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, failed)
	})
	if !errors.Is(err, failed) {
		t.Errorf("the error is %v", err)
	}
	wantFiles(t, folder, map[string]string{"backup": "two"})
}
