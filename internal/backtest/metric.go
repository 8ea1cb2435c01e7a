// Package backtest measures what a policy does to a book of applications.
//
// Here are the metrics of a scorecard: how well it tells good from bad, what
// each band is worth, and how far a population has moved. Running a plan over
// rows, and the report of it, are not here yet.
package backtest

import (
	"cmp"
	"math"
	"slices"
)

// Separation says how well a score tells good from bad.
type Separation struct {
	AUC  float64 // the chance that a good one scores higher than a bad one, ties counting half
	Gini float64 // 2·AUC − 1
	KS   float64 // the widest distance between the two distributions
}

// Outcome is a score and what became of it.
type Outcome struct {
	Score float64
	Bad   bool
}

// Separate measures the separation of outcomes. It counts pairs in whole
// numbers, so the order of the outcomes does not matter; ok is false unless
// there are both good and bad ones.
func Separate(outcomes []Outcome) (s Separation, ok bool) {
	sorted := slices.Clone(outcomes)
	slices.SortFunc(sorted, func(a, b Outcome) int { return cmp.Compare(a.Score, b.Score) })
	var goods, bads int64
	for _, o := range sorted {
		if o.Bad {
			bads++
		} else {
			goods++
		}
	}
	if goods == 0 || bads == 0 {
		return Separation{}, false
	}
	var goodBelow, badBelow, halves int64 // halves counts each won pair as two
	for i := 0; i < len(sorted); {
		var good, bad int64 // at this score
		j := i
		for ; j < len(sorted) && sorted[j].Score == sorted[i].Score; j++ {
			if sorted[j].Bad {
				bad++
			} else {
				good++
			}
		}
		halves += good * (2*badBelow + bad)
		goodBelow, badBelow = goodBelow+good, badBelow+bad
		distance := math.Abs(float64(badBelow)/float64(bads) - float64(goodBelow)/float64(goods))
		s.KS = max(s.KS, distance)
		i = j
	}
	s.AUC = float64(halves) / (2 * float64(goods) * float64(bads))
	s.Gini = 2*s.AUC - 1
	return s, true
}

// Evidence is the weight of evidence of each band, and the information value
// of all of them together.
type Evidence struct {
	WOE []float64 // ln of the band's share of goods over its share of bads
	IV  float64
}

// smoothing takes the place of an empty share, whose logarithm does not exist.
const smoothing = 1e-4

// Weigh measures bands by their goods and bads, which must be as many. ok is
// false unless there are both.
func Weigh(goods, bads []int64) (e Evidence, ok bool) {
	totalGood, totalBad := sum(goods), sum(bads)
	if len(goods) != len(bads) || totalGood == 0 || totalBad == 0 {
		return Evidence{}, false
	}
	for i := range goods {
		good := share(float64(goods[i]) / float64(totalGood))
		bad := share(float64(bads[i]) / float64(totalBad))
		woe := math.Log(good / bad)
		e.WOE = append(e.WOE, woe)
		e.IV += float64((good - bad) * woe)
	}
	return e, true
}

// Stability is the population stability index of actual shares against
// expected ones, which must be as many. Below 0.1 little has changed; above
// 0.25 something has. An empty share counts as 0.0001.
func Stability(expected, actual []float64) (psi float64, ok bool) {
	if len(expected) != len(actual) || len(expected) == 0 {
		return 0, false
	}
	for i := range expected {
		e, a := share(expected[i]), share(actual[i])
		psi += float64((a - e) * math.Log(a/e))
	}
	return psi, true
}

func share(x float64) float64 { return max(x, smoothing) }

func sum(counts []int64) (total int64) {
	for _, n := range counts {
		total += n
	}
	return total
}
