package analysis

import (
	"fmt"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/engine/space"
	"verdict/internal/fault"
	"verdict/internal/rule"
)

// redundancyCheck reports the rules that another rule makes superfluous. It
// compares rules with each other, so it is the most expensive check.
type redundancyCheck struct {
	*analysis
	comparisons int
}

func (a *redundancyCheck) run() {
	a.pairs(a.knockouts, a.superfluous, func(c, by *clause, mutual bool) {
		k, other := &a.policy.Knockouts[c.at.index], &a.policy.Knockouts[by.at.index]
		if mutual {
			a.report(SeverityWarning, fault.CodeDuplicateCondition, c.at,
				fmt.Sprintf("%s (%s) hits exactly when %s (%s) does: one of the two is enough.",
					k.ID, k.Action, other.ID, other.Action), a.solver.Witness(c.Lower))
			return
		}
		a.report(SeverityWarning, fault.CodeImpliedBy, c.at,
			fmt.Sprintf("%s (%s) changes no outcome: every applicant whom it hits is also hit by %s (%s).",
				k.ID, k.Action, other.ID, other.Action), a.solver.Witness(c.Lower))
	})
	alike := func(c, by *clause) (superfluous, mutual bool) {
		mutual = by.at.index < c.at.index &&
			a.solver.Implies(&c.Shape, &by.Shape) && a.solver.Implies(&by.Shape, &c.Shape)
		return mutual, mutual
	}
	a.pairs(a.adjustments, alike, func(c, by *clause, _ bool) {
		a.report(SeverityWarning, fault.CodeDuplicateCondition, c.at,
			fmt.Sprintf("%s applies exactly when %s does: their points are always added together.", c.name, by.name),
			a.solver.Witness(c.Lower))
	})
}

// superfluous reports whether knockout c changes no outcome. That is so if the knockout "by" hits whenever c hits,
// with at least the same severity and in the same or an earlier stage. mutual reports whether the two always hit
// together. If they do, only one of them is superfluous: the milder or the later one, and never a system rule.
func (a *redundancyCheck) superfluous(c, by *clause) (superfluous, mutual bool) {
	k, other := &a.policy.Knockouts[c.at.index], &a.policy.Knockouts[by.at.index]
	// A Stage 2 rule cannot replace a Stage 1 rule, because eligibility runs
	// only Stage 1.
	if k.System || other.Action < k.Action || other.Stage > k.Stage {
		return false, false
	}
	if k.OnAbsent != engine.PassWhenAbsent {
		// The rule also hits if its condition is unknown. Only an equal
		// condition is certain to be unknown for the same applicants.
		if other.OnAbsent < k.OnAbsent || !a.sameCondition(c.cond, by.cond) {
			return false, false
		}
	}
	if !a.solver.Implies(&c.Shape, &by.Shape) {
		return false, false
	}
	mutual = k.OnAbsent == other.OnAbsent && a.solver.Implies(&by.Shape, &c.Shape)
	if mutual && k.Action == other.Action && k.Stage == other.Stage && !other.System && by.at.index > c.at.index {
		return false, false
	}
	return true, mutual
}

// sameCondition compares two conditions node by node. It stops at the first
// difference and uses budget for the nodes that it compared.
func (a *redundancyCheck) sameCondition(c, d *rule.Condition) bool {
	if !a.solver.Budget.Spend(1+len(c.Values)) || c.Op != d.Op || len(c.Args) != len(d.Args) ||
		!sameOperand(&c.Left, &d.Left) || !sameOperand(&c.Right, &d.Right) || !slices.Equal(c.Values, d.Values) {
		return false
	}
	for i := range c.Args {
		if !a.sameCondition(&c.Args[i], &d.Args[i]) {
			return false
		}
	}
	return true
}

func sameOperand(o, p *rule.Operand) bool {
	return o.Kind == p.Kind && o.Field == p.Field && o.Value == p.Value && o.Arith == p.Arith &&
		slices.EqualFunc(o.Args, p.Args, func(x, y rule.Operand) bool { return sameOperand(&x, &y) })
}

// pairs compares the clauses of a list with each other and reports, for each
// clause, the first clause that makes it superfluous. One clause can cover
// another only if both constrain a common field. If the covering clause is a
// single box, the other clause must constrain every field of that box. So pairs
// indexes a single box under its first field and any other clause under all its
// fields. Most pairs are then never compared.
func (a *redundancyCheck) pairs(
	list []clause,
	superfluous func(c, by *clause) (bool, bool),
	report func(c, by *clause, mutual bool),
) {
	index := newFieldIndex(a.space.Len())
	for i := range list {
		c := &list[i]
		switch {
		case !a.comparable(c):
		case len(c.Lower) == 1:
			index.add(c.Lower[0][0].Field, int32(i))
		default:
			for _, b := range c.Lower {
				for _, x := range b {
					index.add(x.Field, int32(i))
				}
			}
		}
	}

	for i := range list {
		c := &list[i]
		if !a.comparable(c) {
			continue
		}
		first, alike := -1, false
		for _, x := range c.Upper[0] {
			for e := index.last[x.Field]; e > 0; e = index.entries[e].next {
				j := int(index.entries[e].clause)
				if j == i || first >= 0 && j >= first {
					continue
				}
				if a.comparisons++; a.comparisons > maxComparisons {
					a.solver.Budget.Exhaust()
				}
				if a.solver.Budget.Exhausted() {
					return
				}
				if ok, mutual := superfluous(c, &list[j]); ok {
					first, alike = j, mutual
				}
			}
		}
		if first >= 0 {
			report(c, &list[first], alike)
		}
	}
}

// fieldIndex has a linked list of clauses for each field.
type fieldIndex struct {
	last    []int32 // index of the newest entry of each field; 0 if there is none
	entries []entry // the first entry is not used
}

type entry struct{ clause, next int32 }

func newFieldIndex(fields int) *fieldIndex {
	return &fieldIndex{last: make([]int32, fields), entries: make([]entry, 1, 64)}
}

// add adds a clause to a field's list unless it is already the newest entry.
func (s *fieldIndex) add(field space.Field, clause int32) {
	if at := s.last[field]; at > 0 && s.entries[at].clause == clause {
		return
	}
	s.entries = append(s.entries, entry{clause: clause, next: s.last[field]})
	s.last[field] = int32(len(s.entries)) - 1
}

// comparable reports whether a clause takes part in comparisons. A clause that
// holds for everybody does not, because a rule that stops all lending covers
// all other rules intentionally.
func (a *redundancyCheck) comparable(c *clause) bool {
	return c.Known && len(c.Upper) > 0 && !c.Upper.HasEverybody() && a.solver.Supplied(c.Upper)
}
