package application

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

var update = flag.Bool("update", false, "rewrite the golden files from what the code does now")

// TestRequests reads every testdata/requests/*.txtar: a comment on what it
// shows, the request, what the policy declares if anything, and either the
// facts with the warnings, or the faults.
func TestRequests(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/requests/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden requests: %v", err)
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
			answered := func(f txtar.File) bool { return f.Name == "facts.json" || f.Name == "warnings" || f.Name == "faults" }
			got := &txtar.Archive{Comment: archive.Comment, Files: slices.DeleteFunc(slices.Clone(archive.Files), answered)}
			got.Files = append(got.Files, answer(t, archive)...)
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

func answer(t *testing.T, archive *txtar.Archive) []txtar.File {
	t.Helper()
	var request wire.Value
	opt := Options{Inputs: map[string]rule.Type{}, Today: civil.DayOf(2026, 11, 15)}
	for _, f := range archive.Files {
		switch f.Name {
		case "request.json":
			request = parse(t, string(f.Data))
		case "inputs.json":
			for name, v := range parse(t, string(f.Data)).Members() {
				typ, ok := rule.ParseType(v.Text())
				if !ok {
					t.Fatalf("%s has no type", name)
				}
				opt.Inputs[name] = typ
			}
		}
	}
	app, err := Read(request, opt)
	var refusal *fault.Error
	if errors.As(err, &refusal) {
		return []txtar.File{{Name: "faults", Data: []byte(refusal.Code + "\n" + listing(refusal.Items))}}
	}
	if err != nil {
		t.Fatal(err)
	}
	var w wire.Writer
	app.Facts.Write(&w)
	var facts bytes.Buffer
	if err := json.Indent(&facts, w.Buf, "", "  "); err != nil {
		t.Fatal(err)
	}
	facts.WriteByte('\n')
	return []txtar.File{{Name: "facts.json", Data: facts.Bytes()}, {Name: "warnings", Data: []byte(listing(app.Warnings))}}
}

func listing(items []fault.Item) string {
	var b strings.Builder
	for _, it := range items {
		fmt.Fprintf(&b, "%s %s: %s\n", it.Pointer, it.Code, it.Detail)
	}
	return b.String()
}
