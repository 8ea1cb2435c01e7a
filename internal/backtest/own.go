package backtest

import (
	"fmt"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// usesOwn reports whether one of the policies reads the lender's earlier decisions on the applicant.
func (r *Run) usesOwn() bool {
	return r.champion.plan.UsesOwn() || r.challenger != nil && r.challenger.plan.UsesOwn()
}

// assumeNamed sets field.OwnReference to true if the facts of a row say nothing about the lender's earlier decisions:
// the request is assumed to have named the applicant. The other facts about earlier decisions stay absent, so the
// rules that read them have no result. assumeNamed reports whether it changed the facts.
func (w *Worker) assumeNamed(facts *rule.Facts) bool {
	if !w.run.own || facts.Get(field.OwnReference).Type() != rule.Absent {
		return false
	}
	facts.Set(field.OwnReference, rule.Bool(true))
	return true
}

// noteOwn counts a row whose facts say nothing about the lender's earlier decisions.
func (w *Worker) noteOwn() {
	w.partial.noteRead(cellRead{field.OwnReference, fault.CodeOwnFactsUnknown, 1})
}

// ownWarnings returns a warning if there are rows whose facts say nothing about the lender's earlier decisions.
func (p *Partial) ownWarnings() (list []Warning) {
	for _, r := range p.read {
		if r.code == fault.CodeOwnFactsUnknown {
			list = append(list, Warning{Code: r.code, Detail: fmt.Sprintf("%d rows do not say what was decided for "+
				"the applicant before, so the own_ fields are absent and the exposure is not limited; add columns of "+
				"these names, or backtest over decisions of a policy that reads them", r.count)})
		}
	}
	return list
}
