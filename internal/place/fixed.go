package place

import "math/bits"

// Numbers in this file are fixed-point numbers with sixty fractional bits, so
// that an int64 can hold values below eight. Angles are in radians.
const (
	fraction = 60
	one      = int64(1) << fraction

	// halfMicro is half a millionth of a degree.
	halfMicro = 10_061_138_136
	// shrunk is the initial length of a vector. The rotations lengthen the vector to
	// one.
	shrunk = 700_114_967_507_363_238
)

// halfAngle returns half an angle given in millionths of a degree, at most 180
// degrees.
func halfAngle(micros int64) int64 { return micros * halfMicro }

// turns lists the angles whose tangents are 1, 1/2, 1/4 and so on. A rotation by
// one of these angles takes two shifts and two additions. The last angle moves a
// point on the equator by less than a millimetre.
var turns = [...]int64{
	905_502_432_259_640_355, 534_549_298_976_576_474, 282_441_168_888_798_124, 143_371_547_418_228_444,
	71_963_988_336_308_046, 36_017_075_762_092_179, 18_012_932_708_689_205, 9_007_016_009_513_623,
	4_503_576_721_087_964, 2_251_796_950_380_271, 1_125_899_548_928_887, 562_949_908_682_076,
	281_474_971_118_251, 140_737_487_656_277, 70_368_744_090_283, 35_184_372_077_909,
	17_592_186_043_051, 8_796_093_022_037, 4_398_046_511_083, 2_199_023_255_549,
	1_099_511_627_776, 549_755_813_888, 274_877_906_944, 137_438_953_472,
	68_719_476_736, 34_359_738_368, 17_179_869_184, 8_589_934_592,
	4_294_967_296, 2_147_483_648, 1_073_741_824, 536_870_912,
	268_435_456, 134_217_728, 67_108_864, 33_554_432,
	16_777_216, 8_388_608, 4_194_304, 2_097_152,
}

// cosSin returns the cosine and the sine of an angle between 0 and a quarter
// turn, by rotating a vector by ever smaller turns (CORDIC).
func cosSin(angle int64) (cos, sin int64) {
	x, y := int64(shrunk), int64(0)
	for i, turn := range turns {
		back := angle >> 63
		x, y, angle = x-signed(y>>i, back), y+signed(x>>i, back), angle-signed(turn, back)
	}
	return x, y
}

// atan returns the angle of the vector (x, y) in the first quadrant, by
// rotating it to the x axis.
func atan(y, x int64) int64 {
	// Halve the vector, because the rotations lengthen it by a factor of 1.65.
	x, y = x>>1, y>>1
	var angle int64
	for i, turn := range turns {
		up := (y - 1) >> 63
		x, y, angle = x+signed(y>>i, up), y-signed(x>>i, up), angle+signed(turn, up)
	}
	return max(angle, 0)
}

// signed returns v if sign is 0 and -v if sign is -1. It has no branch: the
// direction of a rotation is practically random, so a branch would often be
// mispredicted and cost more than the rotation.
func signed(v, sign int64) int64 { return (v ^ sign) - sign }

// mul returns the product of two fixed-point numbers, truncated. A negative factor counts as 0.
func mul(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(max(a, 0)), uint64(max(b, 0)))
	return int64(hi<<(64-fraction) | lo>>fraction)
}

// mulRound returns a fixed-point number times an integer, rounded to an
// integer.
func mulRound(a, n int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(n))
	lo, carry := bits.Add64(lo, 1<<(fraction-1), 0)
	return int64((hi+carry)<<(64-fraction) | lo>>fraction)
}

// root returns the truncated square root of a fixed-point number, with half as
// many fractional bits.
func root(v int64) int64 {
	rest, result := uint64(v), uint64(0)
	for bit := uint64(1) << 62; bit != 0; bit >>= 2 {
		if rest >= result+bit {
			rest -= result + bit
			result = result>>1 + bit
		} else {
			result >>= 1
		}
	}
	return int64(result)
}
