package loan

import "math/bits"

// fixed is a non-negative number below 512 in units of 2^-119, its ULP. Nine
// bits hold the largest annuity, 480 instalments at 0 %; the others keep
// the error of an instalment far under anything a paisa can show:
//
//   - [annuity] is too small by at most 2n² ULP;
//   - its reciprocal is then too large by at most 2(n/a)² + 4 ULP, and n/a is
//     40 at worst (480 months at 100 %), which makes less than 2^12 ULP;
//   - times the largest principal, 1e14 < 2^47 paise, that is under
//     2^(12+47-119) = 2^-60 paise.
//
// The standard library's big numbers would do the same with allocations.
type fixed struct{ hi, lo uint64 }

// fracHi is how many of the high word's bits are behind the point.
const fracHi = 119 - 64

var (
	one = fixed{hi: 1 << fracHi}
	two = fixed{hi: 2 << fracHi}
)

// ratio is num/den rounded down, for num ≤ den < 2^55.
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

// mul is the product rounded down.
func (a fixed) mul(b fixed) fixed {
	// The words of the 256-bit product are w3 to w0; w0 lies wholly behind
	// the last bit kept, and matters only through its carry.
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

// times is n times a, rounded down to a whole number, for n ≤ 1e14.
func (a fixed) times(n uint64) uint64 {
	carryIn, _ := bits.Mul64(a.lo, n)
	hi, lo := bits.Mul64(a.hi, n)
	lo, carry := bits.Add64(lo, carryIn, 0)
	hi += carry
	return hi<<(64-fracHi) | lo>>fracHi
}

// reciprocal is above 1/a by at most 4 ULP, for a between 0.9 and 512.
//
// Dividing by the high word alone is right to 54 bits; each Newton step
// x(2 − ax) squares the relative error, so two steps leave only what the
// products round off: 2 − ax comes out at most 1 ULP too large, and the last
// product at most 1 too small. Two ULP on top put the result above 1/a.
func (a fixed) reciprocal() fixed {
	hi, rem := bits.Div64(1<<(2*fracHi-64), 0, a.hi)
	lo, _ := bits.Div64(rem, 0, a.hi)
	x := fixed{hi, lo}
	x = x.mul(two.sub(a.mul(x)))
	x = x.mul(two.sub(a.mul(x)))
	return x.addULP(2)
}

// annuity is v + v² + … + v^n, what n instalments of 1 are worth today if a
// month discounts by v. The sum is doubled (s_2m = s_m(1 + v^m)) and extended
// (s_m+1 = v(1 + s_m)) along the bits of n. Unlike (1 − v^n)/i this subtracts
// nothing and divides by nothing, so it is as precise at 0 %, where it is
// exactly n, as at 100 %.
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

// annuityErrorULP bounds how much too small annuity is. With v itself right to
// 1 ULP, induction along the two steps gives at most 2m ULP for v^m, then at
// most 2f + 2m² + 1 for a doubled sum and f + m + 2 for an extended one, where
// f is the bound at m; 2m² satisfies both.
func annuityErrorULP(n int) uint64 { return 2 * uint64(n) * uint64(n) }
