package masterkey_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"verdict/internal/masterkey"
	"verdict/internal/sealing"
)

// keyFile writes a key to a new file and returns its source.
func keyFile(t *testing.T, key sealing.Secret) (masterkey.Source, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "master-key")
	if err := masterkey.Write(path, key); err != nil {
		t.Fatal(err)
	}
	return masterkey.File(path), path
}

func fingerprint(key sealing.Secret) sealing.Hash { return sealing.NewEpoch(key).Fingerprint() }

// TestAddAndDrop replaces the key of a file in two steps. The bytes of the old key must not
// remain in the old file, which is still open here.
func TestAddAndDrop(t *testing.T) {
	t.Parallel()
	first, second := sealing.Secret{1}, sealing.Secret{2}
	source, path := keyFile(t, first)
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := masterkey.File(link).Add(second); err != nil {
			t.Fatal(err)
		}
	}
	if keys, err := source.Read(t.Context()); err != nil || !slices.Equal(keys, []sealing.Secret{first, second}) {
		t.Errorf("with two keys: %d, %v", len(keys), err)
	}
	old, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = old.Close() }()
	if err := source.Drop(t.Context(), fingerprint(first)); err != nil {
		t.Fatal(err)
	}
	if keys, err := source.Read(t.Context()); err != nil || !slices.Equal(keys, []sealing.Secret{second}) {
		t.Errorf("after the old key was dropped: %d, %v", len(keys), err)
	}
	left := make([]byte, 200)
	n, _ := old.Read(left)
	if text := strings.Trim(string(left[:n]), "\x00"); n == 0 || text != "" {
		t.Errorf("the old file contains %q", text)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file is %v, %v", info, err)
	}
	if err := source.Drop(t.Context(), fingerprint(second)); err != nil {
		t.Fatal(err)
	}
	if keys, err := source.Read(t.Context()); err != nil || len(keys) != 1 {
		t.Errorf("the only key was dropped: %v", err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("the folder contains %v, %v", entries, err)
	}
}

// TestChangesAtOnce adds keys from several goroutines: none may be lost.
func TestChangesAtOnce(t *testing.T) {
	t.Parallel()
	source, _ := keyFile(t, sealing.Secret{1})
	var all sync.WaitGroup
	for i := range byte(2) {
		all.Go(func() {
			if err := source.Add(sealing.Secret{10 + i}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if keys, err := source.Read(t.Context()); err != nil || len(keys) != 3 {
		t.Errorf("%d keys, %v", len(keys), err)
	}
}

// TestOnlyTheOperator checks that a variable is never changed, and that this is an error only
// if there is something to change.
//
//nolint:paralleltest // it sets an environment variable
func TestOnlyTheOperator(t *testing.T) {
	key := sealing.Secret{1}
	t.Setenv("TEST_KEYS", string(masterkey.Format(key, sealing.Secret{2})))
	source, err := masterkey.ParseSource("env:TEST_KEYS")
	if err != nil {
		t.Fatal(err)
	}
	if err := source.Drop(t.Context(), fingerprint(key)); !errors.Is(err, masterkey.ErrNotAFile) {
		t.Errorf("drop: %v", err)
	}
	if err := source.Drop(t.Context(), fingerprint(sealing.Secret{3})); err != nil {
		t.Errorf("drop a key that is not there: %v", err)
	}
	if err := source.Add(key); !errors.Is(err, masterkey.ErrNotAFile) {
		t.Errorf("add: %v", err)
	}
}
