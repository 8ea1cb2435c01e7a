package prover

import (
	"os"
	"testing"

	"verdict/internal/application"
	"verdict/internal/backtest"
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/sheet"
)

// TestSwappedRowsAreInClasses runs a backtest with a champion and a challenger, and counts its rows in the classes of
// the comparison. Every row that is treated differently must be in a class. The classes in which the approval
// changes must have as many rows as the swap set of the backtest.
func TestSwappedRowsAreInClasses(t *testing.T) {
	t.Parallel()
	rows := int64(20_000)
	if os.Getenv("VERDICT_LONG") != "" {
		rows = 1_000_000
	}
	old := edited(t)
	for name, edits := range map[string][]string{
		"knockouts and a rate": {`"value": 21}`, `"value": 23}`, `"value": 650}`, `"value": 660}`,
			`"interest_rate": 14.0`, `"interest_rate": 14.5`},
		"points": {`"points": -20`, `"points": -10`, `"points": 45`, `"points": 40`},
		"a cap":  parts()["caps of a field"][0],
	} {
		changed := edited(t, edits...)
		r := diff(t, old, changed)
		book := backtest.Book{Seed: backtest.DefaultSeed}
		run, err := backtest.New(book.Setup(), old, changed)
		if err != nil {
			t.Fatal(err)
		}
		columns, err := application.NewColumns(book.Header(), application.ColumnOptions{})
		if err != nil {
			t.Fatal(err)
		}
		population := NewPopulation(old, changed, &r)
		total := backtest.NewPartial()
		cells, facts := columns.Reader(), rule.NewFacts(field.Catalogue())
		cursor := sheet.NewCursor(len(book.Header()))
		const block = 1_000
		for first := int64(1); first <= rows; first += block {
			data := book.Append(nil, first, block)
			worker := run.NewWorker()
			worker.Block(sheet.Block{Data: data, First: first, Rows: block})
			total.Merge(worker.Take())
			for cursor.Reset(data); cursor.Next(); {
				if _, fault := cells.Read(cursor.Cells(), facts); fault != "" {
					t.Fatalf("%s: a row cannot be read: %s", name, fault)
				}
				population.Add(facts)
			}
		}
		var in, out int64
		for i := range r.Classes {
			before, after := r.Classes[i].From.Status == engine.Approved, r.Classes[i].To.Status == engine.Approved
			switch {
			case after && !before:
				in += population.ByClass[i]
			case before && !after:
				out += population.ByClass[i]
			}
		}
		swaps := run.Report(total).Challenger.SwapSet
		t.Logf("%s: %d rows, %d swapped in, %d out, %d classes", name, rows, in, out, len(r.Classes))
		if population.Unlisted != 0 || population.Rows != rows || !r.Complete {
			t.Errorf("%s: %d of %d rows are in no class; %v", name, population.Unlisted, population.Rows, r.Incomplete)
		}
		if in != swaps.ChallengerOnly || out != swaps.ChampionOnly || in+out == 0 && name != "a cap" {
			t.Errorf("%s: the classes swap %d in and %d out, the backtest %d and %d", name, in, out,
				swaps.ChallengerOnly, swaps.ChampionOnly)
		}
	}
}
