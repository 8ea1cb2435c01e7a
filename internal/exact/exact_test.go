package exact_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"verdict/internal/exact"
)

// operands generates numbers of every size, including edge cases.
func operands() *rapid.Generator[uint64] {
	return rapid.OneOf(
		rapid.Uint64(),
		rapid.Uint64Range(0, 1000),
		rapid.SampledFrom(
			[]uint64{0, 1, 2, 1_000_000, 1 << 31, 1 << 32, 1 << 62, 1 << 63, math.MaxInt64, math.MaxUint64}),
	)
}

func signed() *rapid.Generator[int64] {
	return rapid.Map(operands(), func(n uint64) int64 { return int64(n) })
}

func positive() *rapid.Generator[int64] {
	return signed().Filter(func(n int64) bool { return n > 0 })
}

func unsignedBig(n uint64) *big.Int { return new(big.Int).SetUint64(n) }

// floorOf returns ⌊a÷b⌋ for a positive b. It is the reference with which all
// roundings are compared.
func floorOf(a, b *big.Int) *big.Int {
	quotient, rest := new(big.Int).QuoRem(a, b, new(big.Int))
	if rest.Sign() < 0 {
		quotient.Sub(quotient, big.NewInt(1))
	}
	return quotient
}

// halfAwayOf rounds |a|÷b half up and applies the sign of a.
func halfAwayOf(a, b *big.Int) *big.Int {
	twice := new(big.Int).Lsh(new(big.Int).Abs(a), 1)
	quotient := floorOf(twice.Add(twice, b), new(big.Int).Lsh(b, 1))
	if a.Sign() < 0 {
		quotient.Neg(quotient)
	}
	return quotient
}

func TestDivision(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n, by := signed().Draw(t, "n"), positive().Draw(t, "by")
		bigN, bigBy := big.NewInt(n), big.NewInt(by)
		if got, want := exact.DivHalfAway(n, by), halfAwayOf(bigN, bigBy); !want.IsInt64() || got != want.Int64() {
			t.Fatalf("DivHalfAway(%d, %d) is %d, not %s", n, by, got, want)
		}
		if got, want := exact.DivFloor(n, by), floorOf(bigN, bigBy); got != want.Int64() {
			t.Fatalf("DivFloor(%d, %d) is %d, not %s", n, by, got, want)
		}
		ceil := new(big.Int).Neg(floorOf(new(big.Int).Neg(bigN), bigBy))
		if got := exact.DivCeil(n, by); n != math.MinInt64 && got != ceil.Int64() {
			t.Fatalf("DivCeil(%d, %d) is %d, not %s", n, by, got, ceil)
		}
		if got, want := exact.BigHalfAway(bigN, bigBy), halfAwayOf(bigN, bigBy); got.Cmp(want) != 0 {
			t.Fatalf("BigHalfAway(%d, %d) is %s, not %s", n, by, got, want)
		}
		if n >= 0 && uint64(n)+uint64(by)/2 >= uint64(n) {
			if got, want := exact.DivHalfUp(uint64(n), uint64(by)), halfAwayOf(bigN, bigBy); got != want.Uint64() {
				t.Fatalf("DivHalfUp(%d, %d) is %d, not %s", n, by, got, want)
			}
		}
	})
}

func TestWideProducts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := operands().Draw(t, "a"), operands().Draw(t, "b"), operands().Draw(t, "c")
		product := new(big.Int).Mul(unsignedBig(a), unsignedBig(b))
		for name, call := range map[string]struct {
			got  func(a, b, c uint64) (uint64, bool)
			want func(a, b *big.Int) *big.Int
		}{
			"MulDivFloor":  {exact.MulDivFloor, floorOf},
			"MulDivHalfUp": {exact.MulDivHalfUp, halfAwayOf},
			"Divisor":      {mulByDivisor, halfAwayOf},
		} {
			got, ok := call.got(a, b, c)
			if c == 0 {
				if ok {
					t.Fatalf("%s(%d, %d, 0) has a result", name, a, b)
				}
				continue
			}
			want := call.want(product, unsignedBig(c))
			if ok != want.IsUint64() || ok && got != want.Uint64() {
				t.Fatalf("%s(%d, %d, %d) is %d, %t, not %s", name, a, b, c, got, ok, want)
			}
		}
	})
}

