package feature

import (
	"math/bits"
)

// Values are integers in ten-thousandths: four decimal places.
const (
	places = 4
	one    = 10_000
)

// One is a value of 1.
const One = one

// mostValue is the largest absolute value of a feature: a million million,
// which is also the largest number that a rule can read.
const mostValue = 1_000_000_000_000 * one

// The 36 features of a pair are adjacent in name order, which sorts windows and
// aggregations as text: 180d before 30d, avg before count.
const (
	perWindow = 6
	perPair   = windows * perWindow
)

// The positions of the aggregations within a window, in name order.
const (
	avgAt = iota
	countAt
	maxAt
	ratioAt
	sumAt
	trendAt
)

var (
	aggregationAt = [perWindow]string{
		avgAt:   Avg,
		countAt: CountOf,
		maxAt:   Max,
		ratioAt: Ratio,
		sumAt:   Sum,
		trendAt: Trend,
	}
	windowAt    = [windows]int{4, 1, 5, 2, 0, 3} // 180, 30, 365, 60, 7 and 90 days
	windowStart = [windows]int{4 * perWindow, perWindow, 3 * perWindow, 5 * perWindow, 0, 2 * perWindow}
)

// Vector holds the values of all features in name order, and records which features have a value. Vectors can be
// compared with ==.
type Vector struct {
	values [Count]int64 // ten-thousandths; 0 if there is no value
	known  [(Count + 63) / 64]uint64
	later  uint8 // catalogue number minus 1, so that the zero vector has Catalogue1
}

// Catalogue returns the catalogue by which the vector was computed.
func (v *Vector) Catalogue() Catalogue { return Catalogue1 + Catalogue(v.later) }

func (v *Vector) setCatalogue(c Catalogue) { v.later = uint8(c - Catalogue1) }

// Get returns a feature's value in ten-thousandths. ok is false if the feature
// has no value.
func (v *Vector) Get(index int) (value int64, ok bool) {
	return v.values[index], v.known[index/64]>>(index%64)&1 != 0
}

// Populated returns the number of features that have a value.
func (v *Vector) Populated() int {
	n := 0
	for _, word := range v.known {
		n += bits.OnesCount64(word)
	}
	return n
}

// setPair records which features of a pair have a value.
func (v *Vector) setPair(at int, known uint64) {
	word, shift := at/64, at%64
	v.known[word] |= known << shift
	if shift > 64-perPair {
		v.known[word+1] |= known >> (64 - shift)
	}
}
