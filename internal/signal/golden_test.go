package signal

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

// golden runs every file of a folder: given tells the members of an archive
// that are asked, and answer works out the others from them.
func golden(t *testing.T, folder string, given func(name string) bool, answer func(*testing.T, *txtar.Archive) []txtar.File) {
	t.Helper()
	files, err := filepath.Glob("testdata/" + folder + "/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files in %s: %v", folder, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(bytes.TrimSpace(archive.Comment)) == 0 {
				t.Error("the file does not say what it shows")
			}
			got := &txtar.Archive{Comment: archive.Comment}
			for _, f := range archive.Files {
				if given(f.Name) {
					got.Files = append(got.Files, f)
				}
			}
			got.Files = append(got.Files, answer(t, got)...)
			if *update {
				if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(archive)), string(txtar.Format(got))); diff != "" {
				t.Errorf("-want +got (rewrite with -update):\n%s", diff)
			}
		})
	}
}
