package loan

import (
	"math"
	"math/bits"
)

const (
	// maxMonthlyRate is the highest monthly rate that the search tries: 10,000
	// %. For a loan that costs more, APR reports twelve times this rate.
	maxMonthlyRate = 100

	// MaxAPR is the highest result of APR, in hundredths of a percent. This
	// result means that the rate is MaxAPR or higher, and a document must say
	// so.
	MaxAPR = maxMonthlyRate * yearBP

	// newtonRounds is the number of pure Newton rounds. Most loans converge in
	// 2 to 4 rounds. A loan with a balloon payment may need more; after this
	// number, every second round halves the bracket instead. A step that leaves
	// the bracket is always replaced by halving it.
	newtonRounds = 8
	maxRounds    = 128

	// stepTolerance is the step size at which the search stops. After a Newton
	// step, the error is at most a few hundred times the square of that step,
	// which is about 1e-16 here.
	stepTolerance = 1e-9

	// tieMargin is added before rounding, so that exact ties are rounded up
	// even if rounding errors of the computation put them slightly below the
	// tie. It is in hundredths of a percent and is larger than the error of the
	// whole computation.
	tieMargin = 1e-9
)

// APR returns the annual percentage rate in hundredths of a percent, rounded
// half up. It is the nominal rate: twelve times the monthly internal rate of
// return if the borrower receives netPaise now, pays instalmentPaise in every
// month but the last, and pays lastPaise in the last month. Indian key facts
// statements use this definition, with fee and tax deducted from the amount
// disbursed. The effective annual rate is higher.
//
// APR returns 0 if the payments do not exceed the net amount. It also returns 0
// if no rate can exist: the net amount is not positive, a payment is negative,
// or months is below 1. The result never exceeds MaxAPR, 120,000 %.
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

// flow is a series of months−1 equal payments followed by a last payment.
type flow struct {
	instalment, last float64
	months           int
}

func (f flow) total() float64 {
	return float64(f.instalment*float64(f.months-1)) + f.last
}

// yield returns the monthly rate at which the flow is worth net today. The sum
// of the flow must exceed net by the positive fraction gain.
//
// It runs Newton's method on the reciprocal of the present value, which is
// close to a straight line in the rate. The root stays bracketed: at rate 0 the
// flow is worth more than net, and at rate gain it is worth at most net,
// because every payment is at least a month away.
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
		// Both comparisons are false for NaN, so a NaN counts as outside.
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

// guess returns a starting rate. It solves the second-order expansion of the
// present value for equal payments: (n²−1)/12·x² + (n+1)/2·x = gain. The result
// is exact for a single payment.
func (f flow) guess(gain float64) float64 {
	n := float64(f.months)
	first := float64(2*gain) / (n + 1)
	return float64(2*first) / (1 + math.Sqrt(1+float64(first*(n-1))*2/3))
}

// value returns the present value of the flow at a monthly rate, and its
// derivative with respect to the rate.
//
// It computes v^m, Σ v^j and Σ j·v^j for j = 1…m, where m grows up to the
// tenure. For each further bit of the tenure it doubles m, and for a bit that
// is set it adds 1 to m. It does not call math.Pow, which is assembly on some
// processors. The float64 conversions prevent the compiler from fusing a
// multiplication with an addition: a fused operation rounds once instead of
// twice, so results would differ between processors.
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
	// Treat all payments as equal, then add the difference of the last one.
	rest := float64((f.last - f.instalment) * power)
	value = float64(f.instalment*sum) + rest
	slope = -float64(v * (float64(f.instalment*moment) + float64(m*rest)))
	return value, slope
}
