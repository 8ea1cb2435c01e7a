package rule

import (
	"verdict/internal/exact"
	"verdict/internal/wire"
)

// Number is an exact decimal with six places, held as a count of millionths.
// Everything a rule compares is one: rupees, ratios, days, scores. Equality
// is exact and arithmetic is the same on every processor, which binary
// floating point would not give.
type Number int64

// Places is the number of decimals a Number keeps.
const Places = 6

// One is the Number 1.
const One Number = 1_000_000

// MaxNumber bounds what a rule can read: a million million either way.
// Beyond it an input is refused and a computed operand is unknown.
const MaxNumber = 1_000_000_000_000 * One

// Paisa is the Number of rupees in one paisa, and a hundredth of anything else.
const Paisa = One / 100

// Int makes a whole Number.
func Int(n int64) Number { return Number(n) * One }

// Rupees makes a Number of rupees from paise. An amount beyond MaxNumber is out
// of range for a rule, but it keeps its sign and is never read as a small one.
func Rupees(paise int64) Number { return Number(exact.MillionthsOfRupees(paise)) }

// Paise returns an amount in rupees in paise, rounded half away from zero.
func (n Number) Paise() int64 { return exact.PaiseOfRupees(int64(n)) }

// ParseNumber reads a JSON number literal, rounding half away from zero
// beyond the sixth decimal. exact tells whether nothing was rounded; ok is
// false beyond MaxNumber.
func ParseNumber(literal string) (n Number, exact, ok bool) {
	coef, exact, ok := wire.ParseDecimal(literal, Places)
	n = Number(coef)
	if !ok || n > MaxNumber || n < -MaxNumber {
		return 0, false, false
	}
	return n, exact, true
}

// String is the shortest decimal form.
func (n Number) String() string { return string(n.Append(nil)) }

// Append appends the shortest decimal form.
func (n Number) Append(dst []byte) []byte { return wire.AppendDecimal(dst, int64(n), Places) }

// HasPlaces reports whether n has at most the given number of decimals.
func (n Number) HasPlaces(places int) bool {
	unit := One
	for range min(places, Places) {
		unit /= 10
	}
	return n%unit == 0
}

// Floor is the largest whole number that is not above n.
func (n Number) Floor() int64 { return exact.DivFloor(n, One) }

// inRange is the verdict on a computed result: within bounds or unknown.
func inRange(n Number) (Number, bool) { return n, -MaxNumber <= n && n <= MaxNumber }

// Plus adds; both operands are within MaxNumber, so the sum cannot wrap.
func (n Number) Plus(m Number) (Number, bool) { return inRange(n + m) }

// Minus subtracts.
func (n Number) Minus(m Number) (Number, bool) { return inRange(n - m) }

// Times multiplies, rounding half away from zero at the sixth place.
func (n Number) Times(m Number) (Number, bool) { return mulDiv(n, m, One) }

// Over divides, rounding half away from zero at the sixth place. Division by
// zero has no result.
func (n Number) Over(m Number) (Number, bool) { return mulDiv(n, One, m) }

// mulDiv is a·b/c through a 128-bit product, rounded half away from zero.
func mulDiv(a, b, c Number) (Number, bool) {
	q, ok := exact.MulDivHalfUp(magnitude(a), magnitude(b), magnitude(c))
	if !ok || q > uint64(MaxNumber) {
		return 0, false
	}
	if (a < 0) != (b < 0) != (c < 0) {
		return -Number(q), true
	}
	return Number(q), true
}

func magnitude(n Number) uint64 {
	if n < 0 {
		return uint64(-n)
	}
	return uint64(n)
}
