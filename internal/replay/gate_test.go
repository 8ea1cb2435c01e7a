// Package replay_test checks that a release does not change earlier decisions.
// The folder testdata has backups of the service, each with at least ten thousand
// decisions. Each backup was made by the release of its time and is never made
// again. Every run of the tests restores the backups into an empty database and
// replays every decision, like the command "verdict verify". This tests the
// migrations, the format of backups, the archived histories and the engine.
package replay_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var update = flag.Bool("update", false, "add a corpus made by this version; those that are there stay as they are")

// listFile contains the SHA-256 sum of every corpus. Add a line with each new
// corpus; never change or remove a line.
const listFile = "testdata/SHA256SUMS"

// corpora returns the committed backups, oldest first, and checks that they
// match listFile.
func corpora(t *testing.T) (files []string) {
	t.Helper()
	list, err := os.ReadFile(listFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatalf("a corpus is gone, and with it what it held releases to: %v", err)
		}
		if fmt.Sprintf("%x", sha256.Sum256(data)) != sum {
			t.Errorf("%s is not the one that was committed", name)
		}
		files = append(files, filepath.Join("testdata", name))
	}
	there, err := filepath.Glob("testdata/*.backup")
	if err != nil || len(files) == 0 || !slices.Equal(files, there) {
		t.Fatalf("%s lists %q, and there are %q: %v", listFile, files, there, err)
	}
	return files
}

// TestUpdate adds a corpus if the flag -update is set.
func TestUpdate(t *testing.T) {
	t.Parallel()
	if !*update {
		return
	}
	files, err := filepath.Glob("testdata/*.backup")
	if err != nil {
		t.Fatal(err)
	}
	db := storetest.Open(t, storetest.SQLite(t), store.Options{})
	if err := fill(t.Context(), db, corpusPolicies); err != nil {
		t.Fatal(err)
	}
	var made bytes.Buffer
	if _, err := db.Backup(t.Context(), &made, nil); err != nil {
		t.Fatal(err)
	}
	name, data := fmt.Sprintf("%04d.backup", len(files)+1), packed(t, made.Bytes())
	list, err := os.OpenFile(listFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(list, "%x  %s\n", sha256.Sum256(data), name)
	if err := errors.Join(err, list.Close(), os.WriteFile(filepath.Join("testdata", name), data, 0o644)); err != nil {
		t.Fatal(err)
	}
}

// packed returns the same backup with better compression. It does not change the
// gzip header of ten bytes, because a restore accepts only that header.
func packed(t *testing.T, backup []byte) []byte {
	t.Helper()
	const head = 10
	var tight bytes.Buffer
	in, err := gzip.NewReader(bytes.NewReader(backup))
	if err != nil {
		t.Fatal(err)
	}
	out, err := gzip.NewWriterLevel(&tight, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		t.Fatal(err)
	}
	return append(bytes.Clone(backup[:head]), tight.Bytes()[head:]...)
}
