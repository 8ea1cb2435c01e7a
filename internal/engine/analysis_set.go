package engine

import (
	"math"
)

// span is a closed range of codes.
type span struct{ lo, hi int64 }

// set is a union of spans, ascending, apart from each other, none adjacent.
// It says which states a field may be in: every value has a code, and so have
// the two states without a value. Being discrete, sets are closed under union,
// intersection and difference, and nothing in the analysis is approximate
// because of an open end: x < 5 is x <= 4.999999, or x <= 4 for a whole x.
type set []span

// The codes of the states without a value. They lie far below any value's, and
// one code lies below them, so that no bound minus one can wrap.
const (
	codeAbsent   int64 = math.MinInt64 + 1
	codeMistyped int64 = math.MinInt64 + 2 // there, with another type than declared
)

var (
	onlyAbsent = set{{codeAbsent, codeAbsent}}
	onlyTrue   = set{{1, 1}}
)

// The codes that values lie between, both included.
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

// sets makes sets in blocks of memory, because an analysis makes hundreds of
// small ones. A set once made is never written again.
type sets struct{ block []span }

// room makes room for n more elements without moving those that are there: a
// block that is too full is left to whoever refers to it.
func room[T any](block []T, n int) []T {
	const most = 4096
	if cap(block)-len(block) >= n {
		return block
	}
	return make([]T, 0, max(n, min(2*cap(block), most)))
}

// start makes room for a set of at most n spans and returns where it begins.
func (m *sets) start(n int) (mark int) {
	m.block = room(m.block, n)
	return len(m.block)
}

// since is the set made since the block had the given length.
func (m *sets) since(mark int) set { return set(m.block[mark:len(m.block):len(m.block)]) }

// add appends a span that begins after all spans since mark, joining it to the
// last one when nothing lies between.
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

// intersection is what s and t have in common.
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

// difference is what is in s and not in t.
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
			lo = t[k].hi + 1 // no code is so great that this could wrap
		}
		if lo <= x.hi {
			m.add(mark, span{lo, x.hi})
		}
	}
	return m.since(mark)
}

// union is what is in s or in t.
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
