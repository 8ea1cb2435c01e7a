package advice

import (
	"slices"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// maxTrials is the number of trials after which a search returns no more pairs.
// A pair whose search was cut short might not be the smallest.
const maxTrials = 40_000

// search tries changes to the fields of one application.
type search struct {
	meter

	plan    *engine.Plan
	facts   *rule.Facts // a copy that each trial changes and restores
	levers  []lever
	trials  int
	reached [goals]bool // goals that a single change reaches

	// plain makes every trial a full decision. Tests compare the optimized
	// search with the plain one.
	plain bool
	trial engine.Decision
	// last is the status of the last trial or of its probe. culprit is the
	// knockout that caused that status.
	last    engine.Status
	culprit int32
}

func beginSearch(plan *engine.Plan, facts *rule.Facts, d *engine.Decision, check func() error) *search {
	s := &search{
		plan:    plan,
		facts:   copied(facts),
		last:    d.Status,
		culprit: d.Worst(),
		meter:   meter{check: check},
	}
	s.spend(plan.Predicates().Nodes())
	return s
}

func newSearch(plan *engine.Plan, facts *rule.Facts, d *engine.Decision, o Options) *search {
	s := beginSearch(plan, facts, d, o.Check)
	var names []string
	for _, name := range plan.Policy().Actionable {
		if name = canonical(name); plan.Derives() && isObligation(name) {
			name = field.FOIREffective
		}
		if advisable(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if l, ok := s.newLever(d, name, o, names); ok {
			s.levers = append(s.levers, l)
		}
	}
	return s
}

// hopeless reports whether one of the rules that determined the outcome reads no
// field that can change. If so, no change can improve the outcome, and the
// search is skipped.
func (s *search) hopeless(d *engine.Decision) bool {
	if d.Status == engine.Approved {
		return false
	}
	worst := engine.ResultFail
	if d.Status == engine.Referred {
		worst = engine.ResultRefer
	}
	p, moves := s.plan.Policy(), map[string]bool{}
	for _, hit := range d.Hits() {
		if hit.Result == worst && !s.movable(&p.Knockouts[hit.Knockout].Condition, moves) {
			return true
		}
	}
	return false
}

// movable reports whether a condition reads a field that can change: a lever, or
// a field that the engine derives. known caches the result for each field.
func (s *search) movable(c *rule.Condition, known map[string]bool) bool {
	movable := false
	c.Fields(func(ref rule.Ref) {
		s.spend(1)
		moves, ok := known[ref.Name]
		if !ok {
			fromEngine := ref.ID >= 0 && field.Catalogue().Field(ref.ID).Supply == rule.FromEngine
			name := canonical(ref.Name)
			moves = fromEngine || slices.ContainsFunc(s.levers, func(l lever) bool { return l.moves(name) })
			known[ref.Name] = moves
		}
		movable = movable || moves
	})
	return movable
}

// moves reports whether a change of the lever may change the named field.
func (l *lever) moves(name string) bool { return l.name == name || l.owed != nil && isObligation(name) }

// set sets a lever to x, under the canonical name of the field and under the
// paths that the request used for it.
func (s *search) set(l *lever, x rule.Number) {
	if l.owed != nil {
		s.restore(l)
		lower(s.facts, l.owed, x)
		return
	}
	s.facts.Set(l.name, rule.Num(x))
	for _, t := range l.others {
		s.facts.Set(t.name, rule.Num(x*t.times))
	}
}

// restore sets a lever back to the value that the request sent.
func (s *search) restore(l *lever) {
	if l.owed == nil {
		s.facts.Set(l.name, l.from)
	}
	for _, t := range l.others {
		s.facts.Set(t.name, t.was)
	}
}

// try decides the application with the current facts. It returns false if the search must end or the status is
// worse than worst; a plain search accepts every status. Neighbouring values are mostly declined by the same
// rule, so try first probes the rule that declined the last trial.
func (s *search) try(worst engine.Status) bool {
	s.trials++
	if s.last > worst && !s.plain {
		if !s.spend(s.plan.ProbeCost()) {
			return false
		}
		if s.last = s.plan.Probe(s.facts, &s.trial, s.culprit); s.last > worst {
			return false
		}
	}
	if !s.spend(s.plan.Cost()) {
		return false
	}
	s.plan.Decide(s.facts, &s.trial)
	s.last, s.culprit = s.trial.Status, s.trial.Worst()
	return s.last <= worst || s.plain
}

// decide tries the current values of the levers. It returns false if try does, or if a
// lever sets a tenure that the band does not allow, because the engine would
// replace that tenure.
func (s *search) decide(worst engine.Status, levers ...*lever) bool {
	if !s.try(worst) {
		return false
	}
	for _, l := range levers {
		if l.tenure && s.trial.Offer.Made && s.trial.Offer.TenureNotAvailable {
			return false
		}
	}
	return true
}

// single returns, for each lever and each goal, the smallest change that reaches
// the goal.
func (s *search) single(wanted []goal) []Improvement {
	var found []Improvement
	for i := range s.levers {
		l := &s.levers[i]
		var met [goals]bool
		for _, x := range l.points {
			open := slices.DeleteFunc(slices.Clone(wanted), func(g goal) bool { return met[g] || !applies(g, l) })
			if len(open) == 0 || s.over() {
				break
			}
			s.set(l, x)
			if !s.decide(worstOf(open), l) {
				continue
			}
			news := false
			for _, g := range open {
				if g.met(&s.trial) {
					met[g], s.reached[g], news = true, true, true
				}
			}
			if news {
				found = append(found, s.improvement(slices.Contains(wanted, toFull), change{l, x}))
			}
		}
		s.restore(l)
	}
	return found
}

// applies reports whether a change of the lever is useful for the goal. A change
// of the requested amount is not useful for toFull: an applicant who requests
// less gains nothing from being offered all of it.
func applies(g goal, l *lever) bool { return g != toFull || l.name != field.RequestedAmount }

// pairs returns, for each pair of levers, the smallest change that reaches the
// goal.
func (s *search) pairs(g goal) []Improvement {
	var found []Improvement
	for i := range s.levers {
		for k := i + 1; k < len(s.levers); k++ {
			a, b := &s.levers[i], &s.levers[k]
			if !applies(g, a) || !applies(g, b) {
				continue
			}
			if best, ok := s.pair(g, a, b); ok {
				found = append(found, best)
			}
		}
	}
	return found
}

// pair finds the smallest change of two levers together that reaches a goal. It is the pair with the smallest sum of
// costs; of pairs with the same sum, it is the pair that changes lever a less. ok is false if there is none or if
// maxTrials is reached.
func (s *search) pair(g goal, a, b *lever) (best Improvement, ok bool) {
	defer s.restore(a)
	defer s.restore(b)
	least := int64(-1)
	for _, x := range a.points {
		costA := a.cost(x)
		if least >= 0 && costA >= least {
			break
		}
		s.set(a, x)
		for _, y := range b.points {
			cost := costA + b.cost(y)
			if least >= 0 && cost >= least {
				break
			}
			if s.trials > maxTrials || s.over() {
				return Improvement{}, false
			}
			s.set(b, y)
			if s.decide(g.worst(), a, b) && g.met(&s.trial) {
				best, least, ok = s.improvement(g == toFull, change{a, x}, change{b, y}), cost, true
				break
			}
		}
	}
	return best, ok
}

type change struct {
	lever *lever
	to    rule.Number
}

// improvement returns the changes together with the decision of the last trial.
func (s *search) improvement(full bool, changes ...change) Improvement {
	o := &s.trial.Offer
	out := Improvement{
		Status:          s.trial.Status,
		Full:            full,
		Grade:           s.trial.Grade,
		Offered:         o.Made,
		BandID:          o.BandID,
		LimitPaise:      o.LimitPaise,
		RateBP:          o.RateBP,
		TenureMonths:    o.TenureMonths,
		InstalmentPaise: o.InstalmentPaise,
	}
	for _, c := range changes {
		l := c.lever
		out.cost += l.cost(c.to)
		made := Change{Field: l.name, From: l.from, To: rule.Num(c.to), Waiting: l.waiting}
		if l.owed != nil {
			if amount, known := l.owed.PayOff(c.to); known {
				made.PayOff = rule.Num(amount)
			}
		}
		out.Changes = append(out.Changes, made)
	}
	return out
}
