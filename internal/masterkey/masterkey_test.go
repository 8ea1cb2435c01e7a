package masterkey_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"verdict/internal/masterkey"
	"verdict/internal/sealing"
)

// TestSources reads one key from a file, a variable and a command.
//
//nolint:paralleltest // it sets an environment variable
func TestSources(t *testing.T) {
	path := filepath.Join(t.TempDir(), "master-key")
	created, err := masterkey.Create(path, strings.NewReader(strings.Repeat("m", sealing.SecretSize)))
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info, err)
	}
	random := bytes.NewReader(make([]byte, sealing.SecretSize))
	if _, err := masterkey.Create(path, random); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a key was replaced: %v", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TEST_MASTER_KEY", string(text))
	for source, name := range map[string]string{
		"file:" + path:        path,
		"env:TEST_MASTER_KEY": "env:TEST_MASTER_KEY",
		"exec:cat " + path:    "exec:cat " + path,
	} {
		parsed, err := masterkey.ParseSource(source)
		if err != nil || parsed.String() != name {
			t.Fatalf("%s is %v, %v", source, parsed, err)
		}
		if key, err := parsed.Read(t.Context()); err != nil || len(key) != 1 || key[0] != created {
			t.Errorf("%s: %v", source, err)
		}
	}
}

// TestNoKey checks that every source without a key is an error that does not repeat what
// was read.
//
//nolint:paralleltest // it sets an environment variable
func TestNoKey(t *testing.T) {
	for _, wrong := range []string{"", "file:", "env: ", "exec:", "off", "/etc/key", "vault:key"} {
		if source, err := masterkey.ParseSource(wrong); err == nil {
			t.Errorf("%q is %v", wrong, source)
		}
	}
	path := filepath.Join(t.TempDir(), "wrong")
	if err := os.WriteFile(path, []byte("verdict-master-key-1 c2VjcmV0"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TEST_WRONG_KEY", "secret")
	for source, want := range map[string]error{
		"file:" + path:           masterkey.ErrNotAKey,
		"file:" + path + ".none": fs.ErrNotExist,
		"env:TEST_WRONG_KEY":     masterkey.ErrNotAKey,
		"env:TEST_NO_SUCH_KEY":   masterkey.ErrNotSet,
		"exec:echo secret":       masterkey.ErrNotAKey,
		"exec:false":             nil,
	} {
		parsed, err := masterkey.ParseSource(source)
		if err != nil {
			t.Fatal(err)
		}
		_, err = parsed.Read(t.Context())
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", source, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "c2VjcmV0") {
			t.Errorf("%s: the error repeats the text: %v", source, err)
		}
	}
}

// TestTooLong checks that a text that is too long is refused and not truncated, and that a command with endless
// output is stopped.
//
//nolint:paralleltest // it sets an environment variable
func TestTooLong(t *testing.T) {
	key, err := masterkey.New(strings.NewReader(strings.Repeat("m", sealing.SecretSize)))
	if err != nil {
		t.Fatal(err)
	}
	long := string(masterkey.Format(key)) + strings.Repeat("\n", 1<<10) + "something else"
	path := filepath.Join(t.TempDir(), "long")
	if err := os.WriteFile(path, []byte(long), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TEST_LONG_KEY", long)
	for _, text := range []string{"file:" + path, "env:TEST_LONG_KEY", "exec:cat " + path, "exec:yes"} {
		source, err := masterkey.ParseSource(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := source.Read(t.Context()); !errors.Is(err, masterkey.ErrNotAKey) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := masterkey.File(path).Add(sealing.Secret{'n'}); !errors.Is(err, masterkey.ErrNotAKey) {
		t.Errorf("adding a key: %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != long {
		t.Errorf("the file was changed: %v", err)
	}
}
