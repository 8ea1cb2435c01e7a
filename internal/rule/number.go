package rule

import (
	"verdict/internal/exact"
	"verdict/internal/wire"
)

// Number is an exact decimal with six places, stored as a count of millionths.
// Rules compare rupees, ratios, days and scores as Numbers. In contrast to
// binary floating point, equality is exact, and arithmetic gives the same
// result on every processor.
type Number int64

// Places is the number of decimal places of a Number.
const Places = 6

// One is the Number 1.
const One Number = 1_000_000

// MaxNumber is the largest absolute value that a rule can read: 10^12. A larger
// input is rejected, and a larger computed operand is unknown.
const MaxNumber = 1_000_000_000_000 * One

// Paisa is one paisa in rupees: one hundredth.
const Paisa = One / 100

// Int returns the whole number n as a Number.
func Int(n int64) Number { return Number(n) * One }

// Rupees converts paise to a Number of rupees. An amount beyond MaxNumber gives
// a Number beyond MaxNumber with the same sign, which is out of range for a
// rule.
func Rupees(paise int64) Number { return Number(exact.MillionthsOfRupees(paise)) }

// Paise converts a Number of rupees to paise, rounded half away from zero.
func (n Number) Paise() int64 { return exact.PaiseOfRupees(int64(n)) }

// ParseNumber parses a JSON number literal and rounds it half away from zero to
// six decimals. exact reports whether no rounding was needed. ok is false if
// the absolute value is greater than MaxNumber.
func ParseNumber(literal string) (n Number, exact, ok bool) {
	coef, exact, ok := wire.ParseDecimal(literal, Places)
	n = Number(coef)
	if !ok || n > MaxNumber || n < -MaxNumber {
		return 0, false, false
	}
	return n, exact, true
}

// String returns the shortest decimal form.
func (n Number) String() string { return string(n.Append(nil)) }

// Append appends the shortest decimal form to dst.
func (n Number) Append(dst []byte) []byte { return wire.AppendDecimal(dst, int64(n), Places) }

// HasPlaces reports whether n has at most the given number of decimals.
func (n Number) HasPlaces(places int) bool {
	unit := One
	for range min(places, Places) {
		unit /= 10
	}
	return n%unit == 0
}

// Floor returns the largest whole number that is not above n.
func (n Number) Floor() int64 { return exact.DivFloor(n, One) }

// inRange returns n and whether it is within MaxNumber.
func inRange(n Number) (Number, bool) { return n, -MaxNumber <= n && n <= MaxNumber }

// Plus returns n + m. It returns false if the sum is out of range. n and m must
// be within MaxNumber, so that the sum cannot overflow.
func (n Number) Plus(m Number) (Number, bool) { return inRange(n + m) }

// Minus returns n − m, with the same conditions as Plus.
func (n Number) Minus(m Number) (Number, bool) { return inRange(n - m) }

// Times returns n · m, rounded half away from zero at the sixth decimal. It
// returns false if the product is out of range.
func (n Number) Times(m Number) (Number, bool) { return mulDiv(n, m, One) }

// Over returns n / m, rounded half away from zero at the sixth decimal. It
// returns false if m is zero or the quotient is out of range.
func (n Number) Over(m Number) (Number, bool) { return mulDiv(n, One, m) }

// mulDiv returns a·b/c, computed with a 128-bit product and rounded half away
// from zero. It returns false if c is zero or the result is out of range.
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
