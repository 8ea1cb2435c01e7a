package analysis

import (
	"math/bits"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/exact"
	"verdict/internal/rule"
)

// reach is the set of possible sums of a scorecard: the base plus one choice
// for each factor and adjustment. It is exact if the sums fit into a small bit
// set, which is the usual case for points in whole numbers. Otherwise it is an
// interval.
type reach struct {
	floor, ceiling rule.Number   // the scorecard's clamps
	least, most    rule.Number   // the smallest and the greatest sum
	unit           rule.Number   // all sums are least plus a multiple of unit
	steps          []rule.Number // by how much each option of a choice exceeds the smallest option, which has no step
	ends           []int         // for each choice: the end of its options in steps
	sums           []uint64      // bit n is set if least + n·unit is a sum; nil if the set is only an interval
}

// The limits of the exact set: its number of bits, and the number of words that
// are written to compute it.
const (
	maxReachBits = 1 << 15
	maxReachWork = 1 << 20
)

func newReach(card *engine.Scorecard) *reach {
	return &reach{floor: card.MinScore, ceiling: card.MaxScore, least: card.Base, most: card.Base}
}

// choose adds a factor or an adjustment, which contributes any one of the
// options to a sum.
func (r *reach) choose(options []rule.Number) {
	least := slices.Min(options)
	r.least += least
	r.most += slices.Max(options)
	for _, n := range options {
		if n != least {
			r.steps = append(r.steps, n-least)
			r.unit = gcd(r.unit, n-least)
		}
	}
	r.ends = append(r.ends, len(r.steps))
}

func gcd(a, b rule.Number) rule.Number {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// settle computes the bit set of sums. It must be called after the last call of choose. If the bit set would be too
// large, r stays an interval.
func (r *reach) settle() {
	if r.unit == 0 {
		r.unit = 1
	}
	size := (r.most-r.least)/r.unit + 1
	if size > maxReachBits {
		return
	}
	words := int(size+63) / 64
	if words*len(r.steps) > maxReachWork {
		return
	}
	r.sums = make([]uint64, words)
	r.sums[0] = 1
	before := make([]uint64, words)
	from := 0
	for _, end := range r.ends {
		copy(before, r.sums)
		for _, n := range r.steps[from:end] {
			orShifted(r.sums, before, int(n/r.unit))
		}
		from = end
	}
}

// orShifted sets the bits of src in dst, shifted up by n.
func orShifted(dst, src []uint64, n int) {
	word, bit := n/64, uint(n%64)
	for i := len(dst) - 1; i >= word; i-- {
		x := src[i-word] << bit
		if bit > 0 && i > word {
			x |= src[i-word-1] >> (64 - bit)
		}
		dst[i] |= x
	}
}

// clamped returns the lowest and the highest final score.
func (r *reach) clamped() (least, most rule.Number) {
	return min(max(r.least, r.floor), r.ceiling), min(max(r.most, r.floor), r.ceiling)
}

// hits reports whether some final score is from least to most. If a clamp of
// the scorecard is in that range, all sums beyond the clamp count too.
func (r *reach) hits(least, most rule.Number) bool {
	if most < r.floor || r.ceiling < least {
		return false
	}
	if least <= r.floor {
		least = r.least
	}
	if most >= r.ceiling {
		most = r.most
	}
	least, most = max(least, r.least), min(most, r.most)
	if least > most || r.sums == nil {
		return least <= most
	}
	from, to := int(exact.DivCeil(least-r.least, r.unit)), int(exact.DivFloor(most-r.least, r.unit))
	for n := from; n <= to; {
		if rest := r.sums[n/64] >> (n % 64); rest != 0 {
			return n+bits.TrailingZeros64(rest) <= to
		}
		n += 64 - n%64
	}
	return false
}
