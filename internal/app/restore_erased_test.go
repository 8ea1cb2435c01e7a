package app

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"verdict/internal/evidencedesk"
	"verdict/internal/masterkey"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
)

// canaryRef is a reference that occurs nowhere else.
const canaryRef = "CANARY-REFERENCE-77"

// erasedAfterBackup returns a service, a backup, and newer keys: after the backup an applicant with three
// decisions was erased, and the master key was replaced.
func erasedAfterBackup(t *testing.T, databaseURL string) (b *keysBench, data, keys []byte) {
	t.Helper()
	b = newKeysBench(t, databaseURL)
	source := b.config.MasterKey
	a, _, stop := startApp(t, "-database-url", databaseURL, "-master-key", source)
	for range 3 {
		body := strings.Replace(decisionBody, `"A-1"`, `"`+canaryRef+`"`, 1)
		body = strings.Replace(body, `"score":742`, `"score":442`, 1) // declined: an open offer would defer the erasure
		status, answer, err := post(t.Context(), a.URL()+"/v1/decisions", b.apiKey, body)
		if err != nil || status != http.StatusOK {
			t.Fatalf("decide: %d %v %v", status, answer, err)
		}
		b.decided[canaryRef], _ = answer["decision_id"].(string)
	}
	data, _ = b.backUp(t)
	status, answer, err := post(t.Context(), a.URL()+"/v1/erasures", b.apiKey,
		`{"applicant_ref":"`+canaryRef+`","reason":"consent_withdrawn"}`)
	if err != nil || status != http.StatusCreated {
		t.Fatalf("erase: %d %v %v", status, answer, err)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := RotateMasterKey(t.Context(), b.config, b.db, RotateOptions{}); err != nil {
		t.Fatal(err)
	}
	_, keys = b.backUp(t)
	b.forgotten = 1
	return b, data, keys
}

// wantNoCanary fails the test if the reference is in a column of the database, or in a file of an SQLite database.
func wantNoCanary(t *testing.T, databaseURL string) {
	t.Helper()
	for column, stored := range storetest.Dump(t, databaseURL) {
		if bytes.Contains(stored, []byte(canaryRef)) {
			t.Errorf("%s contains the reference", column)
		}
	}
	file, embedded := store.FileOf(databaseURL)
	if !embedded {
		return
	}
	for _, name := range []string{file, file + "-wal"} {
		content, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if bytes.Contains(content, []byte(canaryRef)) {
			t.Errorf("%s contains the reference", filepath.Base(name))
		}
	}
}

// wantVerified fails the test unless all decisions of a database are right and the number of erased decisions is
// equal to erased.
func wantVerified(t *testing.T, c Config, erased int64) {
	t.Helper()
	db, err := OpenStore(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	master, err := c.ReadMasterKey(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	service, err := NewService(db, c, nil, usecase.Hooks{}, Background{}, evidencedesk.Options{}, master)
	if err != nil {
		t.Fatal(err)
	}
	v, err := service.Decisions.Audit.Verify(t.Context(), "", nil)
	if err != nil || v.Failed != 0 || v.Erased != erased {
		t.Errorf("verified %+v, %v; want %d erased", v, err, erased)
	}
}

// TestErasedAgainByRestore takes a backup before an erasure, and restores it into both databases with the keys from
// after the erasure. Nothing of the applicant is readable, the decisions still match the log, and the data of
// everybody else stays.
func TestErasedAgainByRestore(t *testing.T) {
	t.Parallel()
	everyDatabase(t, func(t *testing.T, databaseURL string) {
		b, data, keys := erasedAfterBackup(t, databaseURL)
		for kind, target := range map[string]string{"sqlite": storetest.SQLite(t), "postgres": storetest.Postgres(t)} {
			source, err := b.restored(t, target, data, keys, false)
			if err != nil {
				t.Fatalf("into %s: %v", kind, err)
			}
			wantNoCanary(t, target)
			c := b.config
			c.DatabaseURL, c.MasterKey = target, source
			wantVerified(t, c, 3)
			if got := b.read(t, target, source, canaryRef); !strings.Contains(got, "inputs_erased") {
				t.Errorf("into %s: the decision is %s", kind, got)
			}
			if got := b.read(t, target, source, "A-2"); strings.Contains(got, "inputs_erased") {
				t.Errorf("into %s: the decision of another applicant is %s", kind, got)
			}
		}
	})
}

// TestErasedAgainByService restores data and newer keys. The restore is interrupted before the erasures are
// applied. The service must apply them before it serves.
func TestErasedAgainByService(t *testing.T) {
	t.Parallel()
	everyDatabase(t, func(t *testing.T, databaseURL string) {
		b, data, keysFile := erasedAfterBackup(t, databaseURL)
		keys, archive, err := readKeysFile(bytes.NewReader(keysFile))
		if err != nil {
			t.Fatal(err)
		}
		targets := map[string]func(testing.TB) string{"sqlite": storetest.SQLite, "postgres": storetest.Postgres}
		target := targets[b.db.Kind()](t)
		if _, err := store.RestoreWithKeys(t.Context(), target, bytes.NewReader(data), store.RestoreKeys{From: archive},
			store.Options{}, nil); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "master-key")
		if err := masterkey.Write(file, keys...); err != nil {
			t.Fatal(err)
		}
		c := b.config
		c.DatabaseURL, c.MasterKey = target, "file:"+file
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.applyErasures(cancelled, keys); err == nil {
			t.Fatal("an interruption is not reported")
		}
		if got := b.read(t, target, c.MasterKey, canaryRef); !strings.Contains(got, "inputs_erased") {
			t.Errorf("the decision is %s", got)
		}
		wantNoCanary(t, target)
		wantVerified(t, c, 3)
	})
}
