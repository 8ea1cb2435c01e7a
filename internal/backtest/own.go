package backtest

import (
	"fmt"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// usesOwn reports whether one of the policies reads what the lender decided for the applicant before.
func (r *Run) usesOwn() bool {
	return r.champion.plan.UsesOwn() || r.challenger != nil && r.challenger.plan.UsesOwn()
}

// assumeNamed marks the facts of a row that do not say what the lender decided before: the applicant is assumed to be
// named, and the other facts stay absent, so that the rules about them are unknown. It reports whether it did.
func (w *Worker) assumeNamed(facts *rule.Facts) bool {
	if !w.run.own || facts.Get(field.OwnReference).Type() != rule.Absent {
		return false
	}
	facts.Set(field.OwnReference, rule.Bool(true))
	return true
}

// noteOwn counts a row whose facts do not say what the lender decided before.
func (w *Worker) noteOwn() {
	w.partial.noteRead(cellRead{field.OwnReference, fault.CodeOwnFactsUnknown, 1})
}

// ownWarnings returns a warning if there are rows whose facts do not say what the lender decided before.
func (p *Partial) ownWarnings() (list []Warning) {
	for _, r := range p.read {
		if r.code == fault.CodeOwnFactsUnknown {
			list = append(list, Warning{Code: r.code, Detail: fmt.Sprintf("%d rows do not say what was decided for the "+
				"applicant before, so the own_ fields are absent and the exposure is not limited; add columns of these "+
				"names, or backtest over decisions of a policy that reads them", r.count)})
		}
	}
	return list
}
