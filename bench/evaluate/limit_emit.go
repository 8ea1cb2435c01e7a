package evaluate

import (
	"verdict/internal/civil"
	"verdict/internal/feature"
)

func (b *bucket) merge(other *bucket) {
	b.n += other.n
	b.sum += other.sum
	b.max = max(b.max, other.max)
}

// total adds the classes to their products and the channels to the row of all channels,
// and then makes the buckets cumulative.
func (l *limit) total() {
	for class := range l.late {
		for kind, row := range [4]int{rowMonths, rowLate, rowLate30, rowLate90} {
			products := longProducts[class]
			if kind >= 2 {
				products = fourProducts[class]
			}
			for at := range len(monthCuts) {
				if b := &l.late[class][kind][at]; b.n > 0 {
					for _, p := range products {
						l.rows[row+int(p)][at].merge(b)
					}
				}
			}
		}
	}
	for _, row := range [2]int{rowCredit, rowDebit} {
		for at := range buckets {
			for channel := 1; channel < 5; channel++ {
				l.rows[row][at].merge(&l.rows[row+channel][at])
			}
		}
	}
	for i := range l.rows {
		r := &l.rows[i]
		for at := 1; at < buckets; at++ {
			r[at].merge(&r[at-1])
		}
	}
}

// stretch is a window in cumulative buckets: the last bucket of the window, of its newer
// half, and of both halves together.
type stretch struct{ end, newer, older uint8 }

var (
	dayStretches   = [6]stretch{{2, 0, 1}, {4, 3, 4}, {6, 4, 6}, {7, 5, 7}, {8, 7, 8}, {11, 9, 10}}
	monthStretches = [6]stretch{{0, 0, 1}, {0, 0, 1}, {1, 1, 3}, {2, 2, 4}, {4, 4, 5}, {5, 5, 6}}
	// windowAt holds the index of a window's first feature within its row. Windows are
	// sorted by name, so 180d comes before 30d.
	windowAt = [6]int{24, 6, 18, 30, 0, 12}
)

// over describes the divisor of a ratio.
type over struct {
	row    int
	counts bool  // divide numbers of events instead of sums of values
	plus   bool  // add the dividend to the divisor
	ever   bool  // use the events of every age
	times  int64 // multiply the divisor; 0 means 1
}

// emit writes every feature of every row.
func (l *limit) emit() {
	clear(l.vector.known[:])
	clear(l.vector.values[:])
	for p := range 11 {
		l.pair(rowEnquiry+p, over{row: rowOpened + p, counts: true, plus: true}, 100)
		l.pair(rowOpened+p, over{row: rowOnFile + p, counts: true, ever: true}, 100)
		l.pair(rowOutstanding+p, over{row: rowSanctioned + p}, 100)
		l.pairMonthly(rowLate+p, over{row: rowMonths + p, counts: true}, 10_000, l.newest)
	}
	for p, long := range [4]int{0, 1, 2, 5} {
		l.pairMonthly(rowLate30+p, over{row: rowMonths + long, counts: true}, 10_000, l.newest)
		l.pairMonthly(rowLate90+p, over{row: rowMonths + long, counts: true}, 10_000, l.newest)
		l.pair(rowClosed+p, over{row: rowOnFile + long, counts: true, ever: true}, 100)
		l.pair(rowOverdue+p, over{row: rowReported + p}, 100)
		l.pair(rowAdverse+p, over{row: rowOnFile + long, counts: true, ever: true}, 100)
		l.pair(rowEMI+p, over{row: rowEMI, ever: true}, 100)
	}
	for c := range 5 {
		l.pair(rowCredit+c, over{row: rowDebit + c}, 100)
		l.pair(rowDebit+c, over{row: rowCredit}, 100)
	}
	for i := range 3 {
		l.pair(rowIncome+i, over{row: rowCredit}, 100)
		l.pair(rowBounce+i, over{row: rowHonoured + i, counts: true, plus: true}, 100)
	}
	for row := rowSalary; row <= rowInvestment; row++ {
		l.pair(row, over{row: rowIncome}, 100)
	}
	l.pair(rowReturn, over{row: rowCheques, counts: true, plus: true}, 100)
	l.pair(rowLoan, over{row: rowCredit}, 100)
	l.pair(rowSelf, over{row: rowCredit}, 100)
	l.pair(rowCharge, over{row: rowDebit}, 100)
	l.pair(rowBalance, over{row: rowIncome, times: 30}, 100)
	l.pair(rowLow, over{row: rowBalance, counts: true}, 100)
	l.pairMonthly(rowIncomeGap, over{row: rowDeclared}, 100, l.whole)
	l.pairMonthly(rowEMIGap, over{row: rowDetected}, 100, l.whole)
}

func (l *limit) pair(row int, by over, unit int64) {
	at := pairStart[row]
	for w := range dayStretches {
		l.window(row, by, unit, dayStretches[w], at+windowAt[w])
	}
}

func (l *limit) pairMonthly(row int, by over, unit int64, newest civil.Month) {
	at, first := pairStart[row], 0
	if since := asOf - newest.Last(); since < 0 || since >= 7 {
		l.vector.known[at+windowAt[0]+1], l.vector.known[at+windowAt[0]+4] = true, true
		first = 1
	}
	for w := first; w < len(monthStretches); w++ {
		l.window(row, by, unit, monthStretches[w], at+windowAt[w])
	}
}

// window sets the features of one window: avg, count, max, ratio, sum and trend.
func (l *limit) window(row int, by over, unit int64, s stretch, at int) {
	r, base := &l.rows[row], &l.rows[by.row]
	values, known := (*[6]int64)(l.vector.values[at:]), (*[6]bool)(l.vector.known[at:])
	b := &r[s.end]
	known[1], known[4] = true, true
	if b.n > 0 {
		known[0], known[2] = true, true
		values[0] = rounded(b.sum*unit, b.n)
		values[1] = b.n * 10_000
		values[2] = b.max * unit
		values[4] = b.sum * unit
		newer := r[s.newer].sum
		older := r[s.older].sum - newer
		if size := max(newer, -newer) + max(older, -older); size > 0 {
			known[5] = true
			values[5] = rounded((newer-older)*10_000, size)
		}
	}
	if by.ever {
		s.end = buckets - 1
	}
	num, den := b.sum, base[s.end].sum
	if by.counts {
		num, den = b.n, base[s.end].n
	}
	if by.plus {
		den += num
	}
	if by.times > 0 {
		den *= by.times
	}
	if den != 0 {
		known[3] = true
		values[3] = rounded(num*10_000, den)
	}
}

// rounded returns num÷den, rounded half away from zero. den is positive.
func rounded(num, den int64) int64 {
	if num < 0 {
		return -int64((uint64(-num) + uint64(den)/2) / uint64(den))
	}
	return int64((uint64(num) + uint64(den)/2) / uint64(den))
}

// pairStart holds the index of each row's first feature, in the order of the names.
var pairStart = func() (list [pairCount]int) {
	row := 0
	for m := range feature.Metrics() {
		for _, product := range m.Products {
			list[row] = feature.Index(m.Name + "__" + product + "__180d__avg")
			row++
		}
	}
	return list
}()
