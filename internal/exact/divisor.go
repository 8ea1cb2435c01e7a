package exact

import (
	"math"
	"math/bits"
)

// Divisor divides by a number that is known before the dividends are. It multiplies by the reciprocal of the number,
// which takes a fraction of the time of a division. The zero Divisor must not be used.
type Divisor struct{ by, reciprocal uint64 }

// NewDivisor returns a divisor for a number greater than 0.
func NewDivisor(by uint64) Divisor { return Divisor{by: by, reciprocal: math.MaxUint64 / by} }

// Divide returns n÷by, rounded down, and the rest.
func (d Divisor) Divide(n uint64) (quotient, rest uint64) {
	// The reciprocal is at most 1 below 2^64÷by. So the estimate is at most n÷2^64 below n÷by: it is the quotient or
	// one less.
	quotient, _ = bits.Mul64(n, d.reciprocal)
	if rest = n - quotient*d.by; rest >= d.by {
		return quotient + 1, rest - d.by
	}
	return quotient, rest
}

// MulHalfUp returns a·b÷by, rounded half up, like MulDivHalfUp. ok is false if the result does not fit in 64 bits.
func (d Divisor) MulHalfUp(a, b uint64) (quotient uint64, ok bool) {
	high, low := bits.Mul64(a, b)
	low, carry := bits.Add64(low, d.by/2, 0)
	if high+carry == 0 {
		quotient, _ = d.Divide(low)
		return quotient, true
	}
	return divide(high+carry, low, d.by)
}
