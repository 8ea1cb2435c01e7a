package engine

import (
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// isUnverified reports whether a declared figure is given but does not count, and the figure that the policy uses
// instead cannot be derived.
func (d *Decision) isUnverified(declared string) bool {
	return d.plan.policy.Affordability != nil &&
		d.named(declared).Type() != rule.Absent && d.named(d.plan.policy.counted(declared)).Type() == rule.Absent
}

// unverified returns the variant of the text for an applicant who gets the default limit although figures were
// declared. It returns noVariant if no declared figure is unverified.
func (d *Decision) unverified() variant {
	switch _, hasIncome := paiseIn(&d.frame, d.plan.inputs.income); {
	case !hasIncome && d.isUnverified(field.MonthlyIncome):
		return incomeUnverified
	case !hasIncome || !d.isUnverified(field.FOIR):
		return noVariant
	case slices.Contains(d.plan.policy.Affordability.Obligations.Of, obligationsBureau):
		return recordUnverified
	default:
		return obligationsUnverified
	}
}

// notCounted returns warnings about declared figures that do not count. It warns only if the figure that the policy
// uses instead cannot be derived.
func (d *Decision) notCounted() (list []fault.Item) {
	for _, declared := range []string{field.MonthlyIncome, field.FOIR} {
		if !d.isUnverified(declared) {
			continue
		}
		missing := d.absentFacts([]string{d.plan.policy.counted(declared)})
		if len(list) > 0 && slices.Equal(list[0].Fields, missing) {
			continue
		}
		list = append(list, fault.Item{
			Code: fault.CodeFiguresNotCounted, Fields: missing,
			Detail: "the policy does not use the declared " + declared + "; what it uses instead (" +
				strings.Join(missing, ", ") + ") is not given, so any limit is the band's default_limit",
		})
	}
	return list
}
