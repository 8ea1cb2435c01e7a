package analysis

import (
	"slices"

	"verdict/internal/engine/space"
	"verdict/internal/fault"
	"verdict/internal/rule"
)

// maxUnknown is the largest number of ids that one finding lists.
const maxUnknown = 100

// noteTooLarge records a clause that is too large to analyse. The checks of features and units still cover the clause,
// because they read its condition directly. The check that some request can contain all fields of the clause does not
// cover it, so noteTooLarge does that check itself. It reports an error if no request can contain all fields together.
func (a *analysis) noteTooLarge(c *clause) {
	if slices.Contains(a.unknown[max(0, len(a.unknown)-1):], c.name) {
		return // another branch of the same clause was already recorded
	}
	a.unknown = append(a.unknown, c.name)
	supply := space.AnyRequest
	c.cond.Fields(func(ref rule.Ref) { supply &= a.space.Domain(a.space.FieldOf(ref)).Supply })
	if supply == 0 {
		a.suspect(SeverityError, fault.CodeAnalysisTruncated, c.at, c.opening()+
			" is too large to be analysed and reads fields that no single request can contain together, "+
			"so it may never apply;"+
			" split it into smaller rules.")
	}
}

// truncation reports that the analysis is incomplete and which rules it
// skipped. It reports nothing if the analysis is complete.
func (a *analysis) truncation() {
	if !a.solver.Budget.Exhausted() && len(a.unknown) == 0 {
		return
	}
	what := "The policy is too large to be analysed in full"
	if len(a.unknown) > 0 {
		what = "The policy cannot be analysed in full: the condition of " + enumerate(a.unknown) + " is too large"
		if len(a.unknown) > 1 {
			what = "The policy cannot be analysed in full: the conditions of " + enumerate(a.unknown) + " are too large"
		}
	}
	f := a.suspect(SeverityInfo, fault.CodeAnalysisTruncated, location{section: atPolicy},
		what+"; the findings listed here are valid, but there may be others.")
	// The copy is nil if there are no ids, even if the reused slice is not nil.
	f.IDs = append([]string(nil), a.unknown[:min(len(a.unknown), maxUnknown)]...)
}
