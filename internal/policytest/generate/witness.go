package generate

import (
	"slices"

	"verdict/internal/engine"
	"verdict/internal/engine/analysis"
	"verdict/internal/engine/space"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// witnesses adds an example of every box of engine/space in which a condition holds, and of every box in which it
// does not hold.
func (s *search) witnesses() {
	p := s.coverage.subject.Policy
	solver := space.NewSolver()
	solver.Space.Reset(field.Catalogue(), analysis.ParamsOf(p))
	solver.Reset(space.NewBudget(solverSteps, nil))
	for _, c := range s.coverage.conditions {
		solver.Space.Reads(c.root, nil, 0) // registers the fields of all conditions first
	}
	for _, c := range s.coverage.conditions {
		for _, positive := range []bool{true, false} {
			region, ok := solver.Region(c.root, positive, space.Over)
			if !ok {
				continue
			}
			possible := solver.Possible(region)
			for _, box := range possible {
				s.witness(solver, box)
			}
			if len(possible) == 0 {
				s.exclude(c, positive)
			}
		}
	}
}

// exclude notes that a condition never holds, or that it always holds if its fields
// are given. Then none of its predicates can change its result.
func (s *search) exclude(c *condition, positive bool) {
	if positive {
		s.empty[s.coverage.goals[c.goals.holds].text] = true
		if c.goals.alone >= 0 {
			s.empty[s.coverage.goals[c.goals.alone].text] = true
		}
	} else {
		s.empty[s.coverage.goals[c.goals.fails].text] = true
	}
}

// witness changes a copy of every base to have the facts of an example of the box, and adds the copies that are
// not refused to the seeds.
func (s *search) witness(solver *space.Solver, box space.Box) {
	facts, ok := solver.Facts(box)
	if !ok {
		return
	}
	for _, base := range s.bases {
		c := base.clone()
		fits := true
		for _, k := range box {
			name := solver.Space.Domain(k.Field).Ref.Name
			if len(k.Allow) > 0 && k.Allow.Contains(space.Absent) && len(k.Allow) == 1 {
				fits = c.put(name, rule.Value{}) && fits
			}
		}
		for _, f := range facts {
			fits = c.put(f.Name, f.Value) && fits
		}
		if !fits {
			continue
		}
		if _, ok := s.try(c); ok {
			s.seeds = append(s.seeds, c)
		}
	}
}

// put sets the member of a fact. It returns false if no member gives the fact this
// value.
func (c candidate) put(fact string, v rule.Value) bool {
	at := c.request.memberOf(fact)
	if at < 0 {
		return v.Type() == rule.Absent // it is absent already
	}
	k := c.request.members[at].index(fact, v)
	if k < 0 {
		return c.at[at] > 0 && c.request.members[at].values[c.at[at]].Number() >= rule.Int(300)
	}
	c.at[at] = uint16(k)
	return true
}

// unreachable returns why a goal cannot be reached by a request, or "" if nothing
// is known that prevents it.
func (s *search) unreachable(g *goal) string {
	if g.never != "" {
		return g.never
	}
	if g.about != nil {
		for _, l := range g.about.leaves {
			if l.node.IsLookup() {
				return "lists are not known here"
			}
		}
	}
	for _, fact := range g.facts {
		known := false
		for _, r := range s.requests {
			known = known || slices.ContainsFunc(r.members, func(m member) bool { return m.changes(fact) })
		}
		if !known && g.about != nil {
			if reason := sourceOf(s.coverage.subject.Policy, fact); reason != "" {
				return fact + ": " + reason
			}
		}
	}
	return ""
}

// sourceOf returns the source of a fact that no single member of a request gives. It returns "" for facts that the
// engine computes from others.
func sourceOf(p *engine.Policy, fact string) string {
	d, ok := domainOf(p, fact)
	switch {
	case !ok:
		return "tables are not known here"
	case d.group == "affordability" || d.group == "offer":
		return ""
	case d.group == "fraud" || d.group == "own":
		return "the service counts it from earlier applications"
	case field.IsFeature(fact):
		return "it is computed from the accounts and transactions of a report"
	default:
		return "no single member of a request sets it"
	}
}
