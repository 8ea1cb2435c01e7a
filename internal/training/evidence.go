package training

import "math"

// counts are the rows of a bin by what became of them, each by its weight.
// Weights are multiples of 1/1024, so that sums and differences are exact: a bin
// without bads has exactly none.
type counts struct{ good, bad float64 }

func (c counts) rows() float64 { return c.good + c.bad }

func (c counts) plus(d counts) counts { return counts{c.good + d.good, c.bad + d.bad} }

func (c counts) minus(d counts) counts { return counts{c.good - d.good, c.bad - d.bad} }

// badRate is the share of bads, 0 without rows.
func (c counts) badRate() float64 {
	if c.rows() == 0 {
		return 0
	}
	return c.bad / c.rows()
}

// worseThan compares bad rates without dividing.
func (c counts) worseThan(d counts) bool { return c.bad*d.rows() > d.bad*c.rows() }

// drawn is how many rows of the population's own kind are added to a bin that
// is too small to speak for itself: without them three applicants could earn
// any number of points.
const drawn = 50

// half is the part of a row that is added to the goods and to the bads of a bin
// that has only one of them. Such a bin then weighs more than with one row of
// the other kind, and not without end.
const half = 0.5

// evidence is a bin's weight of evidence in a population, and what the bin adds
// to the information value. The weight is rounded to six decimals, as a
// scorecard carries it.
func evidence(c, total counts, small bool) (woe, iv float64) {
	if c.rows() == 0 || total.good == 0 || total.bad == 0 {
		return 0, 0
	}
	good, bad := c.good, c.bad
	switch all := total.rows(); {
	case small:
		good += float64(drawn * (total.good / all))
		bad += float64(drawn * (total.bad / all))
	case c.good == 0 || c.bad == 0:
		good += half
		bad += half
	}
	woe = roundTo(math.Log(good/total.good/(bad/total.bad)), 6)
	return woe, float64((c.good/total.good - c.bad/total.bad) * woe)
}

// ivBand names an information value the way risk teams speak of it.
func ivBand(iv float64) string {
	switch {
	case iv < 0.02:
		return "useless"
	case iv < 0.1:
		return "weak"
	case iv < 0.3:
		return "medium"
	case iv <= suspiciousIV:
		return "strong"
	}
	return "suspicious"
}

// suspiciousIV is where a column more likely holds the outcome than foretells it.
const suspiciousIV = 0.5
