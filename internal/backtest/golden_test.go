package backtest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"verdict/internal/engine"
	"verdict/internal/fault"
)

var update = flag.Bool("update", false, "rewrite the golden reports")

// TestGoldenReports runs every testdata/reports/*.txtar: a champion, perhaps a
// challenger, how the rows are to be read, the rows, and the report.
func TestGoldenReports(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/reports/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden reports: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			part := map[string]*txtar.File{}
			for i := range archive.Files {
				part[archive.Files[i].Name] = &archive.Files[i]
			}
			var challenger *engine.Plan
			if f := part["challenger.json"]; f != nil {
				challenger = planOf(t, string(f.Data))
			}
			var faults fault.List
			setup := ReadSetup(parse(t, string(part["setup.json"].Data)), &faults)
			if err := faults.Err(); err != nil {
				t.Fatal(err)
			}
			got := jsonOf(t, reportOf(t, string(part["rows.csv"].Data), setup, planOf(t, string(part["champion.json"].Data)), challenger))
			if *update {
				part["report.json"].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(strings.Split(string(part["report.json"].Data), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("-want +got (rewrite with -update, and read every changed line):\n%s", diff)
			}
		})
	}
}
