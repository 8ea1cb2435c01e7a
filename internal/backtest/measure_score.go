package backtest

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// shareOf returns the bad rate of the labelled rows of c, with its interval.
func shareOf(c *counts) Share {
	l := c.labelled()
	out := Share{Labelled: l.rows, Bad: c[bad].rows, Rate: ratio(c[bad].weight, l.weight)}
	if l.weight > 0 {
		out.Low, out.High = wilson(float64(c[bad].weight)/float64(l.weight), float64(l.rows))
	}
	return out
}

// wilson returns the 95 % Wilson score interval of a rate p of n rows. Unlike the
// normal approximation, it is also valid for small groups.
func wilson(p, n float64) (low, high Figure) {
	const z, z2 = 1.959964, 1.959964 * 1.959964
	middle := p + float64(z2/(2*n))
	spread := float64(z * math.Sqrt(float64(p*(1-p))/n+float64(z2/float64(4*float64(n*n)))))
	whole := 1 + float64(z2/n)
	return rounded(max(0, (middle-spread)/whole)), rounded(min(1, (middle+spread)/whole))
}

// scoreBands counts the rows by score in the ranges of the pricing bands and in the ranges below, between and
// above them. It returns the ranges and their information value. Outside the bands, it leaves out ranges
// without rows. It also leaves out bands for new-to-credit applicants, because they may overlap the other
// bands.
func scoreBands(by *side, s *sides) (list []ScoreBand, iv Figure) {
	list = bandLadder(by.plan.Policy())
	sums := make([]counts, len(list))
	at := 0
	for cell, c := range s.cells.each() {
		score := by.grid.score(cell).Floor()
		for at+1 < len(list) && list[at].HasMax && score > list[at].Max {
			at++
		}
		sums[at].plus(c)
	}
	goods, bads := make([]int64, len(list)), make([]int64, len(list))
	for i := range list {
		goods[i], bads[i] = sums[i][good].weight, sums[i][bad].weight
		list[i].Count, list[i].Good, list[i].BadRate = sums[i].all().rows, sums[i][good].rows, shareOf(&sums[i])
	}
	if e, ok := Weigh(goods, bads); ok {
		iv = rounded(e.IV)
		for i := range list {
			if goods[i]+bads[i] > 0 {
				list[i].WOE, list[i].IV = rounded(e.WOE[i]), rounded(e.Values[i])
			}
		}
	}
	return slices.DeleteFunc(list, func(b ScoreBand) bool { return b.Place != InBand && b.Count == 0 }), iv
}

// bandLadder returns ranges that cover all scores in ascending order: the bands,
// and the ranges below, between and above them.
func bandLadder(p *engine.Policy) []ScoreBand {
	var bands []ScoreBand
	for i := range p.Bands {
		if b := &p.Bands[i]; !b.NTC {
			bands = append(bands, ScoreBand{
				Place: InBand, Band: b.ID, Grade: b.Grade, HasMin: true, Min: b.MinScore, HasMax: true, Max: b.MaxScore,
			})
		}
	}
	if len(bands) == 0 {
		return []ScoreBand{{Place: Between}}
	}
	slices.SortStableFunc(bands, func(a, b ScoreBand) int { return cmp.Compare(a.Min, b.Min) })
	if p.HasSegments() {
		bands = divided(bands)
	}
	list := []ScoreBand{{Place: Below, HasMax: true, Max: bands[0].Min - 1}}
	for _, b := range bands {
		if last := list[len(list)-1].Max; last+1 < b.Min {
			list = append(list, ScoreBand{Place: Between, HasMin: true, Min: last + 1, HasMax: true, Max: b.Min - 1})
		}
		list = append(list, b)
	}
	return append(list, ScoreBand{Place: Above, HasMin: true, Min: list[len(list)-1].Max + 1})
}

