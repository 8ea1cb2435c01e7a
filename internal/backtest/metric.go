// Package backtest measures the effect of a policy on a book of past
// applications.
//
// A Run decides rows with one or two compiled policies, using the same plans as
// live decisions, and counts the results as integers in a Partial. Partials merge
// exactly, so rows may be divided into blocks and decided by several goroutines
// or machines, and the Report is the same to the last digit. The package also
// contains the metrics of a scorecard and a synthetic book for testing a policy.
//
// The package does not read rows from files or store reports.
package backtest

import (
	"cmp"
	"math"
	"slices"
)

// Separation measures how well a score separates good loans from bad ones.
type Separation struct {
	AUC  float64 // probability that a good loan scores higher than a bad one; ties count half
	Gini float64 // 2·AUC − 1
	KS   float64 // largest distance between the cumulative distributions
}

// Outcome is the score of a loan and whether the loan went bad.
type Outcome struct {
	Score float64
	Bad   bool
}

// Separate measures how well the scores separate the outcomes. It counts pairs as
// integers, so the order of the outcomes does not matter. ok is false unless
// there are both good and bad outcomes.
func Separate(outcomes []Outcome) (s Separation, ok bool) {
	sorted := slices.Clone(outcomes)
	slices.SortFunc(sorted, func(a, b Outcome) int { return cmp.Compare(a.Score, b.Score) })
	var sep separator
	for _, o := range sorted {
		if o.Bad {
			sep.bads++
		} else {
			sep.goods++
		}
	}
	if sep.goods == 0 || sep.bads == 0 {
		return Separation{}, false
	}
	for i := 0; i < len(sorted); {
		var goods, bads int64 // number of loans at this score
		j := i
		for ; j < len(sorted) && sorted[j].Score == sorted[i].Score; j++ {
			if sorted[j].Bad {
				bads++
			} else {
				goods++
			}
		}
		sep.add(goods, bads)
		i = j
	}
	return sep.separation(), true
}

// separation computes the metrics from the counts.
func (s *separator) separation() (out Separation) {
	pairs := float64(s.goods) * float64(s.bads)
	out.AUC = s.halves.float() / (2 * pairs)
	out.Gini = 2*out.AUC - 1
	out.KS = s.widest.float() / pairs
	return out
}

// separator measures separation from counts or weights of good and bad loans,
// which are added in ascending order of score. It counts pairs in 128 bits,
// because the product of the weights of a hundred million rows does not fit in 64
// bits.
type separator struct {
	goods, bads         int64 // totals over all scores, known before the first add
	goodBelow, badBelow int64 // totals over the scores added so far
	halves              wide  // twice the number of pairs in which the good loan scores higher, plus the ties
	widest              wide  // largest distance between the distributions, times goods and bads
}

// add adds the next higher score. It reports whether the distributions are
// farther apart at this score than at any lower one.
func (s *separator) add(goods, bads int64) (farther bool) {
	s.halves.add(s.badBelow, goods)
	s.halves.add(s.badBelow, goods)
	s.halves.add(bads, goods)
	s.goodBelow, s.badBelow = s.goodBelow+goods, s.badBelow+bads
	var distance wide
	distance.add(s.badBelow, s.goods)
	distance.add(-s.goodBelow, s.bads)
	if distance.hi < 0 {
		distance = distance.negated()
	}
	if distance.hi > s.widest.hi || distance.hi == s.widest.hi && distance.lo > s.widest.lo {
		s.widest = distance
		return true
	}
	return false
}

func (s *separator) pairs() (p wide) {
	p.add(s.goods, s.bads)
	return p
}

// auc, gini and ks return the metrics as figures. There must be both good and bad
// loans.
func (s *separator) auc() Figure {
	pairs := s.pairs()
	pairs.plus(pairs)
	return s.halves.over(&pairs)
}

func (s *separator) gini() Figure {
	won, pairs := s.halves, s.pairs()
	won.plus(pairs.negated())
	return won.over(&pairs)
}

func (s *separator) ks() Figure {
	pairs := s.pairs()
	return s.widest.over(&pairs)
}

// Evidence has the weight of evidence of each band, and the information value of
// all bands together.
type Evidence struct {
	WOE    []float64 // ln(band's share of good loans ÷ band's share of bad loans)
	Values []float64 // each band's part of the information value
	IV     float64
}

// smoothing is the minimum share. It replaces a smaller share, because the
// logarithm of zero is undefined.
const smoothing = 1e-4

// Weigh computes the evidence of bands from their numbers of good and bad loans.
// ok is false if the lists differ in length, or if there are no good or no bad
// loans.
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
		value := float64((good - bad) * woe)
		e.Values = append(e.Values, value)
		e.IV += value
	}
	return e, true
}

// Stability returns the population stability index of the actual shares against
// the expected shares. A value below 0.1 means that little has changed; a value
// above 0.25 means that the population has changed. A share below 0.0001 counts as
// 0.0001. ok is false if the lists are empty or differ in length.
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
