// Package golden compares the results of tests with files under version
// control. It defines the flag "-update", which makes go test rewrite those
// files. Review every changed line before you commit it. Only tests import this
// package.
package golden

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files from what the code does now")

// Update reports whether -update is set.
func Update() bool { return *update }

// File compares a text with the file at path. With -update it writes the file
// instead.
func File(tb testing.TB, path, got string) {
	tb.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil { //nolint:gosec // a file of the repository
			tb.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		tb.Errorf("%s differs (-want +got); rewrite it with -update:\n%s", path, diff)
	}
}

// Answer returns the computed sections of an archive. given contains the other
// sections, and stored is the archive in the file.
type Answer func(t *testing.T, given, stored *txtar.Archive) []txtar.File

// Archives runs a subtest for every txtar file that matches pattern. A file must consist of a comment that says what
// it shows, the given sections, and then the sections that answer returns for them. answered reports whether a
// section is one that answer returns. With -update, Archives rewrites the files.
func Archives(t *testing.T, pattern string, answered func(section string) bool, answer Answer) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files match %s: %v", pattern, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			stored, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(bytes.TrimSpace(stored.Comment)) == 0 {
				t.Error("the file must begin with a comment that says what it shows")
			}

			given := &txtar.Archive{Comment: stored.Comment}
			for _, section := range stored.Files {
				if !answered(section.Name) {
					given.Files = append(given.Files, section)
				}
			}
			got := &txtar.Archive{Comment: given.Comment, Files: append([]txtar.File(nil), given.Files...)}
			got.Files = append(got.Files, answer(t, given, stored)...)
			File(t, file, string(txtar.Format(got)))
		})
	}
}

// Section returns a section of an archive, or nil if there is none.
func Section(archive *txtar.Archive, name string) []byte {
	for _, section := range archive.Files {
		if section.Name == name {
			return section.Data
		}
	}
	return nil
}
