package generate

import (
	mathbits "math/bits"
	"time"

	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// The limits of one search. They bound the time and the memory for the largest policy.
const (
	maxTries    = 150_000       // applications that are decided
	maxWork     = 2_000_000_000 // steps of measuring them
	maxClimbs   = 40            // starting points for one score
	randomTries = 30_000        // applications that are drawn for the goals that are left
	solverSteps = 1_000_000

	// maxChoices is the number of applications per goal among which the cover chooses.
	maxChoices = 40
)

// search finds applications that reach the goals of a policy.
type search struct {
	coverage *Coverage
	requests []*request
	pool     []found // the applications among which the cover chooses, in the order of the search
	choices  []uint8 // for each goal, the number of applications in the pool that reach it
	tried    map[string]result
	covered  bits
	random   random
	tries    int // applications that were decided
	maxTries int
	bases    []candidate
	seeds    []candidate
	empty    map[string]bool // the goals that no application can reach, by their texts
}

// found is an application with the goals that it reaches.
type found struct {
	candidate
	result
	reached bits
}

func newSearch(c *Coverage) *search {
	p := &prober{coverage: c, limits: thresholdsOf(c.subject.Policy, c.conditions)}
	return &search{
		coverage: c,
		requests: p.requests(),
		tried:    map[string]result{},
		choices:  make([]uint8, len(c.goals)),
		maxTries: min(maxTries, maxWork/c.cost()),
		empty:    map[string]bool{},
		covered:  make(bits, (len(c.goals)+63)/64),
	}
}

// try decides a candidate. It adds the candidate to the pool if few applications in the pool reach one of its
// goals. ok is false if the application is refused or the limit of the search is reached.
func (s *search) try(c candidate) (o result, ok bool) {
	key := c.key()
	if o, known := s.tried[key]; known {
		return o, !o.refused
	}
	if s.tries >= s.maxTries {
		return o, false
	}
	s.tries++
	var reached bits
	body, err := wire.Parse(c.body())
	if err == nil {
		o, reached, ok = s.coverage.measure(body, time.Time{}, c.stated()...)
	}
	if !ok {
		s.tried[key] = result{refused: true}
		return o, false
	}
	s.tried[key] = o
	useful := false
	for i, word := range reached {
		s.covered[i] |= word
		for ; word != 0; word &= word - 1 {
			useful = useful || s.choices[i<<6+mathbits.TrailingZeros64(word)] < maxChoices
		}
	}
	if useful {
		s.keep(found{c, o, reached})
	}
	return o, true
}

// keep adds an application to the pool.
func (s *search) keep(f found) {
	s.pool = append(s.pool, f)
	for i, word := range f.reached {
		for ; word != 0; word &= word - 1 {
			if n := &s.choices[i<<6+mathbits.TrailingZeros64(word)]; *n < maxChoices {
				*n++
			}
		}
	}
}

// run searches in the order that doc.go describes.
func (s *search) run() {
	for _, r := range s.requests {
		for _, ntc := range []bool{false, true} {
			if base, ok := s.best(r, ntc); ok {
				s.bases = append(s.bases, base)
			}
		}
	}
	s.seeds = append(s.seeds, s.bases...)
	s.bands()
	s.witnesses()
	for _, seed := range s.seeds {
		s.neighbours(seed)
	}
	s.draw()
}

// best returns the applicant of a kind of request who gets the best decision: a
// better status, fewer hits, a higher score, and more members given.
func (s *search) best(r *request, ntc bool) (best candidate, ok bool) {
	score := r.memberOf(field.BureauScore)
	isNTC := r.memberOf(field.BureauIsNTC)
	if ntc && isNTC < 0 {
		return best, false
	}
	best = candidate{r, make([]uint16, len(r.members))}
	if ntc {
		best.at[isNTC] = uint16(r.members[isNTC].index(field.BureauIsNTC, rule.Bool(true)))
	} else if score >= 0 {
		best.at[score] = uint16(len(r.members[score].values) / 2)
	}
	now, ok := s.try(best)
	for range 3 {
		for i := range r.members {
			if ntc && i == isNTC || r.members[i].stated { // most applications need no stored facts
				continue
			}
			direct := len(r.members[i].facts) > 0
			for k := 1; k < len(r.members[i].values); k++ {
				o, fine := s.try(best.with(i, k))
				if fine && (!ok || better(&o, &now, best.at[i] == 0 && direct)) {
					best, now, ok = best.with(i, k), o, true
				}
			}
		}
	}
	return best, ok
}

// better reports whether the result o is better than the present result, now. If equal is set, an equally good
// result counts as better.
func better(o, now *result, equal bool) bool {
	switch {
	case o.status != now.status:
		return o.status < now.status
	case o.hits != now.hits:
		return o.hits < now.hits
	case o.score != now.score:
		return o.score > now.score
	}
	return equal
}

// bands adds seeds whose scores are at the ends of the bands.
func (s *search) bands() {
	for i := range s.coverage.goals {
		g := &s.coverage.goals[i]
		if !g.exact || g.never != "" {
			continue
		}
		for _, base := range s.bases {
			at := base.request.memberOf(field.BureauIsNTC)
			isNTC := at >= 0 && base.request.members[at].values[base.at[at]].Number() < rule.Int(300)
			if isNTC != g.ntc {
				continue
			}
			if c, ok := s.climb(base, g, at); ok {
				s.seeds = append(s.seeds, c)
			}
		}
	}
}

// climb looks for an applicant with the score of a goal, preferably one in the goal's band whom no rule hits. It
// starts from the base and from random changes of it, and changes one member at a time while the score gets nearer.
// ntc is the index of the member that must not change the kind of the applicant, or -1.
func (s *search) climb(base candidate, g *goal, ntc int) (nearest candidate, ok bool) {
	segments := s.coverage.subject.Policy.HasSegments()
	distance := func(o *result) int64 {
		n := o.score.Floor() - g.score.Floor()
		other := int64(0)
		if segments && o.band != g.band {
			other = 50
		}
		return max(n, -n)*100 + other + int64(o.hits)*10 + int64(o.status)
	}
	whole := int64(100)
	bestDistance := int64(-1)
	for round := range maxClimbs {
		c := base.clone()
		for i := range c.at {
			if round == 0 || s.random.below(3) > 0 {
				continue
			}
			if k := s.random.below(len(c.request.members[i].values)); i != ntc || c.sameKind(i, k) {
				c.at[i] = uint16(k)
			}
		}
		o, fine := s.try(c)
		if !fine {
			continue
		}
		now := distance(&o)
		for improved := true; improved && now > 0; {
			improved = false
			from := c
			for i := range from.at {
				for k := range from.request.members[i].values {
					if i == ntc && !from.sameKind(i, k) {
						continue
					}
					next := from.with(i, k)
					if o, fine := s.try(next); fine && distance(&o) < now {
						c, now, improved = next, distance(&o), true
					}
				}
			}
		}
		if bestDistance < 0 || now < bestDistance {
			nearest, bestDistance = c, now
		}
		if bestDistance == 0 || bestDistance < whole && round > maxClimbs/4 {
			break
		}
	}
	return nearest, bestDistance >= 0 && bestDistance < whole
}

// sameKind reports whether the value k of the member at i keeps the applicant's kind: new to credit, or not new to
// credit.
func (c candidate) sameKind(i, k int) bool {
	code := func(k int) bool { return c.request.members[i].values[k].Number() < rule.Int(300) }
	return k > 0 && code(k) == code(int(c.at[i]))
}

// neighbours tries every value of every member of a candidate.
func (s *search) neighbours(c candidate) {
	for i := range c.at {
		for k := range c.request.members[i].values {
			s.try(c.with(i, k))
		}
	}
}

// draw tries random changes of the members that belong to goals which are not
// reached.
func (s *search) draw() {
	for n := 0; n < randomTries && s.tries < s.maxTries; n++ {
		var left []int
		for i := range s.coverage.goals {
			if !s.covered.has(i) && !s.empty[s.coverage.goals[i].text] && s.unreachable(&s.coverage.goals[i]) == "" {
				left = append(left, i)
			}
		}
		if len(left) == 0 || len(s.seeds) == 0 {
			return
		}
		for range 200 {
			n++
			s.drawOne(&s.coverage.goals[left[s.random.below(len(left))]])
		}
	}
}

func (s *search) drawOne(g *goal) {
	c := s.seeds[s.random.below(len(s.seeds))].clone()
	if s.random.below(2) == 0 {
		c = s.pool[s.random.below(len(s.pool))].clone()
	}
	if len(c.at) == 0 {
		return
	}
	change := func(i int) { c.at[i] = uint16(s.random.below(len(c.request.members[i].values))) }
	for _, fact := range g.facts {
		for i := range c.request.members {
			if c.request.members[i].changes(fact) && s.random.below(3) > 0 {
				change(i)
			}
		}
	}
	for range s.random.below(3) {
		change(s.random.below(len(c.at)))
	}
	s.try(c)
}