// mulByDivisor computes MulDivHalfUp with a Divisor.
func mulByDivisor(a, b, c uint64) (uint64, bool) {
	if c == 0 {
		return 0, false
	}
	return exact.NewDivisor(c).MulHalfUp(a, b)
}

// TestDivisor compares division by a reciprocal with division.
func TestDivisor(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		by := operands().Filter(func(n uint64) bool { return n > 0 }).Draw(t, "by")
		n := operands().Draw(t, "n")
		multiple := n - n%by // the estimate of the quotient is too low for most multiples
		for _, n := range []uint64{n, multiple, multiple - 1, multiple + by - 1} {
			if quotient, rest := exact.NewDivisor(by).Divide(n); quotient != n/by || rest != n%by {
				t.Fatalf("%d divided by %d is %d, rest %d; want %d, rest %d", n, by, quotient, rest, n/by, n%by)
			}
		}
	})
}

// TestMulMillionths compares MulMillionths with MulDivFloor.
func TestMulMillionths(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := operands().Draw(t, "a"), operands().Draw(t, "b")
		want, wantOK := exact.MulDivFloor(a, b, exact.Million)
		if got, ok := exact.MulMillionths(a, b); got != want || ok != wantOK {
			t.Fatalf("%d times %d millionths is %d, %t; want %d, %t", a, b, got, ok, want, wantOK)
		}
	})
}

// TestRoundingOverflow checks that rounding MaxUint64 + ½ up is reported as an
// overflow. A function that first divides and then adds one would return 0.
func TestRoundingOverflow(t *testing.T) {
	t.Parallel()
	// 2·MaxUint64 + 1 is odd, and half of it is MaxUint64 + ½.
	const part = (1<<65 - 1) / 31 // 2^65 - 1 is divisible by 31
	if got, ok := exact.MulDivHalfUp(part, 31, 2); ok {
		t.Errorf("MaxUint64 + ½ is rounded to %d", got)
	}
	if got, ok := exact.MulDivFloor(part, 31, 2); !ok || got != math.MaxUint64 {
		t.Errorf("MaxUint64 + ½ is rounded down to %d, %t", got, ok)
	}
}

func TestRupees(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ paise, want int64 }{
		{0, 0},
		{1, 10_000},
		{-12_345, -123_450_000},
		{922_337_203_685_477, 9_223_372_036_854_770_000},
		// One paisa more does not fit in an int64 and must not become a
		// negative amount.
		{922_337_203_685_478, math.MaxInt64},
		{-922_337_203_685_478, math.MinInt64},
		{math.MaxInt64, math.MaxInt64},
		{math.MinInt64, math.MinInt64},
	} {
		if got := exact.MillionthsOfRupees(c.paise); got != c.want {
			t.Errorf("%d paise are %d millionths, not %d", c.paise, got, c.want)
		}
	}
	for _, c := range []struct{ millionths, want int64 }{
		{4_999, 0}, {5_000, 1}, {-4_999, 0}, {-5_000, -1}, {14_999, 1}, {15_000, 2},
	} {
		if got := exact.PaiseOfRupees(c.millionths); got != c.want {
			t.Errorf("%d millionths are %d paise, not %d", c.millionths, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		paise := rapid.Int64Range(-1e14, 1e14).Draw(t, "paise")
		if got := exact.PaiseOfRupees(exact.MillionthsOfRupees(paise)); got != paise {
			t.Fatalf("%d paise come back as %d", paise, got)
		}
	})
}
