package feature

import "verdict/internal/exact"

// quotient returns num·scale ÷ den, rounded half away from zero and clamped to
// ±mostValue. den must be positive.
func quotient(num, den, scale int64) int64 {
	negative := num < 0
	if negative {
		num = -num
	}
	var q uint64
	if num < 1<<48 && scale <= one && den < 1<<62 { // 48 + 14 bits: no overflow
		q = exact.DivHalfUp(uint64(num)*uint64(scale), uint64(den))
	} else {
		q = wideQuotient(uint64(num), uint64(den), uint64(scale))
	}
	value := int64(min(q, mostValue))
	if negative {
		return -value
	}
	return value
}

func wideQuotient(num, den, scale uint64) uint64 {
	q, ok := exact.MulDivHalfUp(num, scale, den)
	if !ok {
		return mostValue
	}
	return q
}

// scaled returns n·unit, clamped to ±mostValue.
func scaled(n, unit int64) int64 {
	if most := int64(mostValue / one); n <= most && n >= -most {
		return n * unit
	}
	return quotient(n, 1, unit)
}
