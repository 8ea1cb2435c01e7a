package advice

import (
	"slices"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// maxTrials bounds how often the engine is asked about pairs. A search that
// runs out of it returns nothing rather than something that may not be the
// smallest.
const maxTrials = 40_000

// search is one application whose fields are moved about.
type search struct {
	plan    *engine.Plan
	facts   *rule.Facts // a copy that is changed and put back
	levers  []lever
	trial   engine.Decision
	trials  int
	reached [goals]bool // by a single change
}

func newSearch(plan *engine.Plan, facts *rule.Facts, d *engine.Decision, o Options) *search {
	s := &search{plan: plan, facts: copied(facts)}
	var names []string
	for _, name := range plan.Policy().Actionable {
		if name = canonical(name); plan.Derives() && obliges(name) {
			name = field.FOIREffective
		}
		if advisable(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if l, ok := newLever(plan, s.facts, d, name, o, names); ok {
			s.levers = append(s.levers, l)
		}
	}
	return s
}

// hopeless reports whether a rule hit that reads nothing that can move, and
// that alone keeps the outcome where it is. It spares the search for most
// applications that are past helping.
func (s *search) hopeless(d *engine.Decision) bool {
	if d.Status == engine.Approved {
		return false
	}
	worst := engine.ResultFail
	if d.Status == engine.Referred {
		worst = engine.ResultRefer
	}
	p := s.plan.Policy()
	for _, r := range d.Rules() {
		if r.Result != worst {
			continue
		}
		at := slices.IndexFunc(p.Knockouts, func(k engine.Knockout) bool { return k.ID == r.ID })
		if at >= 0 && !s.movable(&p.Knockouts[at].Condition) {
			return true
		}
	}
	return false
}

// movable reports whether a condition reads something that can move: a lever,
// or what the engine works out from them.
func (s *search) movable(c *rule.Condition) bool {
	moves := false
	c.Fields(func(ref rule.Ref) {
		switch {
		case ref.ID >= 0 && field.Catalogue().Field(ref.ID).Supply == rule.FromEngine:
			moves = true
		case slices.ContainsFunc(s.levers, func(l lever) bool { return l.moves(canonical(ref.Name)) }):
			moves = true
		default:
		}
	})
	return moves
}

// moves reports whether moving the lever may move a field.
func (l *lever) moves(name string) bool { return l.name == name || l.owed != nil && obliges(name) }

// set moves a lever, and put puts it back. The path under which a request sent
// the field moves with it.
func (s *search) set(l *lever, x rule.Number) {
	if l.owed != nil {
		s.put(l)
		lower(s.facts, l.owed, x)
		return
	}
	s.facts.Set(l.name, rule.Num(x))
	for _, t := range l.others {
		s.facts.Set(t.name, rule.Num(x*t.times))
	}
}

func (s *search) put(l *lever) {
	if l.owed == nil {
		s.facts.Set(l.name, l.from)
	}
	for _, t := range l.others {
		s.facts.Set(t.name, t.was)
	}
}

// decide decides with the levers as they stand. A tenure that the band does
// not allow is none: the engine would take another.
func (s *search) decide(levers ...*lever) bool {
	s.trials++
	s.plan.Decide(s.facts, &s.trial)
	for _, l := range levers {
		if l.tenure && s.trial.Offer.Made && s.trial.Offer.TenureNotAvailable {
			return false
		}
	}
	return true
}

// single finds the smallest change of each lever for each goal.
func (s *search) single(wanted []goal) []Improvement {
	var found []Improvement
	for i := range s.levers {
		l := &s.levers[i]
		var met [goals]bool
		for _, x := range l.points {
			if !slices.ContainsFunc(wanted, func(g goal) bool { return !met[g] && applies(g, l) }) {
				break
			}
			s.set(l, x)
			if !s.decide(l) {
				continue
			}
			news := false
			for _, g := range wanted {
				if !met[g] && applies(g, l) && g.met(&s.trial) {
					met[g], s.reached[g], news = true, true, true
				}
			}
			if news {
				found = append(found, s.improvement(slices.Contains(wanted, toFull), change{l, x}))
			}
		}
		s.put(l)
	}
	return found
}

// applies reports whether a lever serves a goal: whoever asks for less is
// offered all of it, and has won nothing.
func applies(g goal, l *lever) bool { return g != toFull || l.name != field.RequestedAmount }

// pairs finds the smallest change of each pair of levers for one goal.
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

// pair finds the smallest change of two levers together: the smallest sum of
// proportions, and of equals the one that changes the first lever less.
func (s *search) pair(g goal, a, b *lever) (best Improvement, ok bool) {
	defer s.put(a)
	defer s.put(b)
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
			if s.trials > maxTrials {
				return Improvement{}, false
			}
			s.set(b, y)
			if s.decide(a, b) && g.met(&s.trial) {
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

// improvement describes what the last trial decided.
func (s *search) improvement(full bool, changes ...change) Improvement {
	o := &s.trial.Offer
	out := Improvement{
		Status: s.trial.Status, Full: full, Grade: s.trial.Grade, Offered: o.Made, BandID: o.BandID, LimitPaise: o.LimitPaise,
		RateBP: o.RateBP, TenureMonths: o.TenureMonths, InstalmentPaise: o.InstalmentPaise,
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
