package space

import (
	"math"
)

// Span is a closed range of codes.
type Span struct{ Lo, Hi int64 }

// Set is a set of states of one field, given by their codes. It is a list of
// spans in ascending order that neither overlap nor touch. Every value has a
// code, and so do the two states without a readable value. Codes are discrete,
// so sets are closed under union, intersection and difference, and open bounds
// are exact: x < 5 is x <= 4.999999, or x <= 4 for a whole number. A Set is
// never changed after it is made.
type Set []Span

// The codes of the states without a value. They are far below the code of any
// value. The smallest int64 is not used, so that subtracting one from a code
// never overflows.
const (
	Absent   int64 = math.MinInt64 + 1
	Mistyped int64 = math.MinInt64 + 2 // given with a type other than the declared one
)

// The codes of the values of a boolean field.
const (
	False int64 = 0
	True  int64 = 1
)

var (
	onlyAbsent = Set{{Absent, Absent}}
	onlyTrue   = Set{{True, True}}
)

// OnlyAbsent returns the set that contains only the state Absent.
func OnlyAbsent() Set { return onlyAbsent }

// OnlyTrue returns the set that contains only the value true of a boolean
// field.
func OnlyTrue() Set { return onlyTrue }

// The range of the codes of values, both ends included.
const (
	leastCode int64 = -1 << 62
	mostCode  int64 = 1 << 62
)

// Contains reports whether a code is in s.
func (s Set) Contains(code int64) bool {
	for _, x := range s {
		if code <= x.Hi {
			return x.Lo <= code
		}
	}
	return false
}

// Within reports whether every code of s is in t.
func (s Set) Within(t Set) bool {
	i := 0
	for _, x := range s {
		for i < len(t) && t[i].Hi < x.Lo {
			i++
		}
		if i == len(t) || x.Lo < t[i].Lo || t[i].Hi < x.Hi {
			return false
		}
	}
	return true
}

// Meets reports whether s and t have a code in common.
func (s Set) Meets(t Set) bool {
	for i, j := 0, 0; i < len(s) && j < len(t); {
		switch {
		case s[i].Hi < t[j].Lo:
			i++
		case t[j].Hi < s[i].Lo:
			j++
		default:
			return true
		}
	}
	return false
}

// Sets allocates sets in blocks of memory, because an analysis makes hundreds
// of small sets. The zero value is ready to use.
type Sets struct{ block []Span }

// reserve returns a block with capacity for n more elements. It never moves
// existing elements. If the capacity is too small, it returns a new block, and
// sets in the old block remain valid.
func reserve[T any](block []T, n int) []T {
	const most = 4096
	if cap(block)-len(block) >= n {
		return block
	}
	return make([]T, 0, max(n, min(2*cap(block), most)))
}

// start reserves space for a set of at most n spans and returns the index in
// the block at which the set begins.
func (m *Sets) start(n int) (mark int) {
	m.block = reserve(m.block, n)
	return len(m.block)
}

// since returns the set of the spans that were added at index mark and after
// it.
func (m *Sets) since(mark int) Set { return Set(m.block[mark:len(m.block):len(m.block)]) }

// add appends a span. The span must not begin before the spans that were added since mark. If it overlaps or touches
// the last of them, the two are merged.
func (m *Sets) add(mark int, x Span) {
	if n := len(m.block); n > mark && m.block[n-1].Hi >= x.Lo-1 {
		m.block[n-1].Hi = max(m.block[n-1].Hi, x.Hi)
		return
	}
	m.block = append(m.block, x)
}

func (m *Sets) of(spans ...Span) Set {
	mark := m.start(len(spans))
	m.block = append(m.block, spans...)
	return m.since(mark)
}

// Intersection returns the codes that are in both s and t.
func (m *Sets) Intersection(s, t Set) Set {
	switch {
	case s.Within(t):
		return s
	case t.Within(s):
		return t
	}
	mark := m.start(len(s) + len(t))
	for i, j := 0, 0; i < len(s) && j < len(t); {
		if lo, hi := max(s[i].Lo, t[j].Lo), min(s[i].Hi, t[j].Hi); lo <= hi {
			m.add(mark, Span{lo, hi})
		}
		if s[i].Hi < t[j].Hi {
			i++
		} else {
			j++
		}
	}
	return m.since(mark)
}

// Difference returns the codes that are in s and not in t.
func (m *Sets) Difference(s, t Set) Set {
	mark := m.start(len(s) + len(t))
	j := 0
	for _, x := range s {
		for j < len(t) && t[j].Hi < x.Lo {
			j++
		}
		lo := x.Lo
		for k := j; k < len(t) && t[k].Lo <= x.Hi; k++ {
			if lo < t[k].Lo {
				m.add(mark, Span{lo, t[k].Lo - 1})
			}
			lo = t[k].Hi + 1 // codes are too small for this to overflow
		}
		if lo <= x.Hi {
			m.add(mark, Span{lo, x.Hi})
		}
	}
	return m.since(mark)
}

// Union returns the codes that are in s or in t.
func (m *Sets) Union(s, t Set) Set {
	mark := m.start(len(s) + len(t))
	for i, j := 0, 0; i < len(s) || j < len(t); {
		if j == len(t) || i < len(s) && s[i].Lo <= t[j].Lo {
			m.add(mark, s[i])
			i++
		} else {
			m.add(mark, t[j])
			j++
		}
	}
	return m.since(mark)
}
