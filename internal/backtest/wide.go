package backtest

import (
	"math/big"
	"math/bits"
)

// wide is a signed 128-bit sum. It is needed because the sum of paise
// multiplied by weights over a hundred million rows does not fit in 64 bits.
// The sum is exact, so the order of the additions does not matter.
type wide struct {
	hi int64
	lo uint64
}

// add adds a·b. b must not be negative.
func (s *wide) add(a, b int64) {
	if a < 0 {
		hi, lo := bits.Mul64(uint64(-a), uint64(b))
		t := wide{int64(hi), lo}
		s.plus(t.negated())
		return
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	s.plus(wide{int64(hi), lo})
}

func (s *wide) plus(t wide) {
	lo, carry := bits.Add64(s.lo, t.lo, 0)
	hi, _ := bits.Add64(uint64(s.hi), uint64(t.hi), carry)
	s.hi, s.lo = int64(hi), lo
}

func (s *wide) negated() wide {
	lo, borrow := bits.Sub64(0, s.lo, 0)
	hi, _ := bits.Sub64(0, uint64(s.hi), borrow)
	return wide{int64(hi), lo}
}

func (s *wide) big() *big.Int {
	n := big.NewInt(s.hi)
	n.Lsh(n, 64)
	return n.Add(n, new(big.Int).SetUint64(s.lo))
}

// tally counts rows and sums their weights, in ten-thousandths.
type tally struct{ rows, weight int64 }

func (t *tally) add(weight int64) { t.rows++; t.weight += weight }

func (t *tally) plus(u tally) { t.rows += u.rows; t.weight += u.weight }

// label is the outcome of a row's loan.
type label uint8

const (
	unlabelled label = iota
	good
	bad
)

// counts has a tally for each label.
type counts [3]tally

func (c *counts) plus(d *counts) {
	for i := range c {
		c[i].plus(d[i])
	}
}

// all returns the tally of every row.
func (c *counts) all() (t tally) {
	for i := range c {
		t.plus(c[i])
	}
	return t
}

// labelled returns the tally of the rows with an outcome.
func (c *counts) labelled() tally {
	return tally{c[good].rows + c[bad].rows, c[good].weight + c[bad].weight}
}
