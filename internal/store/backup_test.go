//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package store_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// fullDisk is a writer that accepts a limited number of bytes.
type fullDisk struct {
	room int
	err  error
}

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.room -= len(p); d.room < 0 {
		return 0, d.err
	}
	return len(p), nil
}

// TestBackupFails checks that a failed backup returns an error that says what failed,
// and that the database keeps working.
func TestBackupFails(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := db.Scope("ten_A", "sandbox")
		if err := scope.InsertDecision(t.Context(), write("dec_1")); err != nil {
			t.Fatal(err)
		}
		for room := range 3 {
			disk := &fullDisk{room: room * 100, err: net.ErrClosed}
			_, err := db.Backup(t.Context(), disk, nil)
			if !errors.Is(err, net.ErrClosed) || kindOf(err) != 0 || !strings.Contains(err.Error(),
				"write the backup") {
				t.Errorf("with room for %d: %v", room*100, err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		_, err := db.Backup(ctx, io.Discard, func(string, int64) { cancel() })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if _, err := db.Backup(t.Context(), io.Discard, nil); err != nil {
			t.Error(err)
		}
	})
}

// TestRestoreCancelled cancels a restore between two tables and checks that nothing is
// stored.
func TestRestoreCancelled(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		source := storetest.Open(t, storetest.SQLite(t), store.Options{})
		if err := source.Scope("ten_A", "sandbox").InsertDecision(t.Context(), write("dec_1")); err != nil {
			t.Fatal(err)
		}
		var backup bytes.Buffer
		if _, err := source.Backup(t.Context(), &backup, nil); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		_, err := store.Restore(ctx, databaseURL, &backup, store.Options{}, func(string, int64) { cancel() })
		if !errors.Is(err, context.Canceled) || errors.Is(err, store.ErrBackup) {
			t.Errorf("got %v", err)
		}
		wantDecisions(t, storetest.Open(t, databaseURL, store.Options{}).Scope("ten_A", "sandbox"), 0)
	})
}

// TestRestoreOther checks that files that are not backups, and backups of another version, are refused before the
// database is opened.
func TestRestoreOther(t *testing.T) {
	t.Parallel()
	frame := func(header string) []byte {
		var file bytes.Buffer
		out, err := gzip.NewWriterLevel(&file, gzip.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		_, err = out.Write(append([]byte{'H', 0, 0, 0, byte(len(header))}, header...))
		if err := errors.Join(err, out.Close()); err != nil {
			t.Fatal(err)
		}
		return file.Bytes()
	}
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"nothing", nil, "not a backup of verdict"},
		{"a database", []byte("SQLite format 3\x00 and so on"), "not a backup of verdict"},
		{"another gzip", []byte("\x1f\x8b\x08\x08\x00\x00\x00\x00\x04\xffname\x00"), "not a backup of verdict"},
		{"no header", frame(""), "can read"},
		{"another format", frame(`{"format":"verdict backup 2","schema_version":1}`), "can read"},
		{"another schema", frame(`{"format":"verdict backup 1","schema_version":99}`), "schema version 99"},
	} {
		_, err := store.Restore(t.Context(), "sqlite:/nowhere/verdict.db",
			bytes.NewReader(c.file), store.Options{}, nil)
		if !errors.Is(err, store.ErrBackup) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}
