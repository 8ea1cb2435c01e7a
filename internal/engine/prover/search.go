package prover

import (
	"slices"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// class is a kind of change that may be possible.
type class struct {
	kind    Kind
	leaves  []int32 // states of the last layer in which the kind is possible
	witness *Witness
	tries   int
	dropped bool // the kind was proved to be impossible
}

// Witness is an applicant whom both plans have decided.
type Witness struct {
	Facts    []rule.NamedValue
	From, To Decided
	// Request is a body of POST /v1/decisions that gives the same kind of change. It is nil if no request body can
	// state the facts.
	Request []byte
}

// Decided is the decision of a plan on a witness.
type Decided struct {
	Status     engine.Status
	Grade      string
	Score      rule.Number
	Offered    bool
	LimitPaise int64
	RateBP     int64
	Tenure     int
}

// search finds the classes of the last layer and an applicant for each.
type search struct {
	*pricing
	classes   []*class
	byKind    map[Kind]int
	decisions [2]engine.Decision
}

// The limits of the search for applicants.
const (
	maxTries    = 300   // applicants that are built for one class
	maxBoxes    = 4_000 // boxes of one leaf that are searched
	maxAllBoxes = 400_000
	maxClasses  = 512
)

// collect finds the kinds of change that are possible in each leaf, and looks for applicants at a few points of each
// leaf.
func (s *search) collect() {
	last := s.layers[len(s.layers)-1].states
	for i := range last {
		if i&63 == 0 && s.stopped() {
			break
		}
		for _, b := range s.boxesOf(&last[i]) {
			s.collectBox(int32(i), &b)
		}
	}
}

// collectBox finds the kinds of change that are possible in a box of a leaf, and looks for applicants.
func (s *search) collectBox(leaf int32, b *box) {
	var found []int
	s.kinds(&s.layers[len(s.layers)-1].states[leaf], b, func(k Kind) {
		if at := s.class(k); at >= 0 && !slices.Contains(found, at) {
			found = append(found, at)
		}
	})
	missing := false
	for _, at := range found {
		c := s.classes[at]
		if n := len(c.leaves); n == 0 || c.leaves[n-1] != leaf { // another box may have added the leaf
			c.leaves = append(c.leaves, leaf)
		}
		missing = missing || c.witness == nil && c.tries < maxTries/4
	}
	if missing {
		s.points(leaf, b, found)
	}
}

// class returns the index of the class of a kind. It adds the class if necessary, or returns -1 if there are too many.
func (s *search) class(k Kind) int {
	at, ok := s.byKind[k]
	if !ok {
		if len(s.classes) == maxClasses {
			s.truncated = "there are more kinds of change than can be listed"
			return -1
		}
		at = len(s.classes)
		s.byKind[k] = at
		s.classes = append(s.classes, &class{kind: k})
	}
	return at
}

// points looks for applicants of the wanted classes on several paths through a box of a leaf.
func (s *search) points(leaf int32, b *box, wanted []int) {
	low, high := b.corner(&s.lending, false), b.corner(&s.lending, true)
	s.path(leaf, &low, &high, wanted)
	for k := range s.lending.vars {
		if !b.given[k] || b.lo[k] == b.hi[k] || s.found(wanted) {
			continue
		}
		from, to := high, low
		from.lo[k], from.hi[k] = low.lo[k], low.hi[k]
		s.path(leaf, &from, &high, wanted)
		to.lo[k], to.hi[k] = high.lo[k], high.hi[k]
		s.path(leaf, &low, &to, wanted)
	}
}

// found reports whether all wanted classes have a witness.
func (s *search) found(wanted []int) bool {
	return !slices.ContainsFunc(wanted, func(at int) bool { return s.classes[at].witness == nil })
}

// path tries points on the way from one point to another. The limits of both policies rise from the first point to the
// second, apart from caps.
func (s *search) path(leaf int32, from, to *box, wanted []int) {
	s.try(leaf, from, wanted)
	var between func(p, q *box, depth int)
	between = func(p, q *box, depth int) {
		m := middle(&s.lending, p, q)
		if depth == 0 || m == *p || m == *q || s.found(wanted) {
			return
		}
		s.try(leaf, &m, wanted)
		between(p, &m, depth-1)
		between(&m, q, depth-1)
	}
	between(from, to, 4)
	s.try(leaf, to, wanted)
	for i, id := range s.layers[len(s.layers)-1].states[leaf].sides {
		if id == dead {
			continue
		}
		v := s.view(i, id, from)
		s.crossing(leaf, i, id, from, to, v.band.MinLimitPaise, wanted)
		if len(s.lists[v.state.list].ids) > 0 {
			for k, r := range s.runsOf(i, &v) {
				if k > 0 && k < 8 {
					s.crossing(leaf, i, id, from, to, r.from, wanted)
				}
			}
		}
	}
}

// crossing tries the two neighbouring points of a path between which the limit of policy i reaches a threshold.
func (s *search) crossing(leaf int32, i int, id int32, from, to *box, threshold int64, wanted []int) {
	if s.found(wanted) {
		return
	}
	reaches := func(p *box) bool {
		v := s.view(i, id, p)
		return v.low >= threshold
	}
	p, q := *from, *to
	if reaches(&p) || !reaches(&q) {
		return
	}
	for {
		m := middle(&s.lending, &p, &q)
		if m == p || m == q {
			break
		}
		if reaches(&m) {
			q = m
		} else {
			p = m
		}
	}
	s.try(leaf, &p, wanted)
	s.try(leaf, &q, wanted)
}

// try builds the applicant of a point if the applicant may be of a wanted class that has no witness.
func (s *search) try(leaf int32, p *box, wanted []int) {
	state := &s.layers[len(s.layers)-1].states[leaf]
	hit := false
	s.kinds(state, p, func(k Kind) {
		at, ok := s.byKind[k]
		if !ok {
			return
		}
		if c := s.classes[at]; c.witness == nil && c.tries < maxTries && slices.Contains(wanted, at) {
			hit = true
			c.tries++
		}
	})
	if hit && !s.stopped() {
		s.confirm(leaf, p)
	}
}

// settle searches the boxes of all leaves for applicants of the classes that have no witness. It drops a class if no
// box can contain such an applicant.
func (s *search) settle() {
	boxes := maxAllBoxes
	for at, c := range s.classes {
		if c.witness != nil {
			continue
		}
		possible := false
		for _, leaf := range c.leaves {
			if c.witness != nil {
				break
			}
			if !s.exclude(at, leaf, &boxes) {
				possible = true
			}
		}
		c.dropped = c.witness == nil && !possible && s.truncated == ""
	}
}

// exclude reports whether a leaf certainly contains no applicant of a class. It halves boxes in which such an
// applicant is possible, and tries to build one.
func (s *search) exclude(at int, leaf int32, boxes *int) bool {
	state := &s.layers[len(s.layers)-1].states[leaf]
	c := s.classes[at]
	stack := s.boxesOf(state)
	open := false
	for n := 0; len(stack) > 0; n++ {
		if c.witness != nil {
			return false
		}
		if *boxes--; *boxes < 0 || n > maxBoxes || n&63 == 0 && s.stopped() {
			return false
		}
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		possible := false
		s.kinds(state, &x, func(k Kind) { possible = possible || k == c.kind })
		if !possible {
			continue
		}
		low, high, ok := x.halves(&s.lending)
		if !ok {
			s.try(leaf, &x, []int{at})
			open = true
			continue
		}
		p, q := x.corner(&s.lending, false), x.corner(&s.lending, true)
		m := middle(&s.lending, &p, &q)
		for _, point := range []*box{&p, &q, &m} {
			s.try(leaf, point, []int{at})
		}
		stack = append(stack, low, high)
	}
	return !open
}
