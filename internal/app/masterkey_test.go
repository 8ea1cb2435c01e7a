package app

import (
	"database/sql"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"verdict/internal/masterkey"
	"verdict/internal/sealing"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// startsWith starts a service with the settings in args, and returns its log. err is nil if
// the service starts.
func startsWith(t *testing.T, args ...string) (log string, err error) {
	t.Helper()
	c, err := load(t, append([]string{"-addr", "127.0.0.1:0"}, args...), nil)
	if err != nil {
		t.Fatal(err)
	}
	buffer := &safeBuffer{}
	a, err := New(t.Context(), c, buffer)
	if err == nil {
		err = a.Close()
	}
	return buffer.String(), err
}

// TestMasterKeyOfAFile starts a service on an SQLite file. The service must create a key
// that only its owner can read, and must then need exactly this key.
func TestMasterKeyOfAFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "verdict.db")
	args := []string{"-database-url", "sqlite:" + file, "-log-key", "off"}
	log, err := startsWith(t, args...)
	if err != nil || !strings.Contains(log, "created the master key") {
		t.Fatalf("the first start: %v\n%s", err, log)
	}
	key := file + ".master-key"
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the key is %v, %v", info, err)
	}
	if log, err := startsWith(t, args...); err != nil || strings.Contains(log, "created the master key") {
		t.Errorf("the second start: %v\n%s", err, log)
	}
	refused := func(what, want string, more ...string) {
		t.Helper()
		if _, err := startsWith(t, append(args, more...)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
	}
	refused("off", "cannot run with -master-key off", "-master-key", "off")
	other := filepath.Join(t.TempDir(), "other")
	refused("no file", "restore it from a backup", "-master-key", "file:"+other)
	fresh := "sqlite:" + filepath.Join(t.TempDir(), "new.db")
	refused("no file for a new database", "verdict keys create", "-database-url", fresh, "-master-key", "file:"+other)
	if _, err := masterkey.Create(other, strings.NewReader(strings.Repeat("o", 32))); err != nil {
		t.Fatal(err)
	}
	refused("another key", "is not the one with which the data", "-master-key", "file:"+other)
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	refused("a lost key", "restore it from a backup")
	if _, err := os.Stat(key); err == nil {
		t.Error("a lost key was created again")
	}
}

// TestMasterKeyOnPostgres checks that a service on PostgreSQL needs a key or the value
// "off".
func TestMasterKeyOnPostgres(t *testing.T) {
	t.Parallel()
	args := []string{"-database-url", storetest.MigratedPostgres(t), "-log-key", "off"}
	if _, err := startsWith(t, args...); err == nil || !strings.Contains(err.Error(), "verdict keys create") {
		t.Errorf("without a key: %v", err)
	}
	log, err := startsWith(t, append(args, "-master-key", "off")...)
	if err != nil || !strings.Contains(log, "stored unencrypted") {
		t.Errorf("with off: %v\n%s", err, log)
	}
	if _, err := startsWith(t, append(args, "-master-key", testMasterKey(t))...); err != nil {
		t.Errorf("with a key: %v", err)
	}
}

// TestTreesAreEncryptedLater decides without a master key, and then starts with one. The
// tree that was stored unencrypted must be encrypted, and its former bytes must be in no
// file.
func TestTreesAreEncryptedLater(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "verdict.db")
	key := signUpAndDecide(t, "sqlite:"+file, "off")
	db := storetest.Open(t, "sqlite:"+file, store.Options{})
	if _, err := db.Secrets().Secret(t.Context(), make([]byte, 32)); err != nil { // stores a secret if there is none
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before := storedTree(t, file)
	if secret := storedSecret(t, file); before[0] != 1 || sealing.Wrapped(secret) {
		t.Fatalf("the tree begins with %x, and the secret is %x", before[0], secret)
	}
	root := before[len(before)-32:]
	source := testMasterKey(t)
	c, err := load(t, []string{"-addr", "127.0.0.1:0", "-database-url", "sqlite:" + file, "-log-key", "off",
		"-master-key", source}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(t.Context(), c, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.service.Protect(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, file + "-wal"} {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(content), string(root)) {
			t.Errorf("%s contains the unencrypted tree", filepath.Base(name))
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if after := storedTree(t, file); after[0] == 1 {
		t.Error("the tree is still unencrypted")
	}
	if secret := storedSecret(t, file); !sealing.Wrapped(secret) {
		t.Errorf("the installation's secret is stored as %x", secret)
	}
	again, _, _ := startApp(t, "-database-url", "sqlite:"+file, "-master-key", source)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, again.URL()+"/v1/decisions", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("the list answers %d", response.StatusCode)
	}
}

// signUpAndDecide runs a service with a master key for as long as one decision takes, and
// returns the API key.
func signUpAndDecide(t *testing.T, databaseURL, master string) (key string) {
	t.Helper()
	a, _, stop := startApp(t, "-database-url", databaseURL, "-master-key", master)
	status, answer, err := post(t.Context(), a.URL()+"/api/signup", "", signupBody)
	if err != nil || status != http.StatusCreated {
		t.Fatalf("signup: %d %v %v", status, answer, err)
	}
	key, _ = answer["api_key"].(string)
	status, answer, err = post(t.Context(), a.URL()+"/v1/decisions", key, decisionBody)
	if err != nil || status != http.StatusOK {
		t.Fatalf("decide: %d %v %v", status, answer, err)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return key
}

// storedTree returns the stored bytes of the only key tree.
func storedTree(t *testing.T, file string) []byte {
	t.Helper()
	return storedValue(t, file, "SELECT tree FROM key_trees")
}

// storedSecret returns the stored bytes of the installation's secret.
func storedSecret(t *testing.T, file string) []byte {
	t.Helper()
	return storedValue(t, file, "SELECT value FROM installation WHERE name = 'secret'")
}

func storedValue(t *testing.T, file, query string) (value []byte) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := db.QueryRowContext(t.Context(), query).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}
