package loan

import "math/bits"

// fixed is a non-negative number below 512, stored in units of 2^-119. Such a
// unit is called ULP below. Nine bits are enough for the largest annuity, 480
// instalments at 0 %. With the other bits, the error of an instalment is far
// below one paisa:
//
//   - [annuity] is too small by at most 2n² ULP;
//   - its reciprocal is then too large by at most 2(n/a)² + 4 ULP, and n/a is
//     40 at worst (480 months at 100 %), so the error is below 2^12 ULP;
//   - times the largest principal, 1e14 < 2^47 paise, the error is below
//     2^(12+47-119) = 2^-60 paise.
//
// The standard library's big numbers would allocate memory for the same result.
type fixed struct{ hi, lo uint64 }

// fracHi is the number of fraction bits in the high word.
const fracHi = 119 - 64

var (
	one = fixed{hi: 1 << fracHi}
	two = fixed{hi: 2 << fracHi}
)

// ratio returns num/den rounded down, for num ≤ den < 2^55.
func ratio(num, den uint64) fixed {
	hi, rem := bits.Div64(num>>(64-fracHi), num<<fracHi, den)
	lo, _ := bits.Div64(rem, 0, den)
	return fixed{hi, lo}
}

func (a fixed) add(b fixed) fixed {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return fixed{hi, lo}
}

func (a fixed) sub(b fixed) fixed {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return fixed{hi, lo}
}

func (a fixed) addULP(n uint64) fixed { return a.add(fixed{lo: n}) }

// mul returns the product rounded down.
func (a fixed) mul(b fixed) fixed {
	// The 256-bit product has the words w3 to w0. w0, the low word of a.lo·b.lo,
	// is entirely below the last bit of the result and is not computed.
	w1, _ := bits.Mul64(a.lo, b.lo)
	mid1, low1 := bits.Mul64(a.hi, b.lo)
	mid2, low2 := bits.Mul64(a.lo, b.hi)
	w3, w2 := bits.Mul64(a.hi, b.hi)

	var carry uint64
	w1, carry = bits.Add64(w1, low1, 0)
	w2, carry = bits.Add64(w2, mid1, carry)
	w3 += carry
	w1, carry = bits.Add64(w1, low2, 0)
	w2, carry = bits.Add64(w2, mid2, carry)
	w3 += carry

	return fixed{
		hi: w3<<(64-fracHi) | w2>>fracHi,
		lo: w2<<(64-fracHi) | w1>>fracHi,
	}
}

// times returns n·a rounded down to a whole number, for n ≤ 1e14.
func (a fixed) times(n uint64) uint64 {
	carryIn, _ := bits.Mul64(a.lo, n)
	hi, lo := bits.Mul64(a.hi, n)
	lo, carry := bits.Add64(lo, carryIn, 0)
	hi += carry
	return hi<<(64-fracHi) | lo>>fracHi
}

// reciprocal returns 1/a, too large by at most 4 ULP, for a between 0.9 and
// 512.
//
// Dividing by the high word alone gives a result that is correct to 54 bits.
// Each Newton step x(2 − ax) squares the relative error, so after two steps only
// the rounding of the products remains: 2 − ax is at most 1 ULP too large, and
// the last product at most 1 ULP too small. Adding 2 ULP makes the result larger
// than 1/a.
func (a fixed) reciprocal() fixed {
	hi, rem := bits.Div64(1<<(2*fracHi-64), 0, a.hi)
	lo, _ := bits.Div64(rem, 0, a.hi)
	x := fixed{hi, lo}
	x = x.mul(two.sub(a.mul(x)))
	x = x.mul(two.sub(a.mul(x)))
	return x.addULP(2)
}

// annuity returns v + v² + … + v^n: the present value of n instalments of 1 if
// one month discounts by the factor v. It iterates over the bits of n. Each step
// doubles the number of terms, s_2m = s_m(1 + v^m), and for a bit that is set it
// adds one more, s_m+1 = v(1 + s_m). Unlike (1 − v^n)/i it neither subtracts nor
// divides, so it is as precise at 0 %, where the result is exactly n, as at 100
// %.
//
// Every step rounds down, so the result is never too large.
func annuity(v fixed, n int) fixed {
	power, sum := v, v
	for b := bits.Len(uint(n)) - 2; b >= 0; b-- {
		sum = sum.mul(one.add(power))
		power = power.mul(power)
		if n>>b&1 == 1 {
			sum = v.mul(one.add(sum))
			power = power.mul(v)
		}
	}
	return sum
}

// annuityErrorULP returns the largest amount, in ULP, by which annuity is too
// small. v itself is correct to 1 ULP. Induction over the two steps gives at
// most 2m ULP for v^m, then at most 2f + 2m² + 1 for a doubled sum and f + m +
// 2 for an extended one, where f is the bound at m. The bound 2m² satisfies
// both.
func annuityErrorULP(n int) uint64 { return 2 * uint64(n) * uint64(n) }
