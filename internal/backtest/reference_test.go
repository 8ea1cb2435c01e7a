package backtest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/sheet"
	"verdict/internal/wire"
)

// TestReferenceOfAReport checks that a written report can be read as a
// reference, and that a run compared with itself shows no shift.
func TestReferenceOfAReport(t *testing.T) {
	t.Parallel()
	book := Book{Seed: 5}
	rows := sheet.Block{Data: book.Append(nil, 1, 2000), First: 1, Rows: 2000}
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	report := func(setup Setup) *Report {
		run, err := New(setup, plan, nil)
		if err != nil {
			t.Fatal(err)
		}
		worker := run.NewWorker()
		worker.Block(rows)
		return run.Report(worker.Take())
	}
	first := report(book.Setup())
	var w wire.Writer
	w.Object()
	first.WriteMembers(&w)
	w.EndObject()
	for _, document := range []string{string(w.Buf), `{"status":"succeeded","report":` + string(w.Buf) + `}`} {
		v, err := wire.Parse([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		reference, err := ReadReference(v)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first.Distribution.Reference(), reference); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		setup := book.Setup()
		setup.Reference = reference
		if again := report(setup); again.PSI == nil || !again.PSI.PSI.Known || again.PSI.PSI.Value != 0 {
			t.Errorf("PSI against itself: %+v", again.PSI)
		}
	}
}

// TestReferenceOfNoReport checks that a document that is not a report is rejected without a panic.
func TestReferenceOfNoReport(t *testing.T) {
	t.Parallel()
	for _, document := range []string{
		`{}`, `[]`, `1`, `{"distribution":[]}`, `{"distribution":{}}`, `{"distribution":[1]}`, `{"report":7}`,
		`{"distribution":[{"min":700,"max":709}]}`,
		`{"distribution":[{"min":700,"max":709,"weight":-1}]}`,
		`{"distribution":[{"min":"700","max":709,"weight":1}]}`,
		`{"distribution":[{"min":709,"max":700,"weight":1}]}`,
		`{"distribution":[{"min":700,"max":709,"weight":1},{"min":710,"max":729,"weight":1}]}`,
		`{"distribution":[{"min":700,"max":709,"weight":1},{"min":690,"max":699,"weight":1}]}`,
		`{"distribution":[{"min":700,"max":709,"weight":1e15}]}`,
		`{"distribution":[{"min":700,"max":709,"weight":0.00001}]}`,
	} {
		v, err := wire.Parse([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		if reference, err := ReadReference(v); err == nil {
			t.Errorf("%s is read as %v", document, reference)
		}
	}
}
