package backtest

import (
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/sheet"
)

// TestBookUnderTheDefaultPolicy checks that the synthetic book is suitable for
// testing a policy: about half of it is approved, every row can be read, and
// the bad rates rise from the best grade to the worst.
func TestBookUnderTheDefaultPolicy(t *testing.T) {
	t.Parallel()
	const n = 40_000
	book := Book{Seed: 42}
	run, err := New(book.Setup(), engine.Compile(engine.DefaultPolicy(), field.Catalogue()), nil)
	if err != nil {
		t.Fatal(err)
	}
	worker := run.NewWorker()
	worker.Block(sheet.Block{Data: book.Append(nil, 1, n), First: 1, Rows: n})
	report := run.Report(worker.Take())
	if report.RowsEvaluated != n {
		t.Errorf("%d rows decided, %d not: %v", report.RowsEvaluated, report.RowsFailed, report.RowErrors)
	}
	if rate := report.Summary.ApprovalRate.Float(); rate < 0.4 || rate > 0.6 {
		t.Errorf("%.3f are approved", rate)
	}
	if gini := report.Performance.Gini.Float(); gini < 0.35 || gini > 0.7 {
		t.Errorf("Gini %.3f", gini)
	}
	rates := map[string]float64{}
	for _, grade := range report.ByGrade {
		rates[grade.Grade] = grade.BadRate.Rate.Float()
	}
	last := 0.0
	for _, grade := range []string{"A+", "A", "B", "C", "D", "E", "F"} {
		if rates[grade] <= last {
			t.Errorf("grade %s: bad rate %.4f, the one before %.4f", grade, rates[grade], last)
		}
		last = rates[grade]
	}
	if rates["NTC"] < rates["A+"] || rates["NTC"] > rates["F"] {
		t.Errorf("new to credit: bad rate %.4f", rates["NTC"])
	}
	if v := report.Vintage; v == nil || v.NoMonth != 0 || len(v.ByMonth) == 0 ||
		v.ByMonth[len(v.ByMonth)-1].Month > DefaultMonths {
		t.Errorf("vintage %+v", v)
	}
}
