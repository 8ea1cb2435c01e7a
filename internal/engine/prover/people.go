package prover

import (
	"slices"

	"verdict/internal/engine"
	"verdict/internal/engine/space"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// choices finds out whose bureau score counts in each policy.
func (m *model) choices() {
	var refs [3]rule.Ref
	for i, name := range []string{
		field.OfRole(field.CoApplicant, field.BureauScore), field.BureauScore, field.BureauIsNTC,
	} {
		id, ok := m.catalogue.Lookup(name)
		if !ok {
			return // without these fields, the engine does not choose a score either
		}
		refs[i] = rule.Ref{Name: name, ID: id, Type: m.catalogue.Field(id).Type}
	}
	for _, s := range m.sides {
		if s.policy.People == nil {
			continue
		}
		s.choice = s.policy.People.Score
		m.other = m.variable(refs[0])
		for _, v := range []int{m.other, m.variable(refs[1])} {
			m.test(v, space.OnlyAbsent())
		}
	}
}

// chooses reports whether one of the policies makes the given choice.
func (p policies) chooses(c engine.PeopleScore) bool {
	return slices.ContainsFunc(p[:], func(s *side) bool { return s.choice == c })
}

// isChosen reports whether the policy that is being read replaces a field with a chosen value. If the highest score
// counts, the co-applicant's score also decides whether an applicant without a score counts as new to credit.
func (m *model) isChosen(ref rule.Ref) bool {
	if m.reading == nil {
		return false
	}
	switch m.reading.choice {
	case engine.LowestScore:
		return ref.Name == field.BureauScore
	case engine.HighestScore:
		return ref.Name == field.BureauScore || ref.Name == field.BureauIsNTC
	default:
		return false
	}
}

// sourcesOf returns the variables that determine the value of a field.
func (m *model) sourcesOf(ref rule.Ref) []int {
	out := []int{m.variable(ref)}
	if m.isChosen(ref) {
		out = append(out, m.other)
		if ref.Name == field.BureauIsNTC {
			out = append(out, m.byKey[field.BureauScore])
		}
	}
	return out
}

// textOf returns a text of a condition in a policy. Conditions with the same text have the same meaning in both
// policies.
func (m *model) textOf(s *side, c *rule.Condition) string {
	text := c.Text()
	if s == nil {
		return text
	}
	c.Fields(func(ref rule.Ref) {
		if ref.Name == field.BureauScore || ref.Name == field.BureauIsNTC {
			text += " (" + s.choice.String() + ")"
		}
	})
	return text
}

// states returns the formula that is true if a field has one of the states. If the policy that is being read
// replaces the field with a chosen value (see isChosen), the formula is about the chosen value.
func (m *model) states(ref rule.Ref, set space.Set) *expr {
	switch {
	case !m.isChosen(ref):
		return m.literal(m.variable(ref), set)
	case ref.Name == field.BureauIsNTC:
		return m.chosenNTC(set)
	default:
		return m.chosenScore(set)
	}
}

// either and all return the disjunction and the conjunction of formulas.
func either(kids ...*expr) *expr { return &expr{kind: orNode, kids: kids} }
func all(kids ...*expr) *expr    { return &expr{kind: andNode, kids: kids} }

// within returns the formula that is true if a score is in a range, or if absent is set and the score is absent.
func (m *model) within(v int, lo, hi int64, absent bool) *expr {
	set := m.solver.Sets.Intersection(m.given(v), space.Set{{Lo: lo, Hi: hi}})
	if absent {
		set = m.solver.Sets.Union(space.OnlyAbsent(), set)
	}
	return m.literal(v, set)
}

// chosenScore returns the formula that is true if the score that counts has one of the states. The lower of two
// scores is in a range if neither score is below the range and at least one score is not above the range. The higher
// of two scores is in a range if neither score is above the range and at least one score is not below the range.
func (m *model) chosenScore(set space.Set) *expr {
	const least, most = int64(-1) << 62, int64(1) << 62
	own, other := m.byKey[field.BureauScore], m.other
	highest := m.reading.choice == engine.HighestScore
	out := either()
	for _, x := range m.solver.Sets.Intersection(set, m.given(own)) {
		inside := either(m.within(own, x.Lo, x.Hi, false), m.within(other, x.Lo, x.Hi, false))
		if highest {
			out.kids = append(out.kids,
				all(m.within(own, least, x.Hi, true), m.within(other, least, x.Hi, true), inside))
			continue
		}
		inside.kids[1] = m.within(other, least, x.Hi, false)
		out.kids = append(out.kids, all(m.within(own, x.Lo, most, false), m.within(other, x.Lo, most, true), inside))
	}
	if set.Contains(space.Absent) {
		none := all(m.literal(own, space.OnlyAbsent()))
		if highest {
			none.kids = append(none.kids, m.literal(other, space.OnlyAbsent()))
		}
		out.kids = append(out.kids, none)
	}
	return out
}

// otherIsAbove identifies the predicate that is true if the co-applicant's score is above the applicant's.
const otherIsAbove = "of the scores as they are stated"

// chosenNTC returns the formula that is true if bureau_is_ntc has one of the states, for a policy that counts the
// highest score. The field becomes false if the co-applicant has a score and the applicant has none or a lower one.
func (m *model) chosenNTC(set space.Set) *expr {
	own, other, ntc := m.byKey[field.BureauScore], m.other, m.ntc
	alone := m.literal(other, space.OnlyAbsent())
	unaltered := m.literal(ntc, set)
	isFalse := set.Contains(space.False)
	if isFalse == set.Contains(space.Absent) {
		// It only matters whether the field is true. An applicant who is new to credit has no score, so any score of
		// the co-applicant counts.
		if isFalse {
			return either(unaltered, m.literal(other, m.given(other)))
		}
		return all(unaltered, alone)
	}
	above := rule.Condition{
		Op:    rule.Gt,
		Left:  rule.Operand{Kind: rule.FieldOperand, Field: m.space.Domain(m.vars[other].field).Ref},
		Right: rule.Operand{Kind: rule.FieldOperand, Field: m.space.Domain(m.vars[own].field).Ref},
	}
	both := func(positive bool) *expr {
		return all(m.literal(own, m.given(own)), m.literal(other, m.given(other)),
			m.predicate(otherIsAbove, &above, positive, own, other))
	}
	out := either(all(unaltered, either(alone, both(false))))
	if isFalse {
		unrated := all(m.literal(own, space.OnlyAbsent()), m.literal(other, m.given(other)))
		out.kids = append(out.kids, unrated, both(true))
	}
	return out
}

// chosenFactor adds the points of a factor whose field is chosen. It adds one clause for each bin.
func (m *model) chosenFactor(s *side, f *engine.Factor, ref rule.Ref, when *expr) {
	v := m.vars[m.variable(ref)]
	bins := m.binning(f, v)
	left := v.all
	add := func(set space.Set, points rule.Number) {
		if points != 0 && len(set) > 0 {
			s.raw = append(s.raw, rawClause{kind: scoreEffect, delta: points, t: all(when, m.states(ref, set))})
		}
	}
	for i, set := range bins.sets {
		add(m.solver.Sets.Intersection(left, set), bins.of[i])
		left = m.solver.Sets.Difference(left, set)
	}
	add(left, bins.missing)
}
