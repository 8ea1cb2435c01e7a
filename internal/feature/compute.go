package feature

import (
	"math"
	"math/bits"
	"sync"

	"verdict/internal/civil"
	"verdict/internal/report"
)

// cell holds the number, sum and maximum of the events of one segment. After fold, it includes the events of all
// segments before its own.
type cell struct{ n, sum, max int64 }

// add counts one event. The maximum of no events is 0, or the smallest integer
// for metrics whose values may be negative.
func (c *cell) add(value int64) {
	c.n++
	c.sum += value
	c.max = max(c.max, value)
}

// merge adds the events of another cell.
func (c *cell) merge(other *cell) {
	c.n += other.n
	c.sum += other.sum
	c.max = max(c.max, other.max)
}

// row holds the cells of one stream for one product or for one class of events, indexed by segment.
type row [beyond + 1]cell

// workspace is the scratch memory of a computation. It is pooled, because
// clearing it is cheaper than allocating it.
type workspace struct {
	input
	rows [256]row // one row for every number that fits a uint8
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// Compute computes every feature of a history and a statement as of a day, by the
// definitions of a catalogue. Either source may be nil; the features of that
// source then have no value. Records dated after asOf are ignored.
func Compute(c Catalogue, h *report.History, s *report.Statement, asOf civil.Day, v *Vector) {
	w, ok := workspaces.Get().(*workspace)
	if !ok {
		return // unreachable: the pool holds only workspaces
	}
	w.gather(c, h, s, asOf)
	clear(w.rows[:plan.total])
	for _, r := range plan.signed {
		for i := range w.rows[r] {
			w.rows[r][i].max = math.MinInt64
		}
	}
	for _, list := range w.lists {
		w.addAccounts(list)
	}
	w.addEnquiries()
	w.addTransactions()
	w.addBalances()
	w.addMonthTotals()
	w.fold()
	*v = Vector{}
	v.setCatalogue(c)
	for i := range plan.pairs {
		p := &plan.pairs[i]
		if w.present[p.from] {
			w.emit(p, v)
		}
	}
	w.input = input{}
	workspaces.Put(w)
}

// add counts an event in every product that its class belongs to.
func (w *workspace) add(stream int, class, segment uint8, value int64) {
	t := &plan.targets[stream][class]
	for _, r := range t.rows[:t.n] {
		w.rows[r][segment].add(value)
	}
}

// addOnce counts an event in the single row of its class.
func (w *workspace) addOnce(stream int, class, segment uint8, value int64) {
	w.rows[plan.single[stream][class]][segment].add(value)
}

func (w *workspace) addAccounts(list []report.Account) {
	for i := range list {
		a := &list[i]
		if !w.exists(a) {
			continue
		}
		class := bureauClass(a.Product, a.SanctionedPaise)
		for _, stream := range plan.from[accounts] {
			on, value, ok := plan.streams[stream].events.account(a, w.asOf)
			if !ok {
				continue
			}
			if at := segment(w.asOf, on); at != later {
				w.add(stream, class, at, value)
			}
		}
		w.addPayments(a, class)
	}
}

func (w *workspace) addPayments(a *report.Account, class uint8) {
	newest, streams := w.newest[payments], plan.from[payments]
	for i := range a.History {
		p := &a.History[i]
		at := monthSegment(newest, p.Month)
		if at >= beyond {
			continue
		}
		for _, stream := range streams {
			if p.DaysPastDue < plan.streams[stream].events.leastDays {
				break
			}
			w.addOnce(stream, class, at, int64(p.DaysPastDue))
		}
	}
}

func (w *workspace) addEnquiries() {
	if !w.present[enquiries] {
		return
	}
	for i := range w.history.Enquiries {
		e := &w.history.Enquiries[i]
		if at := segment(w.asOf, e.Made); at != later {
			class := bureauClass(e.Product, e.AmountPaise)
			for _, stream := range plan.from[enquiries] {
				w.add(stream, class, at, amount(e.AmountPaise))
			}
		}
	}
}

func (w *workspace) addTransactions() {
	if !w.present[transactions] {
		return
	}
	for i := range w.statement.Transactions {
		t := &w.statement.Transactions[i]
		at := segment(w.asOf, t.Day)
		if at >= beyond {
			continue
		}
		class, value := bankClass(t), amount(t.AmountPaise)
		// Few transactions are in more than three streams. Three additions without a loop, if necessary to the spare
		// row, are cheaper than a loop whose end the processor mispredicts.
		set := plan.chosen(t)
		set = w.addLowest(set, class, at, value)
		set = w.addLowest(set, class, at, value)
		set = w.addLowest(set, class, at, value)
		for set != 0 {
			set = w.addLowest(set, class, at, value)
		}
	}
}

// addLowest counts a transaction in the first stream of a set and returns the
// set without it.
func (w *workspace) addLowest(set uint32, class, segment uint8, value int64) (rest uint32) {
	row := plan.bitRow[bits.TrailingZeros32(set)][class]
	w.rows[row][segment].add(value)
	return set & (set - 1)
}

func (w *workspace) addBalances() {
	if !w.present[balances] {
		return
	}
	first := max(0, int(w.asOf)-daysMost+1-int(w.firstDay))
	for i := first; i < len(w.balances); i++ {
		at := segment(w.asOf, w.firstDay+civil.Day(i))
		if at == later {
			return
		}
		for _, stream := range plan.from[balances] {
			if value, ok := plan.streams[stream].events.balance(w.balances[i]); ok {
				w.addOnce(stream, 0, at, value)
			}
		}
	}
}

func (w *workspace) addMonthTotals() {
	for _, from := range [...]origin{incomeMonths, instalmentMonths} {
		if !w.present[from] {
			continue
		}
		for ago, whole := range w.whole {
			if !whole {
				continue
			}
			for _, stream := range plan.from[from] {
				if value, ok := plan.streams[stream].events.month(&w.months[ago]); ok {
					w.addOnce(stream, 0, monthAxis.segmentOf[ago], value)
				}
			}
		}
	}
}

// fold merges the rows of classes into the rows of their products, and then
// turns each row into running totals.
func (w *workspace) fold() {
	for i := range plan.folds {
		f := &plan.folds[i]
		for at := range &w.rows[f.row] {
			c := &w.rows[f.row][at]
			if c.n == 0 {
				continue
			}
			for _, r := range f.to.rows[:f.to.n] {
				w.rows[r][at].merge(c)
			}
		}
	}
	for i := range w.rows[:plan.rows] {
		r := &w.rows[i]
		for at := 1; at < len(r); at++ {
			r[at].merge(&r[at-1])
		}
	}
}
