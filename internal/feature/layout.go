package feature

import (
	"slices"
	"strings"

	"verdict/internal/report"
)

// target names the rows, one for each product, that a record of a class adds to.
type target struct {
	rows [4]uint8
	n    uint8
}

// fold adds a row of its own to the rows it stands for.
type fold struct {
	row uint8
	to  target
}

// pair is a metric of a product, with where its 36 features stand.
type pair struct {
	metric  *Metric
	product product
	at      int // of the first of them, in name order
	row     uint8
	base    uint8 // the row its ratios divide by
	from    origin
	baseOf  origin
	unit    int64 // ten-thousandths in one paisa or day
}

// choice is which transaction streams a half of the Found bits adds and bars.
type choice struct{ with, without uint32 }

// The bits of Found are looked up in two halves, which keeps the tables small.
const (
	foundBits = 7
	foundMask = 1<<foundBits - 1
	noBit     = 32 // the lowest bit of an empty set
	spareRow  = 255
)

// layout is the catalogue made ready to compute with. It is made once.
type layout struct {
	streams []Metric // the metrics, then the bases
	first   []int    // the row of each stream's first product
	targets [][classes]target
	// single is one row for each stream and class. Where a class counts in
	// several products it is a row of its own, which fold later adds to theirs:
	// transactions and payments are many, so each is added only once.
	single [][classes]uint8
	folds  []fold
	signed []uint8 // rows whose values may be negative
	rows   int     // of products
	total  int     // with those of their own
	pairs  []pair  // in catalogue order
	byName []int   // pairs in name order
	names  []string
	// from lists the streams of each origin.
	from [origins][]int
	// always, low and high choose among from[transactions], for debits and credits.
	always    [2]uint32
	low, high [2][1 << foundBits]choice
	// bitRow is single by bit. No bit, which counts as the last, has a row that
	// nobody reads.
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
	// The least late come first, so that a payment in time is done with early.
	slices.SortStableFunc(l.from[payments], func(a, b int) int {
		return int(l.streams[a].events.leastDays) - int(l.streams[b].events.leastDays)
	})
	l.total = l.rows
	for i := range l.streams {
		switch l.streams[i].events.from {
		case accounts, enquiries: // few, and added to every product at once
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

// singleOf gives every class of a stream one row.
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

// row finds the row of a stream's product.
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
		metric: m, product: lookupProduct(product), at: at,
		row: l.row(stream, product), base: l.row(base, ofProduct),
		from: m.events.from, baseOf: l.streams[base].events.from, unit: unitOf(m),
	}
}

// unitOf is how many ten-thousandths one paisa or one day is.
func unitOf(m *Metric) int64 {
	if m.Unit == Rupees {
		return one / 100
	}
	return one
}

// choose lays out which streams a transaction belongs to.
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

// chosen are the streams a transaction belongs to, as bits into
// from[transactions].
func (l *layout) chosen(t *report.Transaction) uint32 {
	credit := 0
	if t.Credit {
		credit = 1
	}
	low, high := &l.low[credit][t.Found&foundMask], &l.high[credit][t.Found>>foundBits&foundMask]
	return (l.always[credit] | low.with | high.with) &^ (low.without | high.without)
}

// Index is the place of a feature in name order, -1 for what is none.
func Index(name string) int {
	if i, ok := slices.BinarySearchFunc(plan.names, name, strings.Compare); ok {
		return i
	}
	return -1
}

// NameAt is the name of the feature at a place in name order, from 0 to
// Count - 1.
func NameAt(index int) string { return plan.names[index] }

// At is the feature at a place in name order, taken apart.
func At(index int) Name {
	p, window, aggregation := place(index)
	return Name{p.metric.Name, p.product.name, windowsDays[window], aggregationAt[aggregation]}
}

// place takes an index apart: its pair, the number of its window, and its
// aggregation's place in name order.
func place(index int) (p *pair, window, aggregation int) {
	within := index % perPair
	return &plan.pairs[plan.byName[index/perPair]], windowAt[within/perWindow], within % perWindow
}
