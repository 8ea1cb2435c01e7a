package backtest

// The synthetic book is drawn in whole numbers from end to end: no floating
// point and no generator of the standard library, whose numbers could change
// with a processor or with a version of Go.

// unit is the number one in the book's arithmetic, which counts in 65,536ths.
const unit = 1 << 16

// draws is one row's own stream of random numbers (splitmix64). It depends on
// the seed and on the row's number alone, so that any row can be made without
// those before it.
type draws uint64

// gamma is the odd constant by which splitmix64 steps.
const gamma = 0x9e3779b97f4a7c15

func rowDraws(seed uint64, row int64) draws {
	return draws(mix(mix(seed) + uint64(row)*gamma))
}

// mix is splitmix64's scrambling of a counter.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (d *draws) next() uint64 {
	*d += gamma
	return mix(uint64(*d))
}

// share is uniform from 0 up to, but not including, unit.
func (d *draws) share() int64 { return int64(d.next() >> 48) }

// below is uniform from 0 to n-1.
func (d *draws) below(n int64) int64 {
	return int64(d.next() >> 32 * uint64(n) >> 32)
}

// normal is a standard normal in units: the sum of twelve uniform numbers, less
// its mean, has variance one, and ends at six deviations.
func (d *draws) normal() int64 {
	var sum int64
	for range 3 {
		for z := d.next(); z != 0; z >>= 16 {
			sum += int64(z & 0xffff)
		}
	}
	return sum - 6*(unit-1)
}

// beta is a Beta(2, 4) in units: the second smallest of five uniform numbers
// has exactly that distribution. Its mean is a third.
func (d *draws) beta() int64 {
	least, second := d.share(), int64(unit)
	for z, i := d.next(), 0; i < 4; z, i = z>>16, i+1 {
		switch u := int64(z & 0xffff); {
		case u < least:
			least, second = u, least
		case u < second:
			second = u
		}
	}
	return second
}

// poisson counts events of which mean, in units, are expected, and at most
// limit. It multiplies uniform numbers until they fall below exp(-mean).
func (d *draws) poisson(mean int64, limit int64) (n int64) {
	floor := uint64(exp(-mean)) << 16
	left := uint64(1) << 32
	for ; n < limit; n++ {
		left = left * (d.next() >> 32) >> 32
		if left <= floor {
			return n
		}
	}
	return limit
}

// roots are the square root of two, the root of that and so on, in 2^-30: the
// powers of two by the binary digits of a fraction.
var roots = [16]int64{
	1518500250, 1276901417, 1170923762, 1121280436, 1097253708, 1085434106, 1079572136, 1076653033,
	1075196443, 1074468888, 1074105294, 1073923544, 1073832680, 1073787251, 1073764537, 1073753181,
}

// log2e is the logarithm of e to the base two, in 2^-32.
const log2e = 6196328019

// maxExponent bounds the exponential: e^20 is far beyond any use of it here.
const maxExponent = 20 * unit

// exp is e to the power of x, both in units.
func exp(x int64) int64 {
	x = min(max(x, -maxExponent), maxExponent)
	power := x * log2e >> 32
	m := int64(1) << 30
	for i, root := range roots {
		if power>>(15-i)&1 != 0 {
			m = m * root >> 30
		}
	}
	whole := power >> 16
	if whole >= 14 {
		return m << (whole - 14)
	}
	return m >> (14 - whole)
}

// certain is a probability of one in the book, which counts it in 2^-32.
const certain = 1 << 32

// logistic is the probability whose logarithm of odds is z, in units.
func logistic(z int64) int64 {
	const far = 15 * unit
	odds := exp(-min(max(z, -far), far))
	return certain << 16 / (unit + odds)
}
