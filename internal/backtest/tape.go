package backtest

// walker processes the numbers of a partial in one fixed order. The walk
// methods alone define the order, so storing, merging and reading always use
// the same one.
type walker interface {
	int(n *int64)
	most(n *int64) // like int, but merging takes the greater number instead of the sum
	wide(s *wide)
	// length returns how many elements of a list to process. n is the length of
	// the list without trailing zeros.
	length(n int) int
}

func (p *Partial) walk(w walker) {
	w.int(&p.evaluated)
	w.int(&p.failed)
	walkCounts(w, &p.total)
	w.most(&p.foirMost)
	p.champion.walk(w)
	w.most(&p.vintage.last)
	walkTally(w, &p.vintage.noMonth)
	walkList(w, &p.vintage.months, walkTally)
	for i := range p.actual {
		walkTally(w, &p.actual[i])
	}
	p.challenger.walk(w)
	p.swap.walk(w)
}

func (s *sides) walk(w walker) {
	for _, n := range [...]*wide{&s.score, &s.limitReferred, &s.interest, &s.fee, &s.funding, &s.loss} {
		w.wide(n)
	}
	walkList(w, &s.grades, func(w walker, g *gradeSum) {
		for i := range g.status {
			walkCounts(w, &g.status[i])
		}
		w.wide(&g.limit)
		w.wide(&g.rate)
		w.wide(&g.apr)
	})
	s.cells.walk(w)
	walkList(w, &s.reasons, func(w walker, r *reasonSum) {
		for i := range r.status {
			w.int(&r.status[i])
		}
		w.int(&r.first)
	})
	walkList(w, &s.rules, func(w walker, r *ruleSum) {
		walkCounts(w, &r.hit)
		w.int(&r.unknown)
	})
	walkList(w, &s.soles, func(w walker, r *soleSum) {
		for _, n := range [...]*int64{&r.declines, &r.soleDeclines, &r.soleReferrals, &r.first, &r.overlap} {
			w.int(n)
		}
		walkCounts(w, &r.sole)
	})
}

func (s *swaps) walk(w walker) {
	for i := range s.matrix {
		walkCounts(w, &s.matrix[i])
	}
	for _, list := range [...][]int64{s.limit[:], s.price[:], s.together[:], s.explained[:]} {
		for i := range list {
			w.int(&list[i])
		}
	}
	w.wide(&s.limitChange)
	w.wide(&s.rateChange)
	w.wide(&s.aprChange)
	change := func(w walker, c *changeSum) {
		walkCounts(w, &c.alone)
		w.int(&c.needed)
	}
	walkList(w, &s.changeIn, change)
	walkList(w, &s.changeOut, change)
}

func walkTally(w walker, t *tally) {
	w.int(&t.rows)
	w.int(&t.weight)
}

func walkCounts(w walker, c *counts) {
	for i := range c {
		walkTally(w, &c[i])
	}
}

func walkList[T comparable](w walker, list *[]T, each func(walker, *T)) {
	var zero T
	n := len(*list)
	for n > 0 && (*list)[n-1] == zero {
		n--
	}
	n = w.length(n)
	for len(*list) < n {
		*list = append(*list, zero)
	}
	for i := range n {
		each(w, &(*list)[i])
	}
}

// walk processes the cells that have rows. Each cell is preceded by its
// distance from the previous cell.
func (c *cells) walk(w walker) {
	switch w := w.(type) {
	case *recorder:
		c.record(w)
	case *adder:
		c.add(w)
	}
}

func (c *cells) record(r *recorder) {
	length := len(r.tape)
	r.length(0) // placeholder, increased below
	at := int64(-1)
	for cell, counts := range c.each() {
		r.tape[length]++
		r.tape = append(r.tape, int64(cell)-at)
		walkCounts(r, counts)
		at = int64(cell)
	}
}

func (c *cells) add(a *adder) {
	at := int64(-1)
	for range a.length(0) {
		if at += a.next(); at < 0 || at >= maxCells || a.bad {
			a.bad = true
			return
		}
		walkCounts(a, c.at(int32(at)))
	}
}

// recorder appends the numbers of a partial to a list.
type recorder struct{ tape []int64 }

func (r *recorder) int(n *int64)     { r.tape = append(r.tape, *n) }
func (r *recorder) most(n *int64)    { r.int(n) }
func (r *recorder) wide(s *wide)     { r.tape = append(r.tape, s.hi, int64(s.lo)) }
func (r *recorder) length(n int) int { r.tape = append(r.tape, int64(n)); return n }

// adder adds recorded numbers to those of a partial. It sets bad if the list of
// numbers does not have the structure of a partial.
type adder struct {
	tape []int64
	bad  bool
}

func (a *adder) next() int64 {
	if len(a.tape) == 0 {
		a.bad = true
		return 0
	}
	n := a.tape[0]
	a.tape = a.tape[1:]
	return n
}

func (a *adder) int(n *int64)  { *n += a.next() }
func (a *adder) most(n *int64) { *n = max(*n, a.next()) }

func (a *adder) wide(s *wide) {
	hi := a.next()
	s.plus(wide{hi, uint64(a.next())})
}

// length returns the number of elements that were recorded. It sets bad if that
// is more than the remaining numbers, so that a damaged length cannot cause a
// large allocation.
func (a *adder) length(int) int {
	n := a.next()
	if n < 0 || n > int64(len(a.tape)) {
		a.bad = true
		return 0
	}
	return int(n)
}
