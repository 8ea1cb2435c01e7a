package backtest

import (
	"cmp"
	"slices"
)

// SeparateWeighted measures how well the scores separate weighted outcomes.
// weights must be as long as outcomes and must not be negative. If all weights
// are 1, the result is that of Separate. ok is false unless there are both good
// and bad outcomes.
func SeparateWeighted(outcomes []Outcome, weights []int64) (s Separation, ok bool) {
	type weighed struct {
		Outcome
		weight int64
	}
	sorted := make([]weighed, len(outcomes))
	for i, o := range outcomes {
		sorted[i] = weighed{o, weights[i]}
	}
	slices.SortFunc(sorted, func(a, b weighed) int { return cmp.Compare(a.Score, b.Score) })
	var sep separator
	count := func(o *weighed, goods, bads *int64) {
		if o.Bad {
			*bads += o.weight
		} else {
			*goods += o.weight
		}
	}
	for i := range sorted {
		count(&sorted[i], &sep.goods, &sep.bads)
	}
	if sep.goods == 0 || sep.bads == 0 {
		return Separation{}, false
	}
	for i := 0; i < len(sorted); {
		var goods, bads int64 // weights at this score
		j := i
		for ; j < len(sorted) && sorted[j].Score == sorted[i].Score; j++ {
			count(&sorted[j], &goods, &bads)
		}
		sep.add(goods, bads)
		i = j
	}
	return sep.separation(), true
}
