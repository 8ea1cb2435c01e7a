package training

import "math"

// Minimum distances from the average at which a bin counts as reversed: in
// weight of evidence, and in points as a share of the points that double the
// odds.
const (
	reversedWOE    = 0.2
	reversedPoints = 0.1
)

// reversals reports whether the points of a feature as a whole contradict its
// weights of evidence. If they do not, it returns the single bins whose points
// contradict their weights of evidence. Refining causes a reversal if another
// column explains why a bin is good or bad.
func (f *feature) reversals(o *Options) (whole bool, bins []int) {
	var all, woe, points float64
	for k := range f.bins {
		w := f.bins[k].rows()
		all += w
		woe += float64(w * f.bins[k].woe)
		points += float64(w * toFloat(f.points[k]))
	}
	if all == 0 {
		return false, nil
	}
	woe, points = woe/all, points/all
	together := 0.0
	for k := range f.bins {
		w := f.bins[k].rows()
		if w == 0 {
			continue
		}
		x, y := f.bins[k].woe-woe, toFloat(f.points[k])-points
		together += float64(w * float64(x*y))
		if x*y < 0 && math.Abs(x) >= reversedWOE && math.Abs(y) >= float64(reversedPoints*toFloat(o.PDO)) {
			bins = append(bins, k)
		}
	}
	if together < 0 {
		return true, nil
	}
	return false, bins
}
