package application

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// FuzzRead reads arbitrary bytes. The result must be an error that says where the
// fault is, or facts that are in their domains. Such facts must be the same after
// they are written and read, and must be decidable.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/requests/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, member := range archive.Files {
			if member.Name == "request.json" {
				f.Add(member.Data)
			}
		}
	}
	sample, err := os.ReadFile("../../cmd/verdict/sample.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sample)
	for _, seed := range []string{
		``, `null`, `{}`, `[]`, `{"bureau":1}`, `{"report":{"":{}},"bureau":""}`,
		`{"bureau":"x","report":{"x":{"scoreData":{"score":-1},"a":{"b":{"c":[{}]}}}},"fraud":{"x":{}}}`,
		`{"applicant":{"foir":5.0000004,"monthly_income":1e-9,"employer":{"size":1e14}},"bureau_report":{"score":6}}`,
	} {
		f.Add([]byte(seed))
	}
	catalogue := field.Catalogue()
	opt := Options{Inputs: map[string]rule.Type{
		"applicant.employer.size": rule.NumberType,
		"report.a.b":              rule.StringType,
	}}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := wire.Parse(data)
		if err != nil {
			return
		}
		app, err := Read(v, opt)
		if err != nil {
			var refusal *fault.Error
			if !errors.As(err, &refusal) || len(refusal.Items) == 0 || app != nil {
				t.Fatalf("got %v and %v, want a refusal that says where", app, err)
			}
			return
		}
		for _, nv := range app.Facts.Sorted() {
			id, known := catalogue.Lookup(nv.Name)
			switch {
			case !known && !field.Declarable(nv.Name):
				t.Errorf("%s is a fact that no policy could name", nv.Name)
			case known:
				checkDomain(t, catalogue.Field(id), nv.Value)
			}
		}
		var w wire.Writer
		app.Facts.Write(&w)
		back, err := wire.Parse(w.Buf)
		if err != nil {
			t.Fatalf("the facts were not written as JSON: %v", err)
		}
		facts, err := rule.ReadFacts(back, catalogue)
		if err != nil {
			t.Fatalf("the facts cannot be read back: %v", err)
		}
		var again wire.Writer
		if facts.Write(&again); !bytes.Equal(w.Buf, again.Buf) {
			t.Fatalf("the facts were read back as others:\n%s\n%s", w.Buf, again.Buf)
		}
		var d engine.Decision
		defaultPlan().Decide(app.Facts, &d)
	})
}

func checkDomain(t *testing.T, f *rule.Field, v rule.Value) {
	t.Helper()
	n := v.Number()
	switch {
	case v.Type() != f.Type:
		t.Errorf("%s is a %s, want a %s", f.Name, v.Type(), f.Type)
	case f.Type != rule.NumberType:
	case f.BoundedBelow && n < f.Min, f.BoundedAbove && n > f.Max, f.Integer && !n.HasPlaces(0):
		t.Errorf("%s is %s, which lies outside its domain", f.Name, n)
	}
}
