package backtest_test

import (
	"errors"
	"testing"

	"verdict/internal/backtest"
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/sheet"
)

// TestCheckEndsTheWork checks that a worker calls its check regularly and stops at the first check
// that fails.
func TestCheckEndsTheWork(t *testing.T) {
	t.Parallel()
	const n = 2_000
	book := backtest.Book{Seed: 7, Months: 12}
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	run, err := backtest.New(backtest.Setup{Header: book.Header()}, plan, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := sheet.Block{Data: book.Append(nil, 1, n), First: 1, Rows: n}
	gone, checks := errors.New("gone"), 0
	worker := run.NewWorker()
	worker.Check(func() error { checks++; return nil })
	worker.Block(rows)
	if err := worker.Err(); err != nil || checks < n/100 {
		t.Errorf("%d checks, %v", checks, err)
	}
	for _, last := range []int{1, checks / 2, checks} {
		asked := 0
		worker := run.NewWorker()
		worker.Check(func() error {
			if asked++; asked >= last {
				return gone
			}
			return nil
		})
		worker.Block(rows)
		worker.Block(rows)
		if !errors.Is(worker.Err(), gone) || asked != last {
			t.Errorf("ended at %d: %v after %d", last, worker.Err(), asked)
		}
	}
}
