package backtest

// The synthetic book is drawn with integer arithmetic only. Floating point could
// differ between processors, and the generators of the standard library could
// change between versions of Go.

// unit is 1 in the book's fixed-point arithmetic, which has 16 fractional bits.
// In the comments below, "in units" means in this fixed-point form.
const unit = 1 << 16

// draws is the stream of pseudorandom numbers of one row (splitmix64). It depends
// only on the seed and the row number, so any row can be generated without the
// rows before it.
type draws uint64

// gamma is the increment of splitmix64's counter.
const gamma = 0x9e3779b97f4a7c15

func rowDraws(seed uint64, row int64) draws {
	return draws(mix(mix(seed) + uint64(row)*gamma))
}

// mix scrambles a counter as splitmix64 does.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (d *draws) next() uint64 {
	*d += gamma
	return mix(uint64(*d))
}

// uniform returns a uniform number from 0 up to, but not including, unit.
func (d *draws) uniform() int64 { return int64(d.next() >> 48) }

// below returns a uniform number from 0 to n-1.
func (d *draws) below(n int64) int64 {
	return int64(d.next() >> 32 * uint64(n) >> 32)
}

// normal returns a standard normal number in units. It approximates the normal
// distribution by the sum of twelve uniform numbers minus the mean of that sum.
// The result has variance one and is bounded by six standard deviations.
func (d *draws) normal() int64 {
	var sum int64
	for range 3 {
		for z := d.next(); z != 0; z >>= 16 {
			sum += int64(z & 0xffff)
		}
	}
	return sum - 6*(unit-1)
}

// beta returns a Beta(2, 4) number in units, with mean 1/3. The second smallest
// of five uniform numbers has exactly that distribution.
func (d *draws) beta() int64 {
	least, second := d.uniform(), int64(unit)
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

// poisson returns a Poisson number with the given mean, capped at limit. The mean
// is in units. poisson multiplies uniform numbers until the product is at most
// exp(-mean), and returns the number of factors minus one.
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

// roots has 2^(1/2), 2^(1/4), 2^(1/8) and so on, scaled by 2^30. For a binary
// fraction f, 2^f is the product of the roots at the set bits of f.
var roots = [16]int64{
	1518500250, 1276901417, 1170923762, 1121280436, 1097253708, 1085434106, 1079572136, 1076653033,
	1075196443, 1074468888, 1074105294, 1073923544, 1073832680, 1073787251, 1073764537, 1073753181,
}

// log2e is the logarithm of e to the base two, scaled by 2^32.
const log2e = 6196328019

// maxExponent limits the argument of exp. e^20 is larger than any value used
// here.
const maxExponent = 20 * unit

// exp returns e^x. x and the result are in units.
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

// certain is the probability 1. The book's probabilities are scaled by 2^32.
const certain = 1 << 32

// logistic returns the probability whose log-odds are z. z is in units.
func logistic(z int64) int64 {
	const far = 15 * unit
	odds := exp(-min(max(z, -far), far))
	return certain << 16 / (unit + odds)
}
