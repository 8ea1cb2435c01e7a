package analysis

import (
	"fmt"
	"slices"
	"strconv"

	"verdict/internal/engine/space"
	"verdict/internal/fault"
	"verdict/internal/rule"
)

// theArg is the step of a path from a "not" to its argument. Any other step is
// the index of an argument of an "and" or an "or".
const theArg = -1

// branches reports the alternatives within cond that can never hold although
// the whole condition can. context is the region of the predicates that are
// joined with cond by "and". a.path is the path from the clause's condition to
// cond.
func (a *conditionCheck) branches(c *clause, cond *rule.Condition, positive bool, context space.Region) {
	switch {
	case cond.Op == rule.Not:
		a.descend(theArg, func() { a.branches(c, &cond.Args[0], !positive, context) })
	case !compound(cond):
	case (cond.Op == rule.And) != positive: // an "or", or a negated "and"
		for i := range cond.Args {
			a.descend(i, func() { a.branch(c, &cond.Args[i], positive, context) })
		}
	default:
		if !slices.ContainsFunc(cond.Args, func(arg rule.Condition) bool { return compound(&arg) }) {
			return
		}
		context, ok := a.joined(cond.Args, positive, context)
		if !ok {
			a.noteTooLarge(c)
			return
		}
		for i := range cond.Args {
			if compound(&cond.Args[i]) {
				a.descend(i, func() { a.branches(c, &cond.Args[i], positive, context) })
			}
		}
	}
}

func compound(c *rule.Condition) bool { return len(c.Args) > 0 }

// joined intersects a context with the regions of the predicates among the
// arguments of an "and". ok is false if a limit is reached.
func (a *conditionCheck) joined(args []rule.Condition, positive bool, context space.Region) (_ space.Region, ok bool) {
	for i := range args {
		if compound(&args[i]) {
			continue
		}
		r, ok := a.solver.Region(&args[i], positive, space.Over)
		if ok {
			context, ok = a.solver.Intersection(context, r)
		}
		if !ok {
			return nil, false
		}
	}
	return context, true
}

// branch reports an alternative that cannot hold. If the alternative can hold, branch checks the alternatives within
// it.
func (a *conditionCheck) branch(c *clause, arg *rule.Condition, positive bool, context space.Region) {
	r, ok := a.solver.Region(arg, positive, space.Over)
	if ok {
		r, ok = a.solver.Intersection(context, r)
	}
	if !ok {
		a.noteTooLarge(c)
		return
	}
	switch r = a.solver.Possible(r); {
	case len(r) == 0:
		negation := ""
		if !positive {
			negation = "the negation of "
		}
		a.report(SeverityWarning, fault.CodeContradictoryCondition, a.here(c),
			fmt.Sprintf("A branch of %s can never hold: no applicant satisfies %s%s there.", c.label(), negation,
				excerpt(arg)), nil)
	case !a.solver.Supplied(r):
		a.report(SeverityError, fault.CodeUnsuppliedFields, a.here(c),
			fmt.Sprintf("A branch of %s can never hold: it needs %s.", c.label(), a.conflict(r[0])), nil)
	default:
		a.branches(c, arg, positive, context)
	}
}

// descend adds a step to a.path, calls visit, and removes the step again.
func (a *conditionCheck) descend(step int, visit func()) {
	a.path = append(a.path, step)
	visit()
	a.path = a.path[:len(a.path)-1]
}

// here returns the location within a clause at which a.path ends.
func (a *conditionCheck) here(c *clause) location {
	at := c.at
	if at.section != atFactor {
		at.rest += "/condition_ast"
	}
	for _, step := range a.path {
		if step == theArg {
			at.rest += "/arg"
		} else {
			at.rest += "/args/" + strconv.Itoa(step)
		}
	}
	return at
}
