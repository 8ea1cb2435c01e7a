package backtest_test

import (
	"fmt"

	"verdict/internal/backtest"
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/sheet"
)

// The default policy decides a synthetic book of a thousand loans in two
// halves. The merged partials give the exact result, however the rows are
// divided.
func Example() {
	book := backtest.Book{Seed: backtest.DefaultSeed}
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	run, err := backtest.New(book.Setup(), plan, nil)
	if err != nil {
		fmt.Println(err)
		return
	}

	total := backtest.NewPartial()
	for _, first := range []int64{1, 501} {
		worker := run.NewWorker()
		worker.Block(sheet.Block{Data: book.Append(nil, first, 500), First: first, Rows: 500})
		total.Merge(worker.Take())
	}

	report := run.Report(total)
	fmt.Println("rows:", report.RowsEvaluated)
	s := report.Summary
	fmt.Println("approved:", s.Approved, "referred:", s.Referred, "declined:", s.Declined)
	// Output:
	// rows: 1000
	// approved: 555 referred: 32 declined: 413
}
