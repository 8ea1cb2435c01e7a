package training

import "math"

// counts are the rows of a bin by what became of them.
type counts struct{ good, bad int64 }

func (c counts) rows() int64 { return c.good + c.bad }

func (c counts) plus(d counts) counts { return counts{c.good + d.good, c.bad + d.bad} }

func (c counts) minus(d counts) counts { return counts{c.good - d.good, c.bad - d.bad} }

// badRate is the share of bads, 0 without rows.
func (c counts) badRate() float64 {
	if c.rows() == 0 {
		return 0
	}
	return float64(c.bad) / float64(c.rows())
}

// worseThan compares bad rates without dividing.
func (c counts) worseThan(d counts) bool { return c.bad*d.rows() > d.bad*c.rows() }

// drawn is how many rows of the population's own kind are added to a bin that
// is too small to speak for itself, or knows only goods or only bads: without
// them three applicants could earn any number of points.
const drawn = 50

// evidence is a bin's weight of evidence in a population, and what the bin adds
// to the information value. The weight is rounded to six decimals, as a
// scorecard carries it.
func evidence(c, total counts, small bool) (woe, iv float64) {
	if c.rows() == 0 || total.good == 0 || total.bad == 0 {
		return 0, 0
	}
	good, bad := float64(c.good), float64(c.bad)
	if small || c.good == 0 || c.bad == 0 {
		all := float64(total.rows())
		good += float64(drawn * (float64(total.good) / all))
		bad += float64(drawn * (float64(total.bad) / all))
	}
	woe = roundTo(math.Log(good/float64(total.good)/(bad/float64(total.bad))), 6)
	return woe, float64((float64(c.good)/float64(total.good) - float64(c.bad)/float64(total.bad)) * woe)
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