// divided divides overlapping bands into ranges that do not overlap. A range has
// the names and grades of all bands that contain it.
func divided(bands []ScoreBand) (out []ScoreBand) {
	var starts []int64
	for _, b := range bands {
		starts = append(starts, b.Min, b.Max+1)
	}
	slices.Sort(starts)
	starts = slices.Compact(starts)
	for k := range len(starts) - 1 {
		piece := ScoreBand{Place: InBand, HasMin: true, Min: starts[k], HasMax: true, Max: starts[k+1] - 1}
		var ids, grades []string
		for _, b := range bands {
			if b.Min > piece.Min || b.Max < piece.Min {
				continue
			}
			if ids = append(ids, b.Band); !slices.Contains(grades, b.Grade) {
				grades = append(grades, b.Grade)
			}
		}
		if len(ids) == 0 {
			continue
		}
		piece.Band, piece.Grade = strings.Join(ids, ", "), strings.Join(grades, ", ")
		out = append(out, piece)
	}
	return out
}

// calibration divides the labelled rows by score into ten groups of about equal
// weight. Rows in the same cell stay together, so there may be fewer groups. hl
// is the Hosmer–Lemeshow statistic.
func calibration(by *side, s *sides) (list []Decile, hl Figure) {
	var total int64
	for _, c := range s.cells.each() {
		total += c.labelled().weight
	}
	scaling := by.plan.Policy().Scorecard.Scaling
	var group counts
	var claimed wide // Σ PD·weight
	var from, to rule.Number
	var seen int64
	statistic := 0.0
	for cell, c := range s.cells.each() {
		l := c.labelled()
		if l.weight == 0 {
			continue
		}
		if group.labelled().weight == 0 {
			from = by.grid.score(cell)
		}
		to = by.grid.score(cell)
		group.plus(c)
		seen += l.weight
		if scaling != nil {
			claimed.add(int64(scaling.PD(by.grid.score(cell))), l.weight)
		}
		if !reaches(seen, int64(len(list)+1), total) {
			continue
		}
		d := Decile{
			Number: len(list) + 1, MinScore: Figure{from, true}, MaxScore: Figure{to, true},
			Count: group.labelled().rows, Observed: shareOf(&group),
		}
		if scaling != nil {
			d.Predicted = claimed.mean(group.labelled().weight, 1)
			statistic += chiSquareTerm(d)
		}
		list = append(list, d)
		group, claimed = counts{}, wide{}
	}
	if scaling != nil && len(list) > 0 {
		hl = rounded(statistic)
	}
	return list, hl
}

// reaches reports whether seen is at least the given number of tenths of total.
func reaches(seen, tenths, total int64) bool {
	var a, b wide
	a.add(seen, 10)
	b.add(total, tenths)
	a.plus(b.negated())
	return a.hi >= 0
}

// chiSquareTerm returns the group's term of the Hosmer–Lemeshow statistic.
func chiSquareTerm(d Decile) float64 {
	p := d.Predicted.Float()
	if p <= 0 || p >= 1 {
		return 0
	}
	off := d.Observed.Rate.Float() - p
	return float64(float64(d.Count)*float64(off*off)) / float64(p*(1-p))
}

// maxROC is the maximum number of points of the ROC curve.
const maxROC = 100

// roc returns the shares of good and bad rows at or below each score. It returns
// at most maxROC points, which is enough to draw the curve.
func roc(by *side, s *sides) []ROCPoint {
	var all counts
	for _, c := range s.cells.each() {
		all.plus(c)
	}
	goods, bads := all[good].weight, all[bad].weight
	if goods == 0 || bads == 0 {
		return nil
	}
	list := []ROCPoint{{Good: Figure{0, true}, Bad: Figure{0, true}}}
	var goodBelow, badBelow int64
	last := rule.Number(0)
	for cell, c := range s.cells.each() {
		if c.labelled().weight == 0 {
			continue
		}
		goodBelow, badBelow = goodBelow+c[good].weight, badBelow+c[bad].weight
		p := ROCPoint{Figure{by.grid.score(cell), true}, ratio(goodBelow, goods), ratio(badBelow, bads)}
		// Keep a point if its distances from the last kept point along both axes add up to at least step.
		// Always keep the last point of the curve.
		const step = 2 * rule.One / (maxROC - 2)
		if way := p.Good.Value + p.Bad.Value; way-last >= step || goodBelow == goods && badBelow == bads {
			list, last = append(list, p), way
		}
	}
	return list
}
