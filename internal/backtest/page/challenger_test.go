package page

import (
	"testing"

	"verdict/internal/backtest"
)

// TestSwapWithoutOutcomes checks that the table of the swap shows a dash where no row has an outcome.
func TestSwapWithoutOutcomes(t *testing.T) {
	t.Parallel()
	table := swapPicture(backtest.SwapSet{}).Table()
	if len(table.Rows) != 3 {
		t.Fatalf("%d rows", len(table.Rows))
	}
	for _, row := range table.Rows {
		if row[1] != none {
			t.Errorf("%s: %q", row[0], row[1])
		}
	}
}
