package application

import (
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// muchBelow is how far a declared FOIR may lie below the bureau's before
// somebody should ask.
const muchBelow = 5 * rule.One / 100

// foirID is the canonical FOIR, which a percentage or a ratio of a request fills.
var foirID = func() rule.FieldID {
	id, _ := field.Catalogue().Lookup(field.FOIR)
	return id
}()

// checkDeclared warns of a declared FOIR that the instalments of the report's
// own accounts contradict. Which of the two counts is the policy's to say.
func (r *reader) checkDeclared() {
	foir, income := r.app.Facts.Get(field.FOIR), r.app.Facts.Get(field.MonthlyIncome)
	instalments := r.app.Facts.Get(field.BureauOwnEMI)
	if !r.foir.Given() || foir.Type() == rule.Absent || income.Number() <= 0 || instalments.Type() == rule.Absent {
		return
	}
	share, ok := instalments.Number().Over(income.Number())
	if ok && share <= foir.Number()+muchBelow {
		return
	}
	r.warnings.Add(r.foir.Pointer(), fault.CodeFOIRUnderstated,
		"is more than 0.05 below what the instalments of the report's own accounts come to (bureau_own_emi ÷ monthly_income); "+
			"a policy counts with the higher one if its affordability says so")
}
