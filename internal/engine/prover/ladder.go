package prover

import (
	"slices"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// scoreLadder divides the scores of a policy into segments. The policy treats all scores of a segment alike.
type scoreLadder struct {
	breaks   []rule.Number // the first score of every segment after the first
	segments []segment
}

// segment is a range of scores that have the same bands and for which every condition on the final score has the
// same truth value.
type segment struct {
	opening int // index in the policy's openings: the bands that these scores can have
	cell    int // cell of the final score; 0 if no condition reads it
}

// ladders computes the segments of both policies.
func (m *model) ladders() {
	for _, s := range m.sides {
		for i := range s.ladders {
			s.ladders[i] = m.ladder(s, i == 1)
		}
	}
}

func (m *model) ladder(s *side, ntc bool) (l scoreLadder) {
	card := s.policy.Scorecard
	cuts := []rule.Number{}
	for i := range s.policy.Bands {
		if b := &s.policy.Bands[i]; b.NTC == ntc && b.Ranged {
			cuts = append(cuts, rule.Int(b.MinScore), rule.Int(b.MaxScore+1))
		}
	}
	var score *variable
	for _, v := range m.vars {
		if v.kind == resultVariable && v.name == finalScore {
			score = v
			for _, c := range v.cells {
				for _, x := range c.set {
					cuts = append(cuts, rule.Number(x.Lo), rule.Number(x.Hi+1))
				}
			}
		}
	}
	slices.Sort(cuts)
	at := func(n rule.Number) segment {
		n = min(max(n, card.MinScore), card.MaxScore)
		x := segment{opening: s.openingOf(n, ntc)}
		if score != nil {
			x.cell = score.cellOf(int64(n))
		}
		return x
	}
	l.segments = []segment{at(card.MinScore)}
	for _, cut := range slices.Compact(cuts) {
		if cut <= card.MinScore || cut > card.MaxScore {
			continue
		}
		if next := at(cut); next != l.segments[len(l.segments)-1] {
			l.breaks, l.segments = append(l.breaks, cut), append(l.segments, next)
		}
	}
	return l
}

// find returns the segment of a sum of points. Sums outside the range of the scorecard are clamped, so they are in the
// first or the last segment.
func (l *scoreLadder) find(score rule.Number) int {
	at, found := slices.BinarySearch(l.breaks, score)
	if found {
		at++
	}
	return at
}

// samePrices reports whether the two policies lend on the same terms at every score. If they do, states that are equal
// stay equal.
func (p policies) samePrices(t *tests) bool {
	a, b := p[0].policy, p[1].policy
	if len(a.Bands) != len(b.Bands) {
		return false
	}
	for i := range a.Bands {
		x, y := &a.Bands[i], &b.Bands[i]
		same := x.NTC == y.NTC && x.Ranged == y.Ranged && x.MinScore == y.MinScore && x.MaxScore == y.MaxScore &&
			p[0].bandTests[i] == p[1].bandTests[i]
		if !same || !p.sameBand(i, i) {
			return false
		}
	}
	return a.Scorecard.MinScore == b.Scorecard.MinScore && a.Scorecard.MaxScore == b.Scorecard.MaxScore &&
		p.sameCaps(t)
}

// sameBand reports whether band i of the old policy and band j of the new policy have the same action and prices.
func (p policies) sameBand(i, j int) bool {
	if i < 0 || j < 0 {
		return i < 0 && j < 0
	}
	a, b := p[0].policy, p[1].policy
	x, y := &a.Bands[i], &b.Bands[j]
	if x.Action == engine.Decline || y.Action == engine.Decline {
		return x.Action == y.Action
	}
	return x.Action == y.Action && x.Grade == y.Grade && x.RateBP == y.RateBP && x.TenureMonths == y.TenureMonths &&
		slices.Equal(x.Tenures, y.Tenures) && x.MinLimitPaise == y.MinLimitPaise &&
		x.MaxLimitPaise == y.MaxLimitPaise && x.DefaultLimitPaise == y.DefaultLimitPaise &&
		x.HasIncomeMultiple == y.HasIncomeMultiple && x.IncomeMultiple == y.IncomeMultiple &&
		x.FOIRCap == y.FOIRCap && x.FeePct == y.FeePct && x.FeeMinPaise == y.FeeMinPaise && x.GSTPct == y.GSTPct &&
		p.sameLending()
}

// sameLending reports whether the settings of limits outside of the bands are the same.
func (p policies) sameLending() bool {
	a, b := p[0], p[1]
	return a.policy.LimitStepPaise == b.policy.LimitStepPaise && a.dims == b.dims && exposureOf(a) == exposureOf(b) &&
		sameCharges(a, b)
}

// exposureOf returns the most that one person may owe in paise, or -1 if the policy sets no limit.
func exposureOf(s *side) int64 {
	if s.policy.Exposure == nil {
		return -1
	}
	return s.policy.Exposure.MaxTotalPaise
}

// jointLadder says for which sums of points both policies give the same band.
type jointLadder struct {
	breaks []rule.Number
	differ []int // number of ranges up to and including this one in which the policies differ
}

func (p policies) jointLadder(i int) (j jointLadder) {
	a, b := &p[0].ladders[i], &p[1].ladders[i]
	j.breaks = append(append(j.breaks, a.breaks...), b.breaks...)
	slices.Sort(j.breaks)
	j.breaks = slices.Compact(j.breaks)
	count := 0
	for k := range len(j.breaks) + 1 {
		score := -rule.MaxNumber
		if k > 0 {
			score = j.breaks[k-1]
		}
		x, y := a.segments[a.find(score)], b.segments[b.find(score)]
		if x.cell != y.cell || !p.sameSegment(x, y) {
			count++
		}
		j.differ = append(j.differ, count)
	}
	return j
}

// same reports whether the policies agree on all sums in a range.
func (j *jointLadder) same(from, to rule.Number) bool {
	find := func(n rule.Number) int {
		at, found := slices.BinarySearch(j.breaks, n)
		if found {
			at++
		}
		return at
	}
	before := 0
	if at := find(from); at > 0 {
		before = j.differ[at-1]
	}
	return j.differ[find(to)] == before
}
