package generate

import (
	"slices"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// ntcIndex is the field with the index that a bureau returns in place of a score. Only an applicant who is new
// to credit has this field.
const ntcIndex = "bureau_ntc_index"

// exclude notes which goals of a condition no request can reach. There are two reasons: every request says whether
// the applicant is new to credit, and only an applicant who is new to credit has the field ntcIndex.
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
	for _, x := range c.leaves { // the leaves of a conjunction; each of them decides only if all others hold
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
