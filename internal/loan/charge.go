package loan

import (
	"math"

	"verdict/internal/exact"
)

// wholeMicros is 100 % in millionths of a percent.
const wholeMicros = 100_000_000

// Fee is the processing fee of an amount: a percentage, half-up to the paisa,
// but at least the minimum. The percentage is in millionths of a percent
// (2.5 % is 2,500,000), so that every rate a policy can write is an integer.
func Fee(amountPaise, pctMicros, minPaise int64) int64 {
	return max(percent(amountPaise, pctMicros), minPaise)
}

// Tax is the tax on a fee, half-up to the paisa, with the percentage as in
// [Fee]. It is taken on the rounded fee, since that is what is invoiced.
func Tax(feePaise, pctMicros int64) int64 {
	return percent(feePaise, pctMicros)
}

// percent is a share of an amount, half-up to the paisa. The product needs up
// to 128 bits. A negative percentage counts as 0, and a share beyond int64,
// which takes a percentage no policy allows, stops at its end.
func percent(amountPaise, pctMicros int64) int64 {
	share, ok := exact.MulDivHalfUp(clamp(amountPaise), uint64(max(pctMicros, 0)), wholeMicros)
	if !ok {
		return math.MaxInt64
	}
	return int64(min(share, math.MaxInt64))
}
