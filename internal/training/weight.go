package training

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"verdict/internal/backtest"
	"verdict/internal/fault"
	"verdict/internal/rule"
)

// weightUnits is the number of units that the average training row weighs. It
// is a power of two, so that sums of weights are exact.
const weightUnits = 1024

// bytesOfAWeight is the size of a row's weight in memory, in bytes.
const bytesOfAWeight = 4

// maxWeight is the maximum weight of a row.
const maxWeight = 1_000_000

// weight returns the weight of a row. The average training row weighs 1.
func (t *table) weight(row int32) float64 {
	if t.weights == nil {
		return 1
	}
	return float64(t.weights[row]) / weightUnits
}

// weighed reads the weight of a row from the weight column. It returns 1 if
// there is no weight column.
func (p *plan) weighed(row int64, cells [][]byte) (float64, error) {
	if p.weight < 0 {
		return 1, nil
	}
	n, how := readNumber(bytes.TrimSpace(cells[p.weight]))
	if how != plainNumber && how != formattedNumber || n < 0 || n > maxWeight*rule.One {
		var faults fault.List
		faults.Add("/weight", fault.CodeInvalidField,
			"the weight of row %d is not a number from 0 to %d: fix it, or give the row a weight of 0 to leave it out",
			row, maxWeight)
		return 0, faults.Err()
	}
	return toFloat(n), nil
}

// units converts a weight to units, scaled so that the average training row
// weighs 1. The result is at least one unit.
func (s *survey) units(weight float64) uint32 {
	scaled := math.Round(float64(weight*weightUnits) * (s.train.rows() / s.weight))
	return uint32(min(max(scaled, 1), math.MaxUint32))
}

// separate measures how well scores separate good from bad, with weighted rows.
func (t *table) separate(list []backtest.Outcome, rows []int32) (backtest.Separation, bool) {
	list, rows = t.inOrder(list, rows)
	if t.weights == nil {
		return backtest.Separate(list)
	}
	weights := make([]int64, len(rows))
	for i, row := range rows {
		weights[i] = int64(t.weights[row])
	}
	return backtest.SeparateWeighted(list, weights)
}

// inOrder sorts the outcomes by score and calls the check while it sorts.
// Separate sorts the outcomes again, which is fast if they are already sorted. If
// the table has no pace, inOrder returns its arguments.
func (t *table) inOrder(list []backtest.Outcome, rows []int32) ([]backtest.Outcome, []int32) {
	if t.pace == nil {
		return list, rows
	}
	order := make([]int32, len(list))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		t.pass(2)
		return cmp.Compare(list[a].Score, list[b].Score)
	})
	outcomes, sorted := make([]backtest.Outcome, len(list)), make([]int32, len(list))
	for i, at := range order {
		outcomes[i], sorted[i] = list[at], rows[at]
	}
	return outcomes, sorted
}

// total returns the total weight of all rows, and that of the bad rows.
func (t *table) total(rows []int32) (all, bads float64) {
	for _, row := range rows {
		w := t.weight(row)
		all += w
		if t.bad[row] == 1 {
			bads += w
		}
	}
	return all, bads
}
