package application

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/golden"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// TestRequests checks every testdata/requests/*.txtar file. The comment of a file says what the file shows. Its
// sections are the request, optionally the inputs that the policy declares, and either the wanted facts and warnings or
// the wanted faults.
func TestRequests(t *testing.T) {
	t.Parallel()
	answered := func(section string) bool {
		return section == "facts.json" || section == "warnings" || section == "faults"
	}
	golden.Archives(t, "testdata/requests/*.txtar", answered, func(t *testing.T, given, _ *txtar.Archive) []txtar.File {
		t.Helper()
		return answer(t, given)
	})
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
	return []txtar.File{
		{Name: "facts.json", Data: facts.Bytes()},
		{Name: "warnings", Data: []byte(listing(app.Warnings))},
	}
}

func listing(items []fault.Item) string {
	var b strings.Builder
	for _, it := range items {
		fmt.Fprintf(&b, "%s %s: %s\n", it.Pointer, it.Code, it.Detail)
	}
	return b.String()
}
