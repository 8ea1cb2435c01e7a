package space

import (
	"verdict/internal/rule"
)

// Shape bounds the set of applicants for whom a condition holds. Everybody for
// whom the condition holds is in Upper, and the condition holds for everybody
// in Lower. The two regions are equal if sets can express the whole condition.
// Neither region has boxes that no applicant can be in.
type Shape struct {
	Upper, Lower Region
	Known        bool // false if a limit was reached; the other members are then meaningless
	Nobody       bool // the condition holds only for combinations that no applicant can have
}

// Exact reports whether sets express the whole condition, so that the two regions are equal.
func (s *Shape) Exact() bool {
	return len(s.Upper) == len(s.Lower) && (len(s.Upper) == 0 || &s.Upper[0] == &s.Lower[0])
}

// Shape computes the shape of a condition. Known is false if a limit was
// reached.
func (s *Solver) Shape(c *rule.Condition) (shape Shape) {
	s.opaque = false
	r, ok := s.Region(c, true, Over)
	if !ok {
		return shape
	}
	shape.Upper, shape.Known = s.Possible(r), true
	shape.Nobody = len(r) > 0 && len(shape.Upper) == 0
	shape.Lower = shape.Upper
	if s.opaque {
		r, shape.Known = s.Region(c, true, Under)
		shape.Lower = s.Possible(r)
	}
	return shape
}

// Possible returns the part of a region that applicants can be in.
func (s *Solver) Possible(r Region) Region {
	s.boxes = reserve(s.boxes, len(r))
	mark := len(s.boxes)
	for _, b := range r {
		if b, ok := s.Tightened(b); ok {
			s.boxes = append(s.boxes, b)
		}
	}
	return Region(s.boxes[mark:len(s.boxes):len(s.boxes)])
}

// Tightened removes from a box the applicants who cannot exist. Some are new to credit but have a value that only a
// credit history gives. Others have the answer of a list or a table but not the field that was looked up. A few such
// applicants stay in the box if the remaining ones would not form a single box. ok is false if nobody is left.
func (s *Solver) Tightened(b Box) (tight Box, ok bool) {
	if len(s.Space.answers) > 0 {
		if b, ok = s.answerable(b); !ok {
			return nil, false
		}
	}
	return s.withoutHistory(b)
}

// withoutHistory removes from a box the applicants who are new to credit but have a value that only a credit history
// gives.
func (s *Solver) withoutHistory(b Box) (tight Box, ok bool) {
	ntc := s.Space.ntc
	if ntc == NoField {
		return b, true
	}
	isNTC := s.States(b, ntc)
	if !isNTC.Contains(True) {
		return b, true
	}
	only := len(isNTC) == 1 && isNTC[0].Lo == True
	for _, at := range s.Space.scored {
		allow := s.States(b, at)
		switch {
		case only && !allow.Contains(Absent):
			return nil, false
		case only:
			b = s.With(b, at, onlyAbsent)
		case !allow.Contains(Absent):
			return s.With(b, ntc, s.Sets.Difference(isNTC, onlyTrue)), true
		}
	}
	return b, true
}

// Covers reports whether everybody in a box is in a region. It also returns
// false if a limit was reached.
func (s *Solver) Covers(r Region, b Box) bool {
	mark := s.Mark()
	s.coverSteps = maxCoverSteps
	covered := s.covered(b, r)
	s.Release(mark)
	return covered
}

// Limited reports whether the last call of Covers reached its limit of steps, or the budget is exhausted.
func (s *Solver) Limited() bool { return s.coverSteps < 0 || s.Budget.Exhausted() }

// covered reports whether everybody in the box b is in the region r. It
// subtracts one box of r from b and checks recursively that the remaining boxes
// of r cover the rest. It returns false if a limit was reached.
func (s *Solver) covered(b Box, r Region) bool {
	for len(r) > 0 {
		s.coverSteps--
		if s.coverSteps < 0 || !s.Budget.Spend(len(b)+len(r[0])) {
			return false
		}
		if !s.disjoint(b, r[0]) {
			break
		}
		r = r[1:]
	}
	if len(r) == 0 {
		return false
	}
	for _, c := range r[0] {
		states := s.States(b, c.Field)
		if states.Within(c.Allow) {
			continue
		}
		if len(r) == 1 && c.Field != s.Space.ntc && !s.Space.domains[c.Field].Scored {
			return false // the rest is not empty, and no box is left to cover it
		}
		rest := s.With(b, c.Field, s.Sets.Difference(states, c.Allow))
		if rest, ok := s.Tightened(rest); ok && !s.covered(rest, r[1:]) {
			return false
		}
		b = s.With(b, c.Field, s.Sets.Intersection(states, c.Allow))
	}
	return true
}

// disjoint reports whether two boxes have nobody in common.
func (s *Solver) disjoint(x, y Box) bool {
	for _, c := range y {
		if !s.States(x, c.Field).Meets(c.Allow) {
			return true
		}
	}
	return false
}

// Implies reports whether the second condition holds for everybody for whom the first one holds. It also returns false
// if the first one holds for nobody, or if the answer could not be determined.
func (s *Solver) Implies(first, second *Shape) bool {
	if !first.Known || !second.Known || len(first.Upper) == 0 {
		return false
	}
	s.coverSteps = maxCoverSteps
	mark := s.Mark()
	defer s.Release(mark) // free the intermediate sets
	for _, b := range first.Upper {
		if !s.covered(b, second.Lower) {
			return false
		}
	}
	return true
}
