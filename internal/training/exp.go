package training

import "math"

const (
	log2e  = 1 / math.Ln2
	ln2Hi  = 6.93147180369123816490e-01 // the leading bits of ln 2, so that k·ln2Hi is exact
	ln2Lo  = 1.90821492927058770002e-10
	maxExp = 700
)

// exp returns e^x, with the same bits on every processor. It does not use
// math.Exp, which has its own assembly on some processors and could be rounded
// differently by a fused multiply-add on others. The result is accurate enough
// for logistic regression.
func exp(x float64) float64 {
	x = min(max(x, -maxExp), maxExp)
	k := math.Floor(float64(x*log2e) + 0.5)
	r := x - float64(k*ln2Hi)
	r -= float64(k * ln2Lo)
	// The series of e^r for |r| ≤ ln2/2; the next term is below 2⁻⁵³.
	sum := 1.0 / 6227020800
	for _, c := range expSeries {
		sum = float64(sum*r) + c
	}
	return float64(sum * math.Float64frombits(uint64(int64(k)+1023)<<52))
}

var expSeries = [...]float64{
	1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
	1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2, 1, 1,
}

// roundTo rounds x half away from zero to a number of decimals. This removes
// differences between processors in the last bit of a logarithm.
func roundTo(x float64, places int) float64 {
	scale := pow10(places)
	return math.Round(float64(x*scale)) / scale
}

func pow10(places int) float64 {
	scale := 1.0
	for range places {
		scale *= 10
	}
	return scale
}
