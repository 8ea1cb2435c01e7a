package loan

import (
	"math/big"
	"testing"
	"time"
)

// The functions below compute the same figures independently, without
// fixed-point numbers and without regard to speed. The tests compare the code
// with them.

// exactInstalment returns P·i(1+i)^n / ((1+i)^n − 1) in paise, as a fraction.
func exactInstalment(principal, rateBP int64, months int) *big.Rat {
	if rateBP == 0 {
		return big.NewRat(principal, int64(months))
	}
	n := big.NewInt(int64(months))
	grown := new(big.Int).Exp(big.NewInt(yearBP+rateBP), n, nil)
	whole := new(big.Int).Exp(big.NewInt(yearBP), n, nil)
	num := new(big.Int).Mul(big.NewInt(principal*rateBP), grown)
	den := new(big.Int).Mul(big.NewInt(yearBP), grown.Sub(grown, whole))
	return new(big.Rat).SetFrac(num, den)
}

// exactAnnuity returns the principal that an instalment of 1 can repay.
func exactAnnuity(rateBP int64, months int) *big.Rat {
	return new(big.Rat).Inv(exactInstalment(1, rateBP, months))
}

// floor returns the largest integer that does not exceed x.
func floor(x *big.Rat) int64 {
	return new(big.Int).Div(x.Num(), x.Denom()).Int64()
}

// halfUp rounds x to the nearest multiple of unit, and a tie up.
func halfUp(x *big.Rat, unit int64) int64 {
	steps := new(big.Rat).Mul(x, big.NewRat(1, unit))
	return floor(steps.Add(steps, big.NewRat(1, 2))) * unit
}

// exactSchedule computes the schedule for a given instalment in big integers.
// The last payment may be negative.
func exactSchedule(principal, rateBP int64, months int, instalment int64) (last, interest *big.Int) {
	balance, total := big.NewInt(principal), new(big.Int)
	for month := range months {
		i := new(big.Int).Mul(balance, big.NewInt(2*rateBP))
		i.Div(i.Add(i, big.NewInt(120_000)), big.NewInt(240_000))
		total.Add(total, i)
		balance.Add(balance, i)
		if month < months-1 {
			balance.Sub(balance, big.NewInt(instalment))
		}
	}
	return balance, total
}

// exactAPR finds the monthly rate by bisection in 200-bit floats. It returns
// the rate times 120,000, unrounded, which is the APR in hundredths of a
// percent.
func exactAPR(net, instalment, last int64, months int) float64 {
	const precision = 200
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }
	one := number(1)
	worthMore := func(rate *big.Float) bool {
		v := new(big.Float).Add(one, rate)
		v.Quo(one, v)
		// Horner's scheme: ((last·v + instalment)·v + instalment)·v …
		value := number(float64(last))
		for range months - 1 {
			value.Mul(value, v)
			value.Add(value, number(float64(instalment)))
		}
		return value.Mul(value, v).Cmp(number(float64(net))) > 0
	}
	low, high := number(0), number(100)
	for range 100 {
		mid := new(big.Float).Add(low, high)
		mid.Quo(mid, number(2))
		if worthMore(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	hundredths, _ := low.Mul(low, number(yearBP)).Float64()
	return hundredths
}

// countedValidUntil computes the end of validity by counting the days one by
// one. Sundays are not counted.
func countedValidUntil(from time.Time, days int) time.Time {
	day := from.In(time.FixedZone("", 19800))
	for days > 0 {
		day = day.AddDate(0, 0, 1)
		if day.Weekday() != time.Sunday {
			days--
		}
	}
	y, m, d := day.Date()
	return time.Date(y, m, d, 18, 29, 59, 0, time.UTC)
}

func mustTerms(tb testing.TB, rateBP int64, months int) Terms {
	tb.Helper()
	terms, err := NewTerms(rateBP, months)
	if err != nil {
		tb.Fatal(err)
	}
	return terms
}
