package engine

import (
	"math"
)

// span is a closed range of codes.
type span struct{ lo, hi int64 }

// set is a union of spans that are ascending and neither overlap nor touch. It
// says which states a field may have: every value has a code, and so do the two
// states without a value. Codes are discrete, so sets are closed under union,
// intersection and difference, and open bounds are exact: x < 5 is x <=
// 4.999999, or x <= 4 for a whole number.
type set []span

// The codes of the states without a value. They are far below the code of any
// value, and one code lies below them, so that a bound minus one never
// overflows.
const (
	codeAbsent   int64 = math.MinInt64 + 1
	codeMistyped int64 = math.MinInt64 + 2 // given with another type than declared
)

var (
	onlyAbsent = set{{codeAbsent, codeAbsent}}
	onlyTrue   = set{{1, 1}}
)

// The range of the codes of values, both ends included.
const (
	leastCode int64 = -1 << 62
	mostCode  int64 = 1 << 62
)

func (s set) contains(code int64) bool {
	for _, x := range s {
		if code <= x.hi {
			return x.lo <= code
		}
	}
	return false
}

// within reports whether every code of s is in t.
func (s set) within(t set) bool {
	i := 0
	for _, x := range s {
		for i < len(t) && t[i].hi < x.lo {
			i++
		}
		if i == len(t) || x.lo < t[i].lo || t[i].hi < x.hi {
			return false
		}
	}
	return true
}

// meets reports whether s and t have a code in common.
func (s set) meets(t set) bool {
	for i, j := 0, 0; i < len(s) && j < len(t); {
		switch {
		case s[i].hi < t[j].lo:
			i++
		case t[j].hi < s[i].lo:
			j++
		default:
			return true
		}
	}
	return false
}

// sets allocates sets in blocks of memory, because an analysis makes hundreds
// of small ones. A set is never changed after it is made.
type sets struct{ block []span }

// reserve returns a block with capacity for n more elements. It never moves
// existing elements: if the block is too full, it returns a new one, and the
// old one stays with the sets that refer to it.
func reserve[T any](block []T, n int) []T {
	const most = 4096
	if cap(block)-len(block) >= n {
		return block
	}
	return make([]T, 0, max(n, min(2*cap(block), most)))
}

// start reserves space for a set of at most n spans and returns the index of
// its beginning.
func (m *sets) start(n int) (mark int) {
	m.block = reserve(m.block, n)
	return len(m.block)
}

// since returns the set that was added since the block had the length mark.
func (m *sets) since(mark int) set { return set(m.block[mark:len(m.block):len(m.block)]) }

// add appends a span that begins after all spans since mark. It merges the span
// with the last one if they touch.
func (m *sets) add(mark int, x span) {
	if n := len(m.block); n > mark && m.block[n-1].hi >= x.lo-1 {
		m.block[n-1].hi = max(m.block[n-1].hi, x.hi)
		return
	}
	m.block = append(m.block, x)
}

func (m *sets) of(spans ...span) set {
	mark := m.start(len(spans))
	m.block = append(m.block, spans...)
	return m.since(mark)
}

// intersection returns the codes that are in both s and t.
func (m *sets) intersection(s, t set) set {
	switch {
	case s.within(t):
		return s
	case t.within(s):
		return t
	}
	mark := m.start(len(s) + len(t))
	for i, j := 0, 0; i < len(s) && j < len(t); {
		if lo, hi := max(s[i].lo, t[j].lo), min(s[i].hi, t[j].hi); lo <= hi {
			m.add(mark, span{lo, hi})
		}
		if s[i].hi < t[j].hi {
			i++
		} else {
			j++
		}
	}
	return m.since(mark)
}

// difference returns the codes that are in s and not in t.
func (m *sets) difference(s, t set) set {
	mark := m.start(len(s) + len(t))
	j := 0
	for _, x := range s {
		for j < len(t) && t[j].hi < x.lo {
			j++
		}
		lo := x.lo
		for k := j; k < len(t) && t[k].lo <= x.hi; k++ {
			if lo < t[k].lo {
				m.add(mark, span{lo, t[k].lo - 1})
			}
			lo = t[k].hi + 1 // codes are too small for this to overflow
		}
		if lo <= x.hi {
			m.add(mark, span{lo, x.hi})
		}
	}
	return m.since(mark)
}

// union returns the codes that are in s or in t.
func (m *sets) union(s, t set) set {
	mark := m.start(len(s) + len(t))
	for i, j := 0, 0; i < len(s) || j < len(t); {
		if j == len(t) || i < len(s) && s[i].lo <= t[j].lo {
			m.add(mark, s[i])
			i++
		} else {
			m.add(mark, t[j])
			j++
		}
	}
	return m.since(mark)
}
