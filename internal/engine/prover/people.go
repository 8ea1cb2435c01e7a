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
			return // the engine chooses no score either
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

// chooses reports whether one of the policies makes a choice.
func (m *model) chooses(c engine.PeopleScore) bool {
	return slices.ContainsFunc(m.sides[:], func(s *side) bool { return s.choice == c })
}

// isChosen reports whether the policy that is being read replaces a field by a chosen value. The co-applicant's score
// also decides whether an applicant without a score counts as new to credit, if the highest score counts.
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

// sourcesOf returns the variables that determine a field.
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

// textOf returns the text of a condition that a policy reads. Conditions with the same text have the same meaning in
// both policies.
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

// states returns the formula that is true if a field, as the policy that is being read sees it, is in one of the
// states.
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

// within returns the formula that a score is in a range, or absent if absent is set.
func (m *model) within(v int, lo, hi int64, absent bool) *expr {
	set := m.solver.Sets.Intersection(m.given(v), space.Set{{Lo: lo, Hi: hi}})
	if absent {
		set = m.solver.Sets.Union(space.OnlyAbsent(), set)
	}
	return m.literal(v, set)
}

// chosenScore returns the formula that the score that counts is in one of the states. The lower of two scores is in a
// range if none is below and one is not above; the higher one if none is above and one is not below.
func (m *model) chosenScore(set space.Set) *expr {
	const least, most = int64(-1) << 62, int64(1) << 62
	own, other := m.byKey[field.BureauScore], m.other
	highest := m.reading.choice == engine.HighestScore
	out := either()
	for _, x := range m.solver.Sets.Intersection(set, m.given(own)) {
		inside := either(m.within(own, x.Lo, x.Hi, false), m.within(other, x.Lo, x.Hi, false))
		if highest {
			out.kids = append(out.kids, all(m.within(own, least, x.Hi, true), m.within(other, least, x.Hi, true), inside))
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

// otherIsAbove identifies the predicate that the co-applicant's score is above the applicant's.
const otherIsAbove = "of the scores as they are stated"

// chosenNTC returns the formula that is true if bureau_is_ntc is in one of the states, for a policy that counts the
// highest score. The field becomes false if the co-applicant has a score and the applicant has none or a lower one.
func (m *model) chosenNTC(set space.Set) *expr {
	own, other, ntc := m.byKey[field.BureauScore], m.other, m.ntc
	alone := m.literal(other, space.OnlyAbsent())
	unaltered := m.literal(ntc, set)
	isFalse := set.Contains(space.False)
	if isFalse == set.Contains(space.Absent) {
		// Only whether the field is true matters. An applicant who is new to credit has no score, so any score of
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

// chosenFactor adds the points of a factor whose field is chosen: one clause for the values of each bin.
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

// impossible adds what is known about combinations of facts that no applicant has. A declined application has no
// clauses, so this excludes nothing for it.
func (m *model) impossible(s *side) {
	never := func(t *expr) { s.raw = append(s.raw, rawClause{kind: neverEffect, t: t}) }
	m.ratedWithoutScore(never)
	m.namedWithoutHistory(s, never)
	m.addedIncome(s, never)
	m.orderedScores(never)
}

// orderedScores adds what the cells of two scores say about their order: the predicate that the co-applicant's score is
// above the applicant's is free only if both scores are in the same cell.
func (m *model) orderedScores(never func(*expr)) {
	above, known := m.byKey[predicateKey(otherIsAbove)]
	if !known {
		return
	}
	own, other := m.byKey[field.BureauScore], m.other
	if m.space.Domain(m.vars[own].field).Unit != m.space.Domain(m.vars[other].field).Unit {
		return // cannot happen: it is the same field of two people
	}
	const least, most = int64(-1) << 62, int64(1) << 62
	is := func(state int64) *expr { return m.literal(above, space.Set{{Lo: state, Hi: state}}) }
	given := m.given(own)
	cuts := slices.DeleteFunc(m.thresholds(own, other), func(cut int64) bool {
		return cut <= given[0].Lo || cut > given[len(given)-1].Hi
	})
	if len(cuts) > maxOrderedCuts {
		return
	}
	for _, cut := range cuts {
		never(all(is(freeTrue), m.within(own, cut, most, false), m.within(other, least, cut-1, false)))
		never(all(is(freeFalse), m.within(own, least, cut-1, false), m.within(other, cut, most, false)))
	}
}

// maxOrderedCuts is the largest number of thresholds at which the order of two variables is known. More would only
// divide the variables into many cells.
const maxOrderedCuts = 50

// thresholds returns the values that separate the sets that conditions test on some variables, in ascending order.
func (m *model) thresholds(vars ...int) (cuts []int64) {
	for _, v := range vars {
		for _, set := range m.vars[v].sets {
			for _, x := range set {
				cuts = append(cuts, x.Lo, x.Hi+1)
			}
		}
	}
	slices.Sort(cuts)
	return slices.Compact(cuts)
}

// ratedWithoutScore excludes applicants whose bureau_is_ntc is false and who have no score: only a score makes the
// field false.
func (m *model) ratedWithoutScore(never func(*expr)) {
	score, known := m.byKey[field.BureauScore]
	if m.ntc < 0 || !known || !slices.ContainsFunc(m.vars[m.ntc].sets, func(set space.Set) bool {
		return set.Contains(space.False) != set.Contains(space.Absent)
	}) {
		return // nobody asks whether the fact is false or absent
	}
	isFalse := space.Set{{Lo: space.False, Hi: space.False}}
	never(all(m.literal(m.ntc, isFalse), m.literal(score, space.OnlyAbsent())))
}

// namedWithoutHistory excludes applicants who have a reference, but not the facts about the lender's own decisions
// and loans that every applicant with a reference has.
func (m *model) namedWithoutHistory(s *side, never func(*expr)) {
	reference, known := m.byKey[field.OwnReference]
	if !known || !s.plan.UsesOwn() {
		return
	}
	for _, name := range field.OwnOfNamed() {
		if v, read := m.byKey[name]; read {
			never(all(m.literal(reference, space.OnlyTrue()), m.literal(v, space.OnlyAbsent())))
		}
	}
}

// addedIncome adds what is known about the derived income of a policy that adds up incomes: it has a value if and only
// if the applicant's own income has one, and is not below it.
func (m *model) addedIncome(s *side, never func(*expr)) {
	sources := s.policy.CountedSources()
	if !sources.AllPeople || len(sources.Income.Of) != 1 {
		return
	}
	derived, known := m.byKey[s.ref(rule.Ref{Name: field.IncomeEffective}).Name]
	own, stated := m.byKey[sources.Income.Of[0]]
	if !known || !stated {
		return
	}
	never(all(m.literal(own, space.OnlyAbsent()), m.literal(derived, m.given(derived))))
	nonnegative := m.solver.Compared(m.space.Domain(m.vars[own].field), rule.Gte, rule.Num(0))
	never(all(m.literal(own, nonnegative), m.literal(derived, space.OnlyAbsent())))
	cuts := m.thresholds(own)
	coarse, fine := int64(m.space.Domain(m.vars[own].field).Unit), int64(m.space.Domain(m.vars[derived].field).Unit)
	if coarse%fine != 0 || len(cuts) > maxOrderedCuts {
		return
	}
	for _, cut := range cuts {
		if cut > 0 && cut <= int64(rule.MaxNumber)/coarse {
			below := cut*(coarse/fine) - 1
			never(all(m.within(own, cut, int64(rule.MaxNumber), false), m.within(derived, 0, below, false)))
		}
	}
}
