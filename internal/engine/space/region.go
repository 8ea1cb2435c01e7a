package space

import (
	"slices"

	"verdict/internal/rule"
)

// Constraint limits one field to the states in Allow.
type Constraint struct {
	Field Field
	Allow Set
}

// Box is a set of applications: those that satisfy every constraint.
// Constraints are ascending by field. A field without a constraint may have any
// state.
type Box []Constraint

// Region is a union of boxes, which may overlap. An empty region contains
// nobody.
type Region []Box

var everybody = Region{Box{}}

// Everybody returns the region of all applications.
func Everybody() Region { return everybody }

// HasEverybody reports whether a single box of the region contains all
// applications.
func (r Region) HasEverybody() bool {
	return slices.ContainsFunc(r, func(b Box) bool { return len(b) == 0 })
}

// Approximation says how to treat a predicate that sets cannot express:
// arithmetic, a comparison of two fields, or a part of an open text. Such a
// predicate can hold only if its fields are given; nothing else is known about
// it.
type Approximation uint8

// The approximations.
const (
	Over  Approximation = iota // the predicate may hold: include everybody who gives its fields
	Under                      // the predicate may fail: include nobody
)

// Region returns the set of applications for which a condition holds, or for which its negation holds if positive is
// false. It moves negations down to the predicates. Both a comparison and its negation hold only if the field is
// given, so the result matches three-valued logic exactly. If sets cannot express a predicate, the parameter "as" says
// how the result approximates it. The result may contain applications that cannot exist; see Possible. ok is false if
// a limit is reached.
func (s *Solver) Region(c *rule.Condition, positive bool, as Approximation) (r Region, ok bool) {
	if !s.Budget.Spend(1) {
		return nil, false
	}
	switch c.Op {
	case rule.Not:
		return s.Region(&c.Args[0], !positive, as)
	case rule.And, rule.Or:
		if (c.Op == rule.And) == positive {
			return s.all(c.Args, positive, as)
		}
		return s.any(c.Args, positive, as)
	case rule.True, rule.False:
		if (c.Op == rule.True) == positive {
			return everybody, true
		}
		return nil, true
	default:
	}
	if at, allow, ok := s.predicate(c, positive); ok {
		if len(allow) == 0 {
			return nil, true
		}
		return s.Single(at, allow), true
	}
	s.opaque = true
	if as == Under {
		return nil, true
	}
	b := Box{}
	for _, at := range s.Space.Reads(c, nil, 0) {
		b = s.With(b, at, s.Space.domains[at].Given)
	}
	return Region{b}, true
}

// Single returns the region of all applications in which the field "at" has a
// state in allow.
func (s *Solver) Single(at Field, allow Set) Region {
	s.boxes = reserve(s.boxes, 1)
	mark := len(s.boxes)
	s.boxes = append(s.boxes, s.With(nil, at, allow))
	return Region(s.boxes[mark:len(s.boxes):len(s.boxes)])
}

func (s *Solver) all(args []rule.Condition, positive bool, as Approximation) (Region, bool) {
	r := everybody
	for i := range args {
		arg, ok := s.Region(&args[i], positive, as)
		if ok {
			r, ok = s.Intersection(r, arg)
		}
		if !ok || len(r) == 0 {
			return nil, ok
		}
	}
	return r, true
}

func (s *Solver) any(args []rule.Condition, positive bool, as Approximation) (Region, bool) {
	var r Region
	for i := range args {
		arg, ok := s.Region(&args[i], positive, as)
		if !ok {
			return nil, false
		}
		for _, b := range arg {
			if r, ok = s.join(r, b); !ok {
				return nil, false
			}
		}
	}
	return r, true
}

// join adds a box to a region that is being built. It merges the box with
// another one if they differ in only one field, so that alternatives for one
// field become one box. It returns false if a limit is reached.
func (s *Solver) join(r Region, b Box) (Region, bool) {
	for i := range r {
		if !s.Budget.Spend(len(b)) {
			return nil, false
		}
		if both, ok := s.merged(r[i], b); ok {
			r[i] = both
			return r, true
		}
	}
	return append(r, b), len(r) < maxBoxes
}

// merged returns the union of two boxes that differ in at most one field. It
// returns false for other boxes.
func (s *Solver) merged(x, y Box) (Box, bool) {
	if len(x) != len(y) {
		return nil, false
	}
	differs := -1
	for i := range x {
		switch {
		case x[i].Field != y[i].Field:
			return nil, false
		case slices.Equal(x[i].Allow, y[i].Allow):
		case differs >= 0:
			return nil, false
		default:
			differs = i
		}
	}
	if differs < 0 {
		return x, true
	}
	at := x[differs].Field
	both := s.Sets.Union(x[differs].Allow, y[differs].Allow)
	if s.Space.domains[at].All.Within(both) {
		return slices.Delete(slices.Clone(x), differs, differs+1), true
	}
	return s.With(x, at, both), true
}

// Intersection returns the applications that are in both regions. ok is false
// if a limit is reached.
func (s *Solver) Intersection(r, t Region) (both Region, ok bool) {
	switch {
	case len(r) == 1 && len(r[0]) == 0:
		return t, true
	case len(t) == 1 && len(t[0]) == 0:
		return r, true
	}
	s.boxes = reserve(s.boxes, min(len(r)*len(t), maxBoxes+len(t)))
	mark := len(s.boxes)
	for _, x := range r {
		for _, y := range t {
			if !s.Budget.Spend(len(x) + len(y)) {
				return nil, false
			}
			if b, ok := s.meet(x, y); ok {
				s.boxes = append(s.boxes, b)
			}
		}
		if len(s.boxes)-mark > maxBoxes {
			return nil, false
		}
	}
	return Region(s.boxes[mark:len(s.boxes):len(s.boxes)]), true
}

// meet returns the intersection of two boxes. ok is false if it is empty.
func (s *Solver) meet(x, y Box) (b Box, ok bool) {
	s.constraints = reserve(s.constraints, len(x)+len(y))
	mark := len(s.constraints)
	for i, j := 0, 0; i < len(x) || j < len(y); {
		switch {
		case j == len(y) || i < len(x) && x[i].Field < y[j].Field:
			s.constraints = append(s.constraints, x[i])
			i++
		case i == len(x) || y[j].Field < x[i].Field:
			s.constraints = append(s.constraints, y[j])
			j++
		default:
			both := s.Sets.Intersection(x[i].Allow, y[j].Allow)
			if len(both) == 0 {
				s.constraints = s.constraints[:mark]
				return nil, false
			}
			s.constraints = append(s.constraints, Constraint{x[i].Field, both})
			i++
			j++
		}
	}
	return s.constraints[mark:len(s.constraints):len(s.constraints)], true
}

// With returns a copy of the box in which the field may have only the allowed states.
func (s *Solver) With(b Box, at Field, allow Set) Box {
	s.constraints = reserve(s.constraints, len(b)+1)
	mark := len(s.constraints)
	for len(b) > 0 && b[0].Field < at {
		s.constraints, b = append(s.constraints, b[0]), b[1:]
	}
	if len(b) > 0 && b[0].Field == at {
		b = b[1:]
	}
	s.constraints = append(append(s.constraints, Constraint{at, allow}), b...)
	return s.constraints[mark:len(s.constraints):len(s.constraints)]
}

// States returns the states that a field may have in a box.
func (s *Solver) States(b Box, at Field) Set {
	for i := range b {
		if b[i].Field == at {
			return b[i].Allow
		}
	}
	return s.Space.domains[at].All
}
