package signal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"verdict/internal/rule"
	"verdict/internal/wire"
)

// TestFraudCases checks every testdata/fraud/*.txtar file. The comment of a file says what the file shows. Its sections
// are the blocks of a request, the tenant's settings and the counts, followed by the wanted facts, response and alerts.
func TestFraudCases(t *testing.T) {
	t.Parallel()
	given := func(name string) bool { return strings.HasSuffix(name, ".json") && name != "fraud.json" }
	archives(t, "fraud", given, func(t *testing.T, archive *txtar.Archive) []txtar.File {
		t.Helper()
		asked := map[string]string{"config.json": "{}", "counts.json": "{}"}
		for _, f := range archive.Files {
			asked[f.Name] = string(f.Data)
		}
		return assessed(t, asked)
	})
}

// assessed returns the sections of one golden file that are compared.
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

// indented returns a document with indentation. The document must be valid for
// wire.Parse.
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
