// Package exact implements the arithmetic of money: division with a stated
// rounding, products that need more than 64 bits, and the conversion between
// paise and rupees. It does not use floating point, so the results are the same
// on every processor.
//
// Every rounding rule has one name: HalfUp rounds a value that is not negative to the nearest whole number, and
// rounds a tie up. HalfAway rounds to the nearest whole number, and rounds a tie away from zero. Floor and Ceil
// round down and up.
package exact

import (
	"math/big"
	"math/bits"
)

// DivHalfUp returns n÷by, rounded half up. The divisor must be positive, and n+by/2 must fit in 64 bits.
func DivHalfUp(n, by uint64) uint64 { return (n + by/2) / by }

// DivHalfAway returns n÷by, rounded half away from zero. The divisor must be positive.
func DivHalfAway[T ~int64](n, by T) int64 {
	quotient, rest := n/by, n%by
	switch {
	case rest > 0 && rest >= by-rest:
		quotient++
	case rest < 0 && -rest >= by+rest:
		quotient--
	}
	return int64(quotient)
}

// DivFloor returns n÷by, rounded down. The divisor must be positive.
func DivFloor[T ~int64](n, by T) int64 {
	quotient := int64(n / by)
	if n%by < 0 {
		quotient--
	}
	return quotient
}

// DivCeil returns n÷by, rounded up. The divisor must be positive, and n must not be math.MinInt64.
func DivCeil[T ~int64](n, by T) int64 { return -DivFloor(-n, by) }

// MulDivFloor returns a·b÷c, rounded down. The product is computed with 128 bits, so it cannot overflow. ok is false
// if c is 0 or the result does not fit in 64 bits.
func MulDivFloor(a, b, c uint64) (quotient uint64, ok bool) {
	high, low := bits.Mul64(a, b)
	return divide(high, low, c)
}

// MulDivHalfUp returns a·b÷c, rounded half up. The product is computed with 128 bits, so it cannot overflow. ok is
// false if c is 0 or the result does not fit in 64 bits.
func MulDivHalfUp(a, b, c uint64) (quotient uint64, ok bool) {
	high, low := bits.Mul64(a, b)
	low, carry := bits.Add64(low, c/2, 0)
	return divide(high+carry, low, c)
}

// MulMillionths returns a times b millionths, rounded down. ok is false if the result does not fit in 64 bits. It is
// MulDivFloor for the divisor Million. Because the compiler knows this divisor, it multiplies instead of dividing,
// which takes a fraction of the time.
func MulMillionths(a, b uint64) (product uint64, ok bool) {
	high, low := bits.Mul64(a, b)
	if high == 0 {
		return low / Million, true
	}
	return divide(high, low, Million)
}

// divide divides a number of 128 bits. ok is false if the divisor is 0 or the result does not fit in 64 bits. The high
// half is nearly always 0. Then divide uses a division of 64 bits, which is much cheaper.
func divide(high, low, by uint64) (quotient uint64, ok bool) {
	if high >= by {
		return 0, false
	}
	if high == 0 {
		return low / by, true
	}
	quotient, _ = bits.Div64(high, low, by)
	return quotient, true
}

// BigHalfAway returns a÷b, rounded half away from zero. b must be positive.
func BigHalfAway(a, b *big.Int) *big.Int {
	twice := new(big.Int).Lsh(a, 1)
	half := new(big.Int).Set(b)
	if twice.Sign() < 0 {
		half.Neg(half)
	}
	twice.Add(twice, half)
	return twice.Quo(twice, new(big.Int).Lsh(b, 1))
}
