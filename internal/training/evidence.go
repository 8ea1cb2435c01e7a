package training

import "math"

// counts holds the weights of the good and the bad rows of a bin. Weights are
// multiples of 1/1024, so sums and differences are exact: a bin without bad rows
// has a bad weight of exactly 0.
type counts struct{ good, bad float64 }

func (c counts) rows() float64 { return c.good + c.bad }

func (c counts) plus(d counts) counts { return counts{c.good + d.good, c.bad + d.bad} }

func (c counts) minus(d counts) counts { return counts{c.good - d.good, c.bad - d.bad} }

// badRate returns the weighted share of bad rows, or 0 if there are no rows.
func (c counts) badRate() float64 {
	if c.rows() == 0 {
		return 0
	}
	return c.bad / c.rows()
}

// worseThan reports whether c has a higher bad rate than d. It compares without
// dividing.
func (c counts) worseThan(d counts) bool { return c.bad*d.rows() > d.bad*c.rows() }

// shrinkRows is the number of rows with the population's bad rate that are added
// to a small bin. Without them, a bin of three applicants could get any number of
// points.
const shrinkRows = 50

// half is added to the good and to the bad rows of a bin that has only good or only bad rows. The weight of evidence
// is then finite, but its magnitude is still larger than that of a bin with one row of the other outcome.
const half = 0.5

// evidence returns the weight of evidence of a bin in a population, and the bin's
// part of the information value. The weight is rounded to six decimals, as in a
// scorecard.
func evidence(c, total counts, small bool) (woe, iv float64) {
	if c.rows() == 0 || total.good == 0 || total.bad == 0 {
		return 0, 0
	}
	good, bad := c.good, c.bad
	switch all := total.rows(); {
	case small:
		good += float64(shrinkRows * (total.good / all))
		bad += float64(shrinkRows * (total.bad / all))
	case c.good == 0 || c.bad == 0:
		good += half
		bad += half
	}
	woe = roundTo(math.Log(good/total.good/(bad/total.bad)), 6)
	return woe, float64((c.good/total.good - c.bad/total.bad) * woe)
}

// ivBand returns the usual name for the strength of an information value.
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

// suspiciousIV is the information value above which a column more likely reveals
// the outcome than predicts it.
const suspiciousIV = 0.5
