package engine

import (
	"slices"

	"verdict/internal/rule"
)

// constraint is the set of states that one field may have.
type constraint struct {
	field int32
	allow set
}

// box is a set of applications: those that satisfy every constraint.
// Constraints are ascending by field. A field without a constraint may have any
// state.
type box []constraint

// region is a union of boxes. An empty region contains nobody.
type region []box

// everybody is the region of all applications.
var everybody = region{box{}}

// everybody reports whether a box of the region contains all applications.
func (r region) everybody() bool {
	return slices.ContainsFunc(r, func(b box) bool { return len(b) == 0 })
}

// maxBoxes is the largest number of boxes of a region. A condition that needs
// more is not analysed, because it would take too long.
const maxBoxes = 64

// approximation says how to treat a predicate that sets cannot express:
// arithmetic, a comparison of two fields, or a part of an open text. All that
// is known of such a predicate is that it holds only if its fields are given.
type approximation uint8

const (
	over  approximation = iota // it may hold: include everybody who gives its fields
	under                      // it may fail: include nobody
)

// region returns the set of applications for which a condition holds, or for
// which its negation holds if positive is false. Negations are pushed down to
// the predicates. A predicate and its negation both hold only over a given
// field, so the result is exactly the three-valued meaning. ok is false if a
// limit of the analysis is reached. If sets cannot express a predicate, region
// sets a.opaque, and the result is an approximation in the direction as.
func (a *analysis) region(c *rule.Condition, positive bool, as approximation) (r region, ok bool) {
	if !a.spend(1) {
		return nil, false
	}
	switch c.Op {
	case rule.Not:
		return a.region(&c.Args[0], !positive, as)
	case rule.And, rule.Or:
		if (c.Op == rule.And) == positive {
			return a.all(c.Args, positive, as)
		}
		return a.any(c.Args, positive, as)
	case rule.True, rule.False:
		if (c.Op == rule.True) == positive {
			return everybody, true
		}
		return nil, true
	default:
	}
	if at, allow, ok := a.leaf(c, positive); ok {
		if len(allow) == 0 {
			return nil, true
		}
		return a.single(at, allow), true
	}
	a.opaque = true
	if as == under {
		return nil, true
	}
	b := box{}
	for _, at := range a.named(c, nil, 0) {
		b = a.with(b, at, a.fields[at].given)
	}
	return region{b}, true
}

// single returns the region of one constraint.
func (a *analysis) single(at int32, allow set) region {
	a.boxes = reserve(a.boxes, 1)
	mark := len(a.boxes)
	a.boxes = append(a.boxes, a.with(nil, at, allow))
	return region(a.boxes[mark:len(a.boxes):len(a.boxes)])
}

func (a *analysis) all(args []rule.Condition, positive bool, as approximation) (region, bool) {
	r := everybody
	for i := range args {
		arg, ok := a.region(&args[i], positive, as)
		if ok {
			r, ok = a.intersection(r, arg)
		}
		if !ok || len(r) == 0 {
			return nil, ok
		}
	}
	return r, true
}

func (a *analysis) any(args []rule.Condition, positive bool, as approximation) (region, bool) {
	var r region
	for i := range args {
		arg, ok := a.region(&args[i], positive, as)
		if !ok {
			return nil, false
		}
		for _, b := range arg {
			if r, ok = a.join(r, b); !ok {
				return nil, false
			}
		}
	}
	return r, true
}

// join adds a box to a region that is being built. It merges boxes that differ
// in one field, so that a list of alternatives for one field stays one box.
func (a *analysis) join(r region, b box) (region, bool) {
	for i := range r {
		if !a.spend(len(b)) {
			return nil, false
		}
		if both, ok := a.merged(r[i], b); ok {
			r[i] = both
			return r, true
		}
	}
	return append(r, b), len(r) < maxBoxes
}

// merged returns the union of two boxes if that is a box.
func (a *analysis) merged(x, y box) (box, bool) {
	if len(x) != len(y) {
		return nil, false
	}
	differs := -1
	for i := range x {
		switch {
		case x[i].field != y[i].field:
			return nil, false
		case slices.Equal(x[i].allow, y[i].allow):
		case differs >= 0:
			return nil, false
		default:
			differs = i
		}
	}
	if differs < 0 {
		return x, true
	}
	at := x[differs].field
	both := a.sets.union(x[differs].allow, y[differs].allow)
	if a.fields[at].all.within(both) {
		return slices.Delete(slices.Clone(x), differs, differs+1), true
	}
	return a.with(x, at, both), true
}

// intersection returns the applications that are in both regions.
func (a *analysis) intersection(r, s region) (region, bool) {
	switch {
	case len(r) == 1 && len(r[0]) == 0:
		return s, true
	case len(s) == 1 && len(s[0]) == 0:
		return r, true
	}
	a.boxes = reserve(a.boxes, min(len(r)*len(s), maxBoxes+len(s)))
	mark := len(a.boxes)
	for _, x := range r {
		for _, y := range s {
			if !a.spend(len(x) + len(y)) {
				return nil, false
			}
			if b, ok := a.meet(x, y); ok {
				a.boxes = append(a.boxes, b)
			}
		}
		if len(a.boxes)-mark > maxBoxes {
			return nil, false
		}
	}
	return region(a.boxes[mark:len(a.boxes):len(a.boxes)]), true
}

// meet returns the intersection of two boxes. ok is false if it is empty.
func (a *analysis) meet(x, y box) (b box, ok bool) {
	a.constraints = reserve(a.constraints, len(x)+len(y))
	mark := len(a.constraints)
	for i, j := 0, 0; i < len(x) || j < len(y); {
		switch {
		case j == len(y) || i < len(x) && x[i].field < y[j].field:
			a.constraints = append(a.constraints, x[i])
			i++
		case i == len(x) || y[j].field < x[i].field:
			a.constraints = append(a.constraints, y[j])
			j++
		default:
			both := a.sets.intersection(x[i].allow, y[j].allow)
			if len(both) == 0 {
				a.constraints = a.constraints[:mark]
				return nil, false
			}
			a.constraints = append(a.constraints, constraint{x[i].field, both})
			i++
			j++
		}
	}
	return a.constraints[mark:len(a.constraints):len(a.constraints)], true
}

// with returns the box with one field's constraint replaced.
func (a *analysis) with(b box, at int32, allow set) box {
	a.constraints = reserve(a.constraints, len(b)+1)
	mark := len(a.constraints)
	for len(b) > 0 && b[0].field < at {
		a.constraints, b = append(a.constraints, b[0]), b[1:]
	}
	if len(b) > 0 && b[0].field == at {
		b = b[1:]
	}
	a.constraints = append(append(a.constraints, constraint{at, allow}), b...)
	return a.constraints[mark:len(a.constraints):len(a.constraints)]
}

// states returns the states that a box allows a field.
func (a *analysis) states(b box, at int32) set {
	for i := range b {
		if b[i].field == at {
			return b[i].allow
		}
	}
	return a.fields[at].all
}
