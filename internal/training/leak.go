package training

import (
	"cmp"
	"fmt"
	"slices"
)

// leakAUC is the AUC of a single column from which it counts as a leak. Data that
// is known before a loan never separates good from bad so well.
const leakAUC = 0.95

// dropLeaks drops columns that nearly separate good from bad by themselves: they
// were most likely filled in after the outcome was known.
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
				"alone it tells good from bad with an AUC of %.4f; it is used because include names it", auc[i])
			p.notes = append(p.notes, Note{Column: c.name, Code: codeLeakUsed, Detail: detail})
		default:
			p.leaks = append(p.leaks, c.name)
			p.drop(c.name, codeLeak, fmt.Sprintf("alone it tells good from bad with an AUC of %.4f: "+
				"it most likely was filled in after the outcome was known; name it in include to use it", auc[i]))
		}
	}
	t.columns = kept
}

// alone returns the AUC of one column, ranked by the bad rates of its cells. The
// rates come from one half of the training rows and the AUC from the other, both
// ways, so that many cells do not make a column look better than it is.
func (t *table) alone(c *column, halves [2][]int32) float64 {
	byCode := [2][]counts{t.count(c, halves[0]), t.count(c, halves[1])}
	sum := 0.0
	for side := range 2 {
		sum += rankedBy(byCode[side], byCode[1-side])
	}
	return sum / 2
}

// halves splits the training rows in two.
func (t *table) halves(seed uint64) (halves [2][]int32) {
	for _, row := range t.train {
		side := mix(uint64(row)^mix(seed+2)) & 1
		halves[side] = append(halves[side], row)
	}
	return halves
}

// rankedBy returns the AUC of rows ranked by the bad rate of their cells among
// other rows. A cell that the other rows do not have gets the average rate.
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
