package backtest

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/golden"
	"verdict/internal/wire"
)

func membersOf(r *Report) string {
	var w wire.Writer
	w.Object()
	r.WriteMembers(&w)
	w.EndObject()
	return string(w.Buf)
}

// TestReadReport checks that every golden report has the same bytes after reading and writing.
func TestReadReport(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/reports/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no reports", err)
	}
	for _, name := range files {
		given, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var challenger *engine.Plan
		if policy := golden.Section(given, "challenger.json"); policy != nil {
			challenger = planOf(t, string(policy))
		}
		var faults fault.List
		setup := ReadSetup(parse(t, string(golden.Section(given, "setup.json"))), &faults)
		champion := planOf(t, string(golden.Section(given, "champion.json")))
		report := reportOf(t, string(golden.Section(given, "rows.csv")), setup, champion, challenger)
		if report.Challenger != nil {
			report.Challenger.RuleSetID = "rs_challenger"
		}

		want := membersOf(report)
		read, err := ReadReport(parse(t, want))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := membersOf(read); got != want {
			t.Errorf("%s:\n%s\nwas read and written as\n%s", name, want, got)
		}
	}
}

// TestReadReportOfAnotherRelease checks that a report with missing members is accepted, and that a
// report whose members have other types is rejected.
func TestReadReportOfAnotherRelease(t *testing.T) {
	t.Parallel()
	read, err := ReadReport(parse(t, `{"rows_evaluated":7,"summary":{"approved":3,"avg_limit":null},"later":[1]}`))
	if err != nil || read.RowsEvaluated != 7 || read.Summary.Approved != 3 || read.Summary.AvgLimit.Known ||
		read.Performance.Gini.Known || read.Challenger != nil {
		t.Errorf("%+v, %v", read, err)
	}
	for _, text := range []string{
		`{"summary":[]}`, `{"rows_total":"7"}`, `{"roc":[{"good":"x"}]}`, `{"rows_total":1.5}`,
	} {
		if _, err := ReadReport(parse(t, text)); err == nil {
			t.Errorf("%s was read", text)
		}
	}
}
