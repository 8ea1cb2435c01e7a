//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestInspect checks what Inspect returns about a database that is in use.
func TestInspect(t *testing.T) {
	t.Parallel()
	newest, err := store.SchemaVersion()
	if err != nil {
		t.Fatal(err)
	}
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		if _, err := db.Secrets().SetMasterKey(t.Context(), []byte("fingerprint"), 1); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Secrets().SetLogKey(t.Context(), []byte("public")); err != nil {
			t.Fatal(err)
		}
		found, err := store.Inspect(t.Context(), databaseURL, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if found.Kind != db.Kind() || found.Schema != newest || found.RestoreUnfinished ||
			string(found.Keys.Current) != "fingerprint" || string(found.LogKey) != "public" {
			t.Errorf("found %+v", found)
		}
		if found.Kind == "postgres" && (found.Server.Version == "" || found.Server.MaxConnections < 1 ||
			found.Server.Ahead.Abs() > time.Minute || found.Server.SyncCommit == "" || !found.Server.Local) {
			t.Errorf("the server says %+v", found.Server)
		}
	})
}

// TestInspectCreatesNothing inspects a file that does not exist, and a file without a schema. It checks that nothing
// is created or changed.
func TestInspectCreatesNothing(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	_, err := store.Inspect(t.Context(), "sqlite:"+filepath.Join(folder, "none.db"), store.Options{})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	empty := filepath.Join(folder, "empty.db")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := store.Inspect(t.Context(), "sqlite:"+empty, store.Options{})
	if err != nil || found.Schema != 0 {
		t.Errorf("an empty file: %+v, %v", found, err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
	if info, err := os.Stat(empty); err != nil || info.Size() != 0 {
		t.Errorf("the file was written: %v, %v", info, err)
	}
}
