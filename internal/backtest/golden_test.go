package backtest

import (
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/golden"
)

// TestGoldenReports runs every testdata/reports/*.txtar file. A file contains a
// champion, the setup, the rows, the expected report and, optionally, a
// challenger.
func TestGoldenReports(t *testing.T) {
	t.Parallel()
	answered := func(section string) bool { return section == "report.json" }
	golden.Archives(t, "testdata/reports/*.txtar", answered, func(t *testing.T, given, _ *txtar.Archive) []txtar.File {
		t.Helper()
		var challenger *engine.Plan
		if policy := golden.Section(given, "challenger.json"); policy != nil {
			challenger = planOf(t, string(policy))
		}
		var faults fault.List
		setup := ReadSetup(parse(t, string(golden.Section(given, "setup.json"))), &faults)
		if err := faults.Err(); err != nil {
			t.Fatal(err)
		}
		champion := planOf(t, string(golden.Section(given, "champion.json")))
		report := reportOf(t, string(golden.Section(given, "rows.csv")), setup, champion, challenger)
		return []txtar.File{{Name: "report.json", Data: []byte(jsonOf(t, report))}}
	})
}
