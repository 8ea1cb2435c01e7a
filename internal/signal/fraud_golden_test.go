package signal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"verdict/internal/rule"
	"verdict/internal/wire"
)

// TestFraudCases reads every testdata/fraud/*.txtar: a comment on what it
// shows, the blocks of a request, what the tenant set otherwise, and what was
// counted; and then the facts that follow, the answer and the alerts.
func TestFraudCases(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/fraud/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden cases: %v", err)
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
			given := map[string]string{"config.json": "{}", "counts.json": "{}"}
			for _, f := range archive.Files {
				if strings.HasSuffix(f.Name, ".json") && f.Name != "fraud.json" {
					given[f.Name] = string(f.Data)
					got.Files = append(got.Files, f)
				}
			}
			got.Files = append(got.Files, assessed(t, given)...)
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

// assessed works a case out.
func assessed(t *testing.T, given map[string]string) []txtar.File {
	t.Helper()
	cfg, err := ReadConfig(parse(t, given["config.json"]))
	if err == nil {
		cfg, err = cfg.Sealed(testKey, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	var counts Counts
	decoder := json.NewDecoder(strings.NewReader(given["counts.json"]))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&counts); err != nil {
		t.Fatal(err)
	}
	facts, request := sentFacts(t, given["request.json"]), parse(t, given["request.json"])
	f := Assess(Observe(facts, testKey), counts, cfg.Fraud)
	if request.Get("device").Given() {
		f.Device = &Block{}
		Device(facts, cfg.Device, f.Device.Add)
	}
	if request.Get("location").Given() {
		f.Location = &Block{}
		Location(facts, cfg.Location, testAtlas, nil, 0, f.Location.Add)
	}
	var alerts bytes.Buffer
	for _, a := range f.Alerts(cfg.Fraud) {
		fmt.Fprintf(&alerts, "%s %s: %s %s, %d against %d in %d hours\n",
			a.Severity, a.Type, a.Entity.Kind, a.Entity.Display, a.Value, a.Threshold, a.WindowHours)
	}
	lines := strings.ReplaceAll(derivedText(t, func(add func(string, rule.Value)) { f.Derive(add) }), "; ", "\n")
	return []txtar.File{
		{Name: "facts", Data: []byte(strings.TrimLeft(lines+"\n", "\n"))},
		{Name: "fraud.json", Data: indented(t, written(f))},
		{Name: "alerts", Data: alerts.Bytes()},
	}
}

// indented lays a document out for reading. It must be one that we would read
// ourselves.
func indented(t *testing.T, document string) []byte {
	t.Helper()
	if _, err := wire.Parse([]byte(document)); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(document), "", "  "); err != nil {
		t.Fatal(err)
	}
	return append(b.Bytes(), '\n')
}
