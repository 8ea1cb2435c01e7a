package training

import (
	"cmp"
	"fmt"
	"slices"
)

// leakAUC is the AUC of a single column at which the column counts as a leak.
// Data that is known before a loan is granted never separates good from bad that
// well.
const leakAUC = 0.95

// dropLeaks drops columns that nearly separate good from bad on their own. Such
// columns were most likely filled in after the outcome was known.
func (p *plan) dropLeaks(t *table) {
	auc := make([]float64, len(t.columns))
	halves := t.halves(uint64(p.Seed))
	t.inParallel(len(t.columns), func(i int) {
		t.pass(len(t.bad))
		auc[i] = t.alone(t.columns[i], halves)
	})
	var kept []*column
	for i, c := range t.columns {
		switch {
		case auc[i] < leakAUC:
			kept = append(kept, c)
		case c.wanted:
			kept = append(kept, c)
			detail := fmt.Sprintf(
				"alone it separates good from bad with an AUC of %.4f; it is used because \"include\" lists it", auc[i])
			p.notes = append(p.notes, Note{Column: c.name, Code: codeLeakUsed, Detail: detail})
		default:
			p.leaks = append(p.leaks, c.name)
			p.drop(c.name, codeLeak, fmt.Sprintf("alone it separates good from bad with an AUC of %.4f: it was most "+
				"likely filled in after the outcome was known; to use it, list it in \"include\"", auc[i]))
		}
	}
	t.columns = kept
}

// alone returns the AUC of a single column whose rows are ranked by the bad rates
// of their cells. It takes the rates from one half of the training rows and
// measures the AUC on the other half, then swaps the halves and averages. If both
// came from the same rows, many cells would make a column look better than it is.
func (t *table) alone(c *column, halves [2][]int32) float64 {
	byCode := [2][]counts{t.count(c, halves[0]), t.count(c, halves[1])}
	sum := 0.0
	for side := range 2 {
		sum += rankedBy(byCode[side], byCode[1-side])
	}
	return sum / 2
}

// halves splits the training rows into two halves.
func (t *table) halves(seed uint64) (halves [2][]int32) {
	for _, row := range t.train {
		side := mix(uint64(row)^mix(seed+2)) & 1
		halves[side] = append(halves[side], row)
	}
	return halves
}

// rankedBy returns the AUC of rows that are ranked by the bad rates of their cells. It takes the rates from the
// counts in others, after adding one average row to each cell. A cell without rows in others therefore gets the
// average rate.
func rankedBy(others, rows []counts) float64 {
	var all counts
	for _, n := range others {
		all = all.plus(n)
	}
	type cell struct {
		rate float64
		counts
	}
	var cells []cell
	for code, n := range rows {
		rate := all.badRate()
		if o := others[code]; o.rows() > 0 {
			rate = (o.bad + rate) / (o.rows() + 1)
		}
		if n.rows() > 0 {
			cells = append(cells, cell{rate, n})
		}
	}
	slices.SortStableFunc(cells, func(a, b cell) int { return cmp.Compare(a.rate, b.rate) })
	var total, below counts
	for _, n := range cells {
		total = total.plus(n.counts)
	}
	won := 0.0
	for i := 0; i < len(cells); {
		at, j := counts{}, i
		for ; j < len(cells) && cells[j].rate == cells[i].rate; j++ {
			at = at.plus(cells[j].counts)
		}
		won += float64(at.bad * (below.good + at.good/2))
		below = below.plus(at)
		i = j
	}
	if total.good == 0 || total.bad == 0 {
		return 0.5
	}
	return won / float64(total.good*total.bad)
}
