package loan

import (
	"math"

	"verdict/internal/exact"
)

// wholeMicros is 100 % in millionths of a percent.
const wholeMicros = 100_000_000

// Fee returns the processing fee for an amount: a percentage of it, rounded
// half up to the paisa, but at least minPaise. pctMicros is in millionths of a
// percent (2.5 % is 2,500,000), so that every rate that a policy can state is
// an integer.
func Fee(amountPaise, pctMicros, minPaise int64) int64 {
	return max(percent(amountPaise, pctMicros), minPaise)
}

// Tax returns the tax on a fee, rounded half up to the paisa. pctMicros is in
// millionths of a percent, as in [Fee]. The tax applies to the rounded fee
// because that is the amount invoiced.
func Tax(feePaise, pctMicros int64) int64 {
	return percent(feePaise, pctMicros)
}

// percent returns a percentage of an amount, rounded half up to the paisa. The
// product is computed in 128 bits. A negative percentage counts as 0. A result
// beyond int64, which needs a percentage that no policy allows, becomes
// math.MaxInt64.
func percent(amountPaise, pctMicros int64) int64 {
	share, ok := exact.MulDivHalfUp(clamp(amountPaise), uint64(max(pctMicros, 0)), wholeMicros)
	if !ok {
		return math.MaxInt64
	}
	return int64(min(share, math.MaxInt64))
}

// Charge is a further charge of a loan, such as stamp duty or a premium: a fixed amount, or a percentage of the amount
// lent within bounds.
type Charge struct {
	FixedPaise int64 // used if PctMicros is 0
	PctMicros  int64 // in millionths of a percent, as in [Fee]
	MinPaise   int64 // the least that a percentage charges
	MaxPaise   int64 // the most that a percentage charges; 0 for no bound
	TaxMicros  int64 // tax on the charge, in millionths of a percent
}

// On returns the charge for an amount, and the tax on it, both rounded half up to the paisa.
func (c Charge) On(amountPaise int64) (chargePaise, taxPaise int64) {
	chargePaise = c.FixedPaise
	if c.PctMicros > 0 {
		chargePaise = max(percent(amountPaise, c.PctMicros), c.MinPaise)
		if c.MaxPaise > 0 {
			chargePaise = min(chargePaise, c.MaxPaise)
		}
	}
	return chargePaise, Tax(chargePaise, c.TaxMicros)
}
