package app

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdict/internal/evidence"
	"verdict/internal/logkey"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

var rotatedOn = time.Date(2026, time.November, 17, 2, 0, 0, 0, time.UTC)

// keyNode is the configuration of a node with a database and a key file of its own.
type keyNode struct {
	Config
	db *store.DB
}

func newKeyNode(t *testing.T, db *store.DB, keyFile string) *keyNode {
	t.Helper()
	return &keyNode{Config{DatabaseURL: "postgres://unused", LogKey: keyFile}, db}
}

// start does what the start of a service does with the log key. It returns the key with which
// the service begins, and the log.
func (n *keyNode) start(t *testing.T) (key ed25519.PrivateKey, logged string, err error) {
	t.Helper()
	var log bytes.Buffer
	o, signed, err := openLogKey(t.Context(), n.Config, n.db, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		return nil, log.String(), err
	}
	if err := signed.Close(); err != nil {
		t.Error(err)
	}
	return o.Key, log.String(), nil
}

func copyFile(t *testing.T, from, to string) string {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

// TestRotateLogKey replaces the log key. It then starts three nodes: with the new key, with the old key, and with
// neither of them.
func TestRotateLogKey(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) { //nolint:thelper // it is the test itself
		folder := t.TempDir()
		first := newKeyNode(t, db, testLogKey(t))
		before, _, err := first.start(t)
		if err != nil {
			t.Fatal(err)
		}
		var backup bytes.Buffer
		if _, err := db.Backup(t.Context(), &backup, nil); err != nil {
			t.Fatal(err)
		}
		second := newKeyNode(t, db, copyFile(t, first.LogKey, filepath.Join(folder, "second")))
		if _, err := RotateLogKey(t.Context(), first.Config, db, rotatedOn); err != nil {
			t.Fatal(err)
		}
		after, _, err := first.start(t)
		if err != nil || after.Equal(before) {
			t.Errorf("the key was not replaced: %v", err)
		}
		if ring, err := logkey.Read(first.LogKey); err != nil || ring.Find(evidence.PublicOf(before)) != nil {
			t.Errorf("the old key is still in the file: %v", err)
		}

		// The other node still has the old key. It starts, says so, and signs nothing.
		key, logged, err := second.start(t)
		if err != nil || !key.Equal(before) || !strings.Contains(logged, "does not have the new log key") {
			t.Errorf("a node with the old key: %v\n%s", err, logged)
		}
		if _, err := RotateLogKey(t.Context(), second.Config, db, rotatedOn); err == nil {
			t.Error("a key is replaced by somebody who does not have it")
		}
		copyFile(t, first.LogKey, second.LogKey)
		if key, logged, err = second.start(t); err != nil || !key.Equal(after) ||
			strings.Contains(logged, "does not have the new log key") {
			t.Errorf("a node with the new key: %v\n%s", err, logged)
		}

		foreign := newKeyNode(t, db, filepath.Join(folder, "foreign"))
		if _, err := logkey.Create(foreign.LogKey, strings.NewReader(strings.Repeat("f", 32))); err != nil {
			t.Fatal(err)
		}
		if _, _, err := foreign.start(t); err == nil || !strings.Contains(err.Error(), "neither the one") {
			t.Errorf("a node with neither key: %v", err)
		}

		// A second replacement, and a node that has the first key only.
		if _, err := RotateLogKey(t.Context(), first.Config, db, rotatedOn.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		oldest := newKeyNode(t, db, testLogKey(t))
		if key, _, err = oldest.start(t); err != nil || !key.Equal(before) {
			t.Errorf("a node with the first of three keys: %v", err)
		}

		// A copy of the database from before the replacements has only the first key, and gets
		// the later changes.
		older := newKeyNode(t, restoreBackup(t, db, backup.Bytes()), first.LogKey)
		last, _, err := first.start(t)
		if err != nil {
			t.Fatal(err)
		}
		if key, _, err = older.start(t); err != nil || !key.Equal(last) {
			t.Errorf("on an older copy of the database: %v", err)
		}
		if _, changes, err := older.db.Secrets().LogKeyHistory(t.Context()); err != nil ||
			strings.Count(changes, "\n") != 2 {
			t.Errorf("the older copy has the changes %q, %v", changes, err)
		}
	})
}

func restoreBackup(t *testing.T, from *store.DB, backup []byte) *store.DB {
	t.Helper()
	target := storetest.SQLite(t)
	if from.Kind() != "sqlite" {
		target = storetest.Postgres(t)
	}
	if _, err := store.Restore(t.Context(), target, bytes.NewReader(backup), store.Options{}, nil); err != nil {
		t.Fatal(err)
	}
	return storetest.Open(t, target, store.Options{})
}

// TestRotationInterrupted ends a rotation after the key file was written. The next start, or
// the next try, completes it.
func TestRotationInterrupted(t *testing.T) {
	t.Parallel()
	for _, again := range []string{"start", "rotate"} {
		t.Run(again, func(t *testing.T) {
			t.Parallel()
			db := storetest.Open(t, storetest.MigratedSQLite(t), store.Options{})
			n := newKeyNode(t, db, testLogKey(t))
			before, _, err := n.start(t)
			if err != nil {
				t.Fatal(err)
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			ring, err := logkey.Read(n.LogKey)
			if err != nil {
				t.Fatal(err)
			}
			to, err := logkey.NewKey(strings.NewReader(strings.Repeat("n", 32)))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := replaceKey(ended, n.LogKey, ring, before, to, rotatedOn, db); err == nil {
				t.Fatal("it was not interrupted")
			}
			stored, err := db.Secrets().LogKey(t.Context())
			if err != nil || !bytes.Equal(stored, evidence.PublicOf(before)) {
				t.Fatalf("the database has the key %x, %v", stored, err)
			}
			if again == "rotate" {
				if _, err := RotateLogKey(t.Context(), n.Config, db, rotatedOn); err != nil {
					t.Fatal(err)
				}
				if ring, err := logkey.Read(n.LogKey); err != nil || len(ring.Keys) != 1 {
					t.Errorf("the file has %d keys, %v", len(ring.Keys), err)
				}
			}
			if key, _, err := n.start(t); err != nil || !key.Equal(to) {
				t.Errorf("the rotation is not completed: %v", err)
			}
		})
	}
}
