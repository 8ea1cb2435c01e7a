package application

import (
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// foirTolerance is the difference by which the declared FOIR may be lower than
// the FOIR from the bureau report without a warning.
const foirTolerance = 5 * rule.One / 100

// foirID is the id of the canonical FOIR.
var foirID = func() rule.FieldID {
	id, _ := field.Catalogue().Lookup(field.FOIR)
	return id
}()

// warnUnderstated warns if the declared FOIR is lower, by more than foirTolerance,
// than the share of income that the instalments of the applicant's own accounts
// take. Only the policy decides which of the two values counts. sent is the FOIR in
// the request.
func warnUnderstated(facts *rule.Facts, sent wire.Value, warnings *fault.List) {
	foir, income := facts.Get(field.FOIR), facts.Get(field.MonthlyIncome)
	instalments := facts.Get(field.BureauOwnEMI)
	if !sent.Given() || foir.Type() == rule.Absent || income.Number() <= 0 || instalments.Type() == rule.Absent {
		return
	}
	share, ok := instalments.Number().Over(income.Number())
	if ok && share <= foir.Number()+foirTolerance {
		return
	}
	warnings.Add(sent.Pointer(), fault.CodeFOIRUnderstated,
		"is more than 0.05 below the FOIR of the instalments on the report's own accounts (bureau_own_emi ÷ "+
			"monthly_income); a policy uses the higher one if its affordability says so")
}
