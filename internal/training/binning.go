package training

import (
	"cmp"
	"math"
	"slices"
)

// Every cell is stored as a code of one byte: codeMissing for a missing value,
// then the codes of the special values, then those of the ordinary cells.
const codeMissing = 0

// binKind is the kind of values in a bin.
type binKind uint8

const (
	ordinary binKind = iota
	unseen           // categories that no training row had
	special
	missing
)

func (k binKind) String() string { return [...]string{"ordinary", "unseen", "special", "missing"}[k] }

// bin is one bin of a binned column.
type bin struct {
	kind  binKind
	codes []uint8 // codes that fall into the bin
	counts
	woe, iv float64
}

// binning is a column divided into bins: the ordinary bins in order, then one bin
// for unseen categories if there are any, one bin for each special value, and the
// bin for missing values.
type binning struct {
	column *column
	bins   []bin
	of     [256]uint8 // code → bin
	shape  string
	iv     float64
	vif    float64 // variance inflation factor
}

// binRule sets how finely columns are divided.
type binRule struct {
	maxBins    int
	leastShare float64
	penalty    float64 // subtracted for each bin; the unit is the information that a bin adds by chance
	turns      bool    // allow a peak or a valley if that gives clearly more information
}

// clearlyBetter is a margin of information, in the unit of binRule.penalty. Bins whose bad rate turns are preferred
// only if they exceed the bins with a monotone bad rate by this margin.
const clearlyBetter = 10

// cut divides a column into bins by the counts of its codes.
func (r binRule) cut(c *column, byCode []counts) *binning {
	b := &binning{column: c}
	var total counts
	for _, n := range byCode {
		total = total.plus(n)
	}
	if total.good == 0 || total.bad == 0 {
		return b
	}
	first := 1 + len(c.specials)
	order := make([]uint8, 0, len(byCode))
	var nobody []uint8
	for code := first; code < len(byCode); code++ {
		if !c.numeric() && byCode[code].rows() == 0 {
			nobody = append(nobody, uint8(code)) // without rows the code's bad rate is unknown
			continue
		}
		order = append(order, uint8(code))
	}
	if !c.numeric() {
		// Categories have no order. If they are sorted by bad rate, the best grouping is
		// a division of the sorted sequence.
		slices.SortStableFunc(order, func(x, y uint8) int {
			p, q := byCode[x], byCode[y]
			return cmp.Compare(p.bad*q.rows(), q.bad*p.rows())
		})
	}
	noise := 1/total.good + 1/total.bad
	least := max(math.Floor(float64(r.leastShare*total.rows())), 1)
	for _, group := range r.groups(b, c, order, byCode, total, least, noise) {
		b.add(bin{kind: ordinary, codes: group}, byCode, total, least)
	}
	if len(nobody) > 0 {
		b.add(bin{kind: unseen, codes: nobody}, byCode, total, least)
	}
	for code := 1; code < first; code++ {
		b.add(bin{kind: special, codes: []uint8{uint8(code)}}, byCode, total, least)
	}
	b.add(bin{kind: missing, codes: []uint8{codeMissing}}, byCode, total, least)
	return b
}

// groups divides the ordinary codes into bins.
func (r binRule) groups(
	b *binning, c *column, order []uint8, byCode []counts, total counts, least float64, noise float64,
) [][]uint8 {
	cells := make([]counts, len(order))
	for i, code := range order {
		cells[i] = byCode[code]
	}
	try := func(shapes []shape) (starts []int, value float64, name string) {
		value = unreached
		for _, s := range shapes {
			p := partition{
				cells:   cells,
				total:   total,
				least:   least,
				maxBins: r.maxBins,
				penalty: r.penalty * noise,
				shape:   s,
			}
			if st, v := p.solve(); st != nil && v > value {
				starts, value, name = st, v, s.name
			}
		}
		return starts, value, name
	}
	shapes := monotone
	if !c.numeric() {
		shapes = monotone[:1]
	}
	starts, value, name := try(shapes)
	if r.turns && c.numeric() {
		if st, v, n := try(turning); st != nil && v > value+clearlyBetter*noise {
			starts, name = st, n
		}
	}
	b.shape = name
	if len(starts) == 0 {
		starts, b.shape = []int{0}, ""
	}
	if !c.numeric() {
		b.shape = "by bad rate"
	}
	if len(order) == 0 {
		return nil
	}
	groups := make([][]uint8, len(starts))
	for i, start := range starts {
		end := len(order)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		groups[i] = order[start:end]
	}
	return groups
}

func (b *binning) add(n bin, byCode []counts, total counts, least float64) {
	for _, code := range n.codes {
		n.counts = n.plus(byCode[code])
		b.of[code] = uint8(len(b.bins))
	}
	n.woe, n.iv = evidence(n.counts, total, n.rows() < min(least, smallBin))
	b.iv += n.iv
	b.bins = append(b.bins, n)
}

// smallBin is the number of rows below which the weight of evidence of a bin is
// shrunk towards the average.
const smallBin = 200

// weights returns the weight of evidence of each code, and 0 for a code that is
// in no bin.
func (b *binning) weights() (w [256]float64) {
	for i := range b.bins {
		for _, code := range b.bins[i].codes {
			w[code] = b.bins[i].woe
		}
	}
	return w
}
