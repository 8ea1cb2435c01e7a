package app

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/masterkey"
	"verdict/internal/sealing"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// keysBench is a service with two decisions of two applicants.
type keysBench struct {
	config  Config
	db      *store.DB
	apiKey  string
	tenant  string
	decided map[string]string // the decision of each applicant

	forgotten int64 // the number of people whose keys are missing
}

func newKeysBench(t *testing.T, databaseURL string) *keysBench {
	t.Helper()
	b := &keysBench{decided: map[string]string{}}
	a, _, stop := startApp(t, "-database-url", databaseURL)
	b.apiKey = signUp(t, a)
	for _, applicant := range []string{"A-1", "A-2"} {
		body := strings.Replace(decisionBody, `"A-1"`, `"`+applicant+`"`, 1)
		status, answer, err := post(t.Context(), a.URL()+"/v1/decisions", b.apiKey, body)
		if err != nil || status != http.StatusOK {
			t.Fatalf("decide: %d %v %v", status, answer, err)
		}
		b.decided[applicant], _ = answer["decision_id"].(string)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	b.config = a.config
	b.db = storetest.Open(t, databaseURL, store.Options{})
	trees, err := b.db.Secrets().KeyTreesToWrap(t.Context(), []byte("no key"), store.TreeSize{}, 10)
	if err != nil || len(trees) != 1 {
		t.Fatalf("%d trees, %v", len(trees), err)
	}
	b.tenant = trees[0].Tenant
	return b
}

// backUp returns a backup and its KEYS file.
func (b *keysBench) backUp(t *testing.T) (data, keys []byte) {
	t.Helper()
	var dataTo, keysTo bytes.Buffer
	if _, err := BackUp(t.Context(), b.config, b.db, &dataTo, &keysTo, nil); err != nil {
		t.Fatal(err)
	}
	return dataTo.Bytes(), keysTo.Bytes()
}

// forget removes the key of an applicant from the tenant's tree.
func (b *keysBench) forget(t *testing.T, applicant string) {
	t.Helper()
	source, _ := b.config.masterKeySource()
	held, err := source.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	epoch := sealing.NewEpoch(held[0])
	name := "key tree " + b.tenant + " 1"
	n, err := b.db.Secrets().ReplaceKeyTrees(t.Context(), []store.StoredTree{{Tenant: b.tenant, Number: 1}},
		func(stored store.StoredTree) ([]byte, error) {
			encoded, err := epoch.Unwrap(name, stored.Tree)
			if err != nil {
				return nil, err
			}
			tree, err := sealing.ParseKeyTree(encoded)
			if err != nil {
				return nil, err
			}
			left, err := tree.Forget(sealing.PersonName("sandbox", applicant, 0)).AppendBinary(nil)
			return epoch.Wrap(name, left), err
		})
	if err != nil || n != 1 {
		t.Fatalf("replaced %d trees, %v", n, err)
	}
	b.forgotten++
}

// read starts a service on a database and returns an applicant's decision.
func (b *keysBench) read(t *testing.T, databaseURL, source, applicant string) (decision string) {
	t.Helper()
	a, _, stop := startApp(t, "-database-url", databaseURL, "-master-key", source)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		a.URL()+"/v1/decisions/"+b.decided[applicant], nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+b.apiKey)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("the decision of %s: %d %s %v", applicant, response.StatusCode, body, err)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// restored restores a backup into a new database.
func (b *keysBench) restored(
	t *testing.T, databaseURL string, data, keys []byte, without bool,
) (source string, err error) {
	t.Helper()
	c := b.config
	c.DatabaseURL = databaseURL
	c.MasterKey = "file:" + filepath.Join(t.TempDir(), "restored-key")
	o := RestoreOptions{WithoutKeys: without}
	if keys != nil {
		o.Keys = bytes.NewReader(keys)
	}
	r, err := RestoreBackup(context.WithoutCancel(t.Context()), c, bytes.NewReader(data), o)
	if err == nil && keys != nil && "file:"+r.KeyFile != c.MasterKey {
		t.Errorf("the master key was written to %q", r.KeyFile)
	}
	if err == nil && keys != nil && r.ErasedAgain != b.forgotten {
		t.Errorf("%d people were erased again, want %d", r.ErasedAgain, b.forgotten)
	}
	return c.MasterKey, err
}

// TestOlderBackupNewestKeys removes the key of an applicant and replaces the master key after a
// backup. The backup is then restored with the newest keys. The decision of the other applicant
// must be readable, and the decision of this applicant must be erased.
func TestOlderBackupNewestKeys(t *testing.T) {
	t.Parallel()
	everyDatabase(t, func(t *testing.T, databaseURL string) {
		b := newKeysBench(t, databaseURL)
		data, oldKeys := b.backUp(t)
		b.forget(t, "A-1")
		if _, err := RotateMasterKey(t.Context(), b.config, b.db, RotateOptions{}); err != nil {
			t.Fatal(err)
		}
		newData, newKeys := b.backUp(t)

		target := storetest.SQLite(t)
		source, err := b.restored(t, target, data, newKeys, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.read(t, target, source, "A-2"); strings.Contains(got, "inputs_erased") {
			t.Errorf("the decision of the other applicant is %s", got)
		}
		if got := b.read(t, target, source, "A-1"); !strings.Contains(got, "inputs_erased") {
			t.Errorf("the decision of the forgotten applicant is %s", got)
		}

		// The key trees in the backup are encrypted with the old key, which no longer exists.
		target = storetest.SQLite(t)
		if _, err := b.restored(t, target, data, nil, true); err != nil {
			t.Fatal(err)
		}
		_, err = startsWith(t, "-database-url", target, "-log-key", "off", "-master-key", b.config.MasterKey)
		if err == nil || !strings.Contains(err.Error(), "is not the one with which the data") {
			t.Errorf("a service with the new key and the old trees: %v", err)
		}

		for what, try := range map[string]struct{ data, keys []byte }{
			"without keys":                {data, nil},
			"keys from before the backup": {newData, oldKeys},
		} {
			target := storetest.SQLite(t)
			_, err := b.restored(t, target, try.data, try.keys, false)
			if refusal := fault.Of(err); refusal == nil || refusal.Code != fault.CodeKeysMissing {
				t.Errorf("%s: %v", what, err)
			}
			if people := "the data of 2 people is encrypted"; try.keys == nil &&
				!strings.Contains(fmt.Sprint(err), people) {
				t.Errorf("%s: %v", what, err)
			}
			b.forgotten = 0 // the keys are as old as the data, so nobody was erased in between
			if _, err := b.restored(t, target, newData, newKeys, false); err != nil {
				t.Errorf("%s: the database is not empty any more: %v", what, err)
			}
		}
	})
}

// TestRestoreInterrupted damages the KEYS file, so that the restore ends between the data and
// the keys. No service may start on the database.
func TestRestoreInterrupted(t *testing.T) {
	t.Parallel()
	b := newKeysBench(t, storetest.MigratedSQLite(t))
	data, keys := b.backUp(t)
	target := storetest.SQLite(t)
	if _, err := b.restored(t, target, data, keys[:len(keys)-10], false); err == nil {
		t.Fatal("a KEYS file that was cut short was accepted")
	}
	_, err := startsWith(t, "-database-url", target, "-log-key", "off", "-master-key", testMasterKey(t))
	if err == nil || !strings.Contains(err.Error(), "was interrupted before its keys were stored") {
		t.Errorf("a service starts: %v", err)
	}
	key := masterkey.Format(sealing.Secret{1})
	for what, wrong := range map[string][]byte{"empty": {}, "data": data, "a key": key} {
		if _, err := b.restored(t, storetest.SQLite(t), data, wrong, false); err == nil ||
			!strings.Contains(err.Error(), "not a KEYS file") {
			t.Errorf("%s: %v", what, err)
		}
	}
	c := b.config
	c.DatabaseURL, c.MasterKey = storetest.SQLite(t), otherMasterKey(t)
	_, err = RestoreBackup(t.Context(), c, bytes.NewReader(data), RestoreOptions{Keys: bytes.NewReader(keys)})
	if err == nil || !strings.Contains(err.Error(), "has another key than the KEYS file") {
		t.Errorf("over another key: %v", err)
	}
}

// TestRotationLeavesNoOldTree reads the files of an SQLite database after a rotation: no tree
// that is encrypted with the old key may be in them.
func TestRotationLeavesNoOldTree(t *testing.T) {
	t.Parallel()
	b := newRotationBench(t, storetest.MigratedSQLite(t))
	epochs, err := b.db.Secrets().KeyEpochs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	old := append([]byte{0xE0}, epochs.Current...)
	file, _ := store.FileOf(b.config.DatabaseURL)
	found := func() (n int) {
		t.Helper()
		for _, name := range []string{file, file + "-wal"} {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			n += bytes.Count(content, old)
		}
		return n
	}
	if found() == 0 {
		t.Fatal("the test does not find the trees before the rotation")
	}
	if _, err := RotateMasterKey(t.Context(), b.config, b.db, RotateOptions{}); err != nil {
		t.Fatal(err)
	}
	if n := found(); n > 0 {
		t.Errorf("%d old trees are still in the files", n)
	}
}
