package prover

import (
	"slices"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// tests assigns a number to each test of the two policies. A test is the condition of a band, or a cap with its
// condition. The same caps apply in states in which the same tests are true.
type tests struct {
	keys  []string
	bands uint64               // the tests that are conditions of bands
	caps  [maxTests]*capAmount // by test: the amount of a cap; nil for the condition of a band
}

// maxTests is the largest number of different tests that a comparison can have.
const maxTests = 64

// number returns the number of a test.
func (m *model) number(key string) int {
	if at := slices.Index(m.tests.keys, key); at >= 0 {
		return at
	}
	if len(m.tests.keys) == maxTests {
		m.tooLarge = "the policies have more than 64 different conditions of pricing bands and limit caps"
		return 0
	}
	m.tests.keys = append(m.tests.keys, key)
	return len(m.tests.keys) - 1
}

// addTest adds the clause of a test to a policy, unless the policy already has it.
func (s *side) addTest(at int, t *expr) {
	known := slices.ContainsFunc(s.raw, func(r rawClause) bool { return r.kind == testEffect && int(r.term) == at })
	if !known {
		s.raw = append(s.raw, rawClause{kind: testEffect, term: uint8(at), t: t})
	}
}

// bandConditions adds the conditions of a policy's bands.
func (m *model) bandConditions(s *side) {
	s.bandTests = make([]int, len(s.policy.Bands))
	for i := range s.policy.Bands {
		s.bandTests[i] = -1
		when := s.policy.Bands[i].When
		if when == nil || m.stop() {
			continue
		}
		c := s.renamed(when)
		at := m.number("band " + m.textOf(s, &c))
		s.bandTests[i] = at
		m.tests.bands |= 1 << at
		s.addTest(at, m.condition(&c, true))
	}
}

// opening is one of the bands in which a score can fall. The applicant's band is the first opening of the score
// whose test holds.
type opening struct {
	band int
	test int // number of the test; -1 if the band has no condition
}

func (o *opening) bit() uint64 {
	if o.test < 0 {
		return 0
	}
	return 1 << o.test
}

// openingOf returns the index in s.openings of the list of bands that a final score can have.
func (s *side) openingOf(score rule.Number, ntc bool) int {
	list := s.bandsOf(score, ntc)
	at := slices.IndexFunc(s.openings, func(o []opening) bool { return slices.Equal(o, list) })
	if at < 0 {
		at = len(s.openings)
		s.openings = append(s.openings, list)
	}
	return at
}

func (s *side) bandsOf(score rule.Number, ntc bool) (list []opening) {
	conditional := false
	for i := range s.policy.Bands {
		b := &s.policy.Bands[i]
		conditional = conditional || b.NTC == ntc && b.When != nil
	}
	if !conditional {
		if band := s.plan.BandOf(score, ntc); band >= 0 {
			list = append(list, opening{band, -1})
		}
		return list
	}
	whole := score.Floor()
	for i := range s.policy.Bands {
		b := &s.policy.Bands[i]
		if b.NTC != ntc || b.Ranged && (whole < b.MinScore || whole > b.MaxScore) {
			continue
		}
		list = append(list, opening{i, s.bandTests[i]})
		if b.When == nil {
			break // nobody gets a later band
		}
	}
	return list
}

// ladder returns the index of the ladder that applies in a state: 1 for applicants who are new to credit, otherwise 0.
func (x *sideState) ladder() int { return indexOf(x.ntc && !x.rated) }

func (s *side) ladder(x *sideState) *scoreLadder { return &s.ladders[x.ladder()] }

// knowsLadder reports whether the variables up to the given position determine whether the applicant is new to
// credit, and so which ladder applies.
func (a *automaton) knowsLadder(i int, at int32) bool {
	return (a.ntc < 0 || a.model.vars[a.ntc].at <= at) &&
		(a.sides[i].choice != engine.HighestScore || a.model.vars[a.other].at <= at)
}

// settleBand finds the band of a state whose segment is known, if the conditions of the bands are known. It drops
// the tests of bands that no longer matter. It raises the action of the state to the mildest action of the bands
// that are still possible.
func (a *automaton) settleBand(i int, x *sideState) {
	s := a.sides[i]
	open := uint64(0)
	for _, id := range a.ids32 {
		if c := &a.all[id]; c.kind == testEffect {
			open |= 1 << c.term
		}
	}
	matter, least := uint64(0), engine.Decline
	for _, o := range s.openings[s.ladder(x).segments[x.segment].opening] {
		bit := o.bit()
		if bit != 0 && (x.tests|open)&bit == 0 {
			continue // the condition does not hold
		}
		least = min(least, s.policy.Bands[o.band].Action)
		matter |= bit
		if open&bit != 0 {
			continue
		}
		if matter&open == 0 {
			x.band, matter = int32(o.band)+1, 0
		}
		break // nobody gets a later band
	}
	x.action = max(x.action, least) // if no band is possible, the application is declined
	dropped := a.tests.bands &^ matter
	x.tests &^= dropped
	a.ids32 = slices.DeleteFunc(a.ids32, func(id int32) bool {
		c := &a.all[id]
		return c.kind == testEffect && dropped>>c.term&1 != 0
	})
}

// sameSegment reports whether two segments lead to the same band and price if the same tests hold.
func (p policies) sameSegment(x, y segment) bool {
	return slices.EqualFunc(p[0].openings[x.opening], p[1].openings[y.opening], func(l, r opening) bool {
		return l.test == r.test && p.sameBand(l.band, r.band)
	})
}
