package generate

import (
	"slices"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// ntcIndex is the index that a bureau returns in place of a score. So only somebody who is new to credit has one.
const ntcIndex = "bureau_ntc_index"

// exclude notes the goals of a condition that no request reaches because of how the reader derives whether the
// applicant is new to credit.
func (l *goalList) exclude(c *condition) {
	about := func(x *leaf, name string) bool { return x.field == name && x.canBeUnknown() }
	other := func(x *leaf) bool { return x.canBeUnknown() && !about(x, field.BureauIsNTC) }
	if at := c.goals.unknown; at != noGoal && l.policy.NeedsScore() && !slices.ContainsFunc(c.leaves, other) {
		l.goals[at].never = "every request says whether the applicant is new to credit"
	}
	if c.root.Op != rule.And || len(c.leaves) != len(c.root.Args) ||
		!slices.ContainsFunc(c.leaves, func(x *leaf) bool { return about(x, ntcIndex) }) {
		return
	}
	for _, x := range c.leaves { // the conditions of a conjunction, which decide only if all others hold
		if !about(x, field.BureauIsNTC) || x.node.Op != rule.Eq || !x.node.Right.Value.IsTrue() {
			continue
		}
		for _, g := range x.goals {
			if g.any && g.truth == rule.Fails {
				l.goals[g.at].never = "only an applicant who is new to credit has a " + ntcIndex
			}
		}
	}
}
