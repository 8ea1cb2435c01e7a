package exact

import "math"

const (
	// PaisePerRupee is the number of paise in a rupee.
	PaisePerRupee = 100

	// Million is the number of millionths in a whole.
	Million = 1_000_000

	// MillionthsPerPaisa is a paisa in millionths of a rupee.
	MillionthsPerPaisa = Million / PaisePerRupee
)

// MillionthsOfRupees converts paise to millionths of a rupee. A result beyond int64
// becomes the largest or the smallest int64, because an overflow would give an
// amount of the wrong sign or size.
func MillionthsOfRupees(paise int64) int64 {
	switch {
	case paise > math.MaxInt64/MillionthsPerPaisa:
		return math.MaxInt64
	case paise < math.MinInt64/MillionthsPerPaisa:
		return math.MinInt64
	}
	return paise * MillionthsPerPaisa
}

// PaiseOfRupees converts millionths of a rupee to paise, rounded half away from
// zero.
func PaiseOfRupees(millionths int64) int64 { return DivHalfAway(millionths, MillionthsPerPaisa) }
