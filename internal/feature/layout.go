package feature

import (
	"slices"
	"strings"

	"verdict/internal/report"
)

// target lists the rows, one for each product, to which a record of a class is
// added.
type target struct {
	rows [4]uint8
	n    uint8
}

// fold says to which rows a class's own row is added.
type fold struct {
	row uint8
	to  target
}

// pair is a metric of one product, with the index of its 36 features.
type pair struct {
	metric  *Metric
	product product
	at      int // index of the first feature, in name order
	row     uint8
	base    uint8 // the row of its ratios' denominator
	from    origin
	baseOf  origin
	unit    int64 // ten-thousandths in one paisa or day
}

// choice holds two sets of transaction streams: the streams that some bits of Found include (with) and the streams
// that they exclude (without).
type choice struct{ with, without uint32 }

// The bits of Found are looked up in two halves to keep the tables small.
const (
	foundBits = 7
	foundMask = 1<<foundBits - 1
	noBit     = 32 // the result of bits.TrailingZeros32 for an empty set
	spareRow  = 255
)

// layout is the catalogue prepared for computation. It is built once.
type layout struct {
	streams []Metric // the metrics, then the bases
	first   []int    // the row of each stream's first product
	targets [][classes]target
	// single has one row for each stream and class; the streams of accounts and enquiries do not use it. A class that
	// counts in several products has its own row, which fold later adds to the rows of the products. So each of the
	// many transactions and payments is added only once.
	single [][classes]uint8
	folds  []fold
	signed []uint8 // rows whose values may be negative
	rows   int     // number of rows of products
	total  int     // number of rows including the rows of classes
	pairs  []pair  // in catalogue order
	byName []int   // pairs in name order
	names  []string
	// The streams of each origin.
	from [origins][]int
	// The tables always, low and high select streams of the list from[transactions]. The first index is 0 for debits
	// and 1 for credits.
	always    [2]uint32
	low, high [2][1 << foundBits]choice
	// bitRow is single, indexed by the bit of a stream. The index noBit, for an empty
	// set, gives the spare row, which is never read.
	bitRow [noBit + 1][classes]uint8
}

var plan = newLayout()

func newLayout() *layout {
	l := &layout{streams: slices.Concat(metrics, bases), names: make([]string, 0, Count)}
	for i := range l.streams {
		m := &l.streams[i]
		l.first = append(l.first, l.rows)
		l.targets = append(l.targets, targetsOf(m, l.rows))
		l.rows += len(m.Products)
		l.from[m.events.from] = append(l.from[m.events.from], i)
	}
	// Sort by leastDays, so that the loop over a payment's streams ends early.
	slices.SortStableFunc(l.from[payments], func(a, b int) int {
		return int(l.streams[a].events.leastDays) - int(l.streams[b].events.leastDays)
	})
	l.total = l.rows
	for i := range l.streams {
		switch l.streams[i].events.from {
		case accounts, enquiries: // few records, added to every product directly
			l.single = append(l.single, [classes]uint8{})
		default:
			l.single = append(l.single, l.singleOf(i))
		}
	}
	l.choose()
	for n := range All() {
		l.names = append(l.names, n.String())
	}
	slices.Sort(l.names)
	for i := range metrics {
		for _, name := range metrics[i].Products {
			l.pairs = append(l.pairs, l.pairOf(i, name))
		}
	}
	l.byName = make([]int, len(l.pairs))
	for i := range l.pairs {
		l.byName[l.pairs[i].at/perPair] = i
	}
	return l
}

func targetsOf(m *Metric, first int) (t [classes]target) {
	for number := range t {
		c := classOf(m.Source, uint8(number))
		for i, name := range m.Products {
			if lookupProduct(name).holds(c) && int(t[number].n) < len(t[number].rows) {
				t[number].rows[t[number].n] = uint8(first + i)
				t[number].n++
			}
		}
	}
	return t
}

// singleOf assigns one row to every class of a stream.
func (l *layout) singleOf(stream int) (rows [classes]uint8) {
	seen := map[target]uint8{}
	for class, t := range l.targets[stream] {
		row, ok := seen[t]
		switch {
		case ok:
		case t.n == 1:
			row = t.rows[0]
		default:
			row = uint8(l.total)
			l.total++
			l.folds = append(l.folds, fold{row, t})
		}
		seen[t], rows[class] = row, row
		if l.streams[stream].Signed {
			l.signed = append(l.signed, row)
		}
	}
	return rows
}

// row returns the index of the row in which a stream's events of a product are added up.
func (l *layout) row(stream int, product string) uint8 {
	return uint8(l.first[stream] + slices.Index(l.streams[stream].Products, product))
}

func (l *layout) pairOf(stream int, product string) pair {
	m := &l.streams[stream]
	at, _ := slices.BinarySearch(l.names, m.Name+"__"+product+"__")
	base := slices.IndexFunc(l.streams, func(b Metric) bool { return b.Name == m.fraction.of })
	ofProduct := product
	if m.fraction.all {
		ofProduct = "all"
	}
	return pair{
		metric:  m,
		product: lookupProduct(product),
		at:      at,
		row:     l.row(stream, product),
		base:    l.row(base, ofProduct),
		from:    m.events.from,
		baseOf:  l.streams[base].events.from,
		unit:    unitOf(m),
	}
}

// unitOf returns the number of ten-thousandths in one paisa or one day.
func unitOf(m *Metric) int64 {
	if m.Unit == Rupees {
		return one / 100
	}
	return one
}

// choose builds the tables that map a transaction to its streams.
func (l *layout) choose() {
	for class := range l.bitRow[noBit] {
		l.bitRow[noBit][class] = spareRow
	}
	for bit, number := range l.from[transactions] {
		l.bitRow[bit] = l.single[number]
		e, mask := &l.streams[number].events, uint32(1)<<bit
		for credit, other := range [2]side{credits, debits} {
			if e.side == other {
				continue
			}
			if e.found == 0 {
				l.always[credit] |= mask
			}
			for i := range l.low[credit] {
				f := report.Found(i)
				l.low[credit][i].mark(mask, e, f)
				l.high[credit][i].mark(mask, e, f<<foundBits)
			}
		}
	}
}

func (c *choice) mark(mask uint32, e *stream, f report.Found) {
	if e.found&f != 0 {
		c.with |= mask
	}
	if e.unless&f != 0 {
		c.without |= mask
	}
}

// chosen returns the streams of a transaction, as bits into from[transactions].
func (l *layout) chosen(t *report.Transaction) uint32 {
	credit := 0
	if t.Credit {
		credit = 1
	}
	low, high := &l.low[credit][t.Found&foundMask], &l.high[credit][t.Found>>foundBits&foundMask]
	return (l.always[credit] | low.with | high.with) &^ (low.without | high.without)
}

// Index returns the index of a feature in name order, or -1 if there is no such feature.
func Index(name string) int {
	if i, ok := slices.BinarySearchFunc(plan.names, name, strings.Compare); ok {
		return i
	}
	return -1
}

// NameAt returns the name of the feature at an index in name order, from 0 to
// Count - 1.
func NameAt(index int) string { return plan.names[index] }

// At returns the parts of the name of the feature at an index in name order.
func At(index int) Name {
	p, window, aggregation := place(index)
	return Name{p.metric.Name, p.product.name, windowsDays[window], aggregationAt[aggregation]}
}

// place splits the index of a feature into its pair, the number of its window,
// and the position of its aggregation in name order.
func place(index int) (p *pair, window, aggregation int) {
	within := index % perPair
	return &plan.pairs[plan.byName[index/perPair]], windowAt[within/perWindow], within % perWindow
}
