package loan

import (
	"math"
	"math/bits"
)

const (
	// maxMonthlyRate is the highest monthly rate looked for, 10,000 %. A loan
	// that costs more reports this one.
	maxMonthlyRate = 100

	// newtonRounds are tried without help. Loans need 2 to 4; a balloon may
	// need more, and from there on every other round halves the bracket.
	newtonRounds = 8
	maxRounds    = 128

	// stepTolerance ends the search. Newton's error after a step is at most
	// some hundred times the square of that step, here 1e-16.
	stepTolerance = 1e-9

	// tieMargin lifts an exact tie, which binary fractions miss by their
	// rounding error, over the edge. It is in hundredths of a percent and
	// above the error of the whole computation.
	tieMargin = 1e-9
)

// APR is the annual percentage rate in hundredths of a percent, half-up: the
// nominal rate, twelve times the monthly internal rate of return, of netPaise
// received now against months−1 instalments and the last one. Indian key facts
// statements are computed this way, with fee and tax taken off the amount
// disbursed; the effective annual rate is higher.
//
// It is 0 if the payments do not exceed the net amount, and also if no rate
// can exist: a net amount that is not positive, a negative payment, less than
// one month. It never exceeds 120,000 %.
func APR(netPaise, instalmentPaise, lastPaise int64, months int) int64 {
	if netPaise <= 0 || instalmentPaise < 0 || lastPaise < 0 || months < 1 {
		return 0
	}
	net := float64(netPaise)
	f := flow{float64(instalmentPaise), float64(lastPaise), months}
	gain := (f.total() - net) / net
	if gain <= 0 {
		return 0
	}
	rate := f.yield(net, gain)
	return int64(float64(rate*yearBP) + 0.5 + tieMargin)
}

// flow is months−1 equal payments and a last one.
type flow struct {
	instalment, last float64
	months           int
}

func (f flow) total() float64 {
	return float64(f.instalment*float64(f.months-1)) + f.last
}

// yield is the monthly rate at which the flow is worth net today, given that
// its sum exceeds net by the positive fraction gain.
//
// It runs Newton's method on the reciprocal of the present value, which is
// close to a straight line in the rate. The root stays bracketed: at rate 0
// the flow is worth more than net, and at rate gain less, because every
// payment is at least a month away.
func (f flow) yield(net, gain float64) float64 {
	low, high := 0.0, min(gain, maxMonthlyRate)
	rate := min(f.guess(gain), high)
	for round := range maxRounds {
		value, slope := f.value(rate)
		if value > net {
			low = rate
		} else {
			high = rate
		}
		next := rate + float64(value*(net-value))/float64(net*slope)
		// The comparisons are written so that they also refuse a NaN.
		inside := next >= low && next <= high
		if !inside || round >= newtonRounds && round%2 == 1 {
			rate = low + float64((high-low)/2)
			continue
		}
		step := math.Abs(next - rate)
		rate = next
		if step <= stepTolerance {
			break
		}
	}
	return rate
}

// guess solves the present value's expansion to the second order in the rate,
// for equal payments: (n²−1)/12·x² + (n+1)/2·x = gain. For a single payment
// that is exact.
func (f flow) guess(gain float64) float64 {
	n := float64(f.months)
	first := float64(2*gain) / (n + 1)
	return float64(2*first) / (1 + math.Sqrt(1+float64(first*(n-1))*2/3))
}

// value is the present value of the flow at a monthly rate, and its slope.
//
// The three sums v^m, Σ v^j and Σ j·v^j for j = 1…m are doubled and extended
// along the bits of the tenure; math.Pow would be assembly on some processors.
// The conversions keep a compiler from fusing a product with the sum it goes
// into, which would round once instead of twice and differ between processors.
func (f flow) value(rate float64) (value, slope float64) {
	v := 1 / (1 + rate)
	power, sum, moment, m := v, v, v, 1.0
	for b := bits.Len(uint(f.months)) - 2; b >= 0; b-- {
		moment += float64(power * (moment + float64(m*sum)))
		sum += float64(power * sum)
		power = float64(power * power)
		m *= 2
		if f.months>>b&1 == 1 {
			power = float64(power * v)
			m++
			sum += power
			moment += float64(m * power)
		}
	}
	// All instalments alike, and what the last one is more or less than them.
	rest := float64((f.last - f.instalment) * power)
	value = float64(f.instalment*sum) + rest
	slope = -float64(v * (float64(f.instalment*moment) + float64(m*rest)))
	return value, slope
}
