package prover

import (
	"slices"

	"verdict/internal/engine/space"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// exclusions adds clauses to a policy for combinations of facts that no applicant has. These clauses exclude nothing
// once an application is declined, because a declined application has no clauses left.
type exclusions struct {
	*model

	side *side
}

// add adds all clauses.
func (x exclusions) add() {
	x.ratedWithoutScore()
	x.namedWithoutHistory()
	x.addedIncome()
	x.orderedScores()
}

// never, given a formula, adds a clause which says that no applicant satisfies the formula.
func (x exclusions) never(t *expr) {
	x.side.raw = append(x.side.raw, rawClause{kind: neverEffect, t: t})
}

// orderedScores excludes cells of the two scores that contradict the predicate otherIsAbove. The predicate can have
// both values only if both scores are in the same cell.
func (x exclusions) orderedScores() {
	above, known := x.byKey[predicateKey(otherIsAbove)]
	if !known {
		return
	}
	own, other := x.byKey[field.BureauScore], x.other
	if x.space.Domain(x.vars[own].field).Unit != x.space.Domain(x.vars[other].field).Unit {
		return // cannot happen: both are bureau scores, of two people
	}
	const least, most = int64(-1) << 62, int64(1) << 62
	is := func(state int64) *expr { return x.literal(above, space.Set{{Lo: state, Hi: state}}) }
	given := x.given(own)
	cuts := slices.DeleteFunc(x.thresholds(own, other), func(cut int64) bool {
		return cut <= given[0].Lo || cut > given[len(given)-1].Hi
	})
	if len(cuts) > maxOrderedCuts {
		return
	}
	for _, cut := range cuts {
		x.never(all(is(freeTrue), x.within(own, cut, most, false), x.within(other, least, cut-1, false)))
		x.never(all(is(freeFalse), x.within(own, least, cut-1, false), x.within(other, cut, most, false)))
	}
}

// maxOrderedCuts is the largest number of thresholds for which the order of two variables is stated. Every threshold
// divides the variables into more cells.
const maxOrderedCuts = 50

// thresholds returns the bounds of the sets that conditions test on the variables, in ascending order.
func (x exclusions) thresholds(vars ...int) (cuts []int64) {
	for _, v := range vars {
		for _, set := range x.vars[v].sets {
			for _, r := range set {
				cuts = append(cuts, r.Lo, r.Hi+1)
			}
		}
	}
	slices.Sort(cuts)
	return slices.Compact(cuts)
}

// ratedWithoutScore excludes applicants whose bureau_is_ntc is false and who have no score, because only a score makes
// the field false.
func (x exclusions) ratedWithoutScore() {
	score, known := x.byKey[field.BureauScore]
	if x.ntc < 0 || !known || !slices.ContainsFunc(x.vars[x.ntc].sets, func(set space.Set) bool {
		return set.Contains(space.False) != set.Contains(space.Absent)
	}) {
		return // no condition distinguishes false from absent
	}
	isFalse := space.Set{{Lo: space.False, Hi: space.False}}
	x.never(all(x.literal(x.ntc, isFalse), x.literal(score, space.OnlyAbsent())))
}

// namedWithoutHistory excludes applicants who have a reference but lack one of the facts about the lender's own
// decisions and loans that every applicant with a reference has.
func (x exclusions) namedWithoutHistory() {
	reference, known := x.byKey[field.OwnReference]
	if !known || !x.side.plan.UsesOwn() {
		return
	}
	for _, name := range field.OwnOfNamed() {
		if v, read := x.byKey[name]; read {
			x.never(all(x.literal(reference, space.OnlyTrue()), x.literal(v, space.OnlyAbsent())))
		}
	}
}

// addedIncome excludes impossible values of the derived income of a policy that adds up the incomes of all people. The
// derived income has a value exactly if the applicant's own income has one, and it is not below that income.
func (x exclusions) addedIncome() {
	sources := x.side.policy.CountedSources()
	if !sources.AllPeople || len(sources.Income.Of) != 1 {
		return
	}
	derived, known := x.byKey[x.side.ref(rule.Ref{Name: field.IncomeEffective}).Name]
	own, stated := x.byKey[sources.Income.Of[0]]
	if !known || !stated {
		return
	}
	x.never(all(x.literal(own, space.OnlyAbsent()), x.literal(derived, x.given(derived))))
	nonnegative := x.solver.Compared(x.space.Domain(x.vars[own].field), rule.Gte, rule.Num(0))
	x.never(all(x.literal(own, nonnegative), x.literal(derived, space.OnlyAbsent())))
	cuts := x.thresholds(own)
	coarse, fine := int64(x.space.Domain(x.vars[own].field).Unit), int64(x.space.Domain(x.vars[derived].field).Unit)
	if coarse%fine != 0 || len(cuts) > maxOrderedCuts {
		return
	}
	for _, cut := range cuts {
		if cut > 0 && cut <= int64(rule.MaxNumber)/coarse {
			below := cut*(coarse/fine) - 1
			x.never(all(x.within(own, cut, int64(rule.MaxNumber), false), x.within(derived, 0, below, false)))
		}
	}
}
