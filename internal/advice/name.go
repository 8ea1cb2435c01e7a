package advice

import (
	"slices"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// enquiries is the field whose value falls only as time passes.
const enquiries = "enquiries_6m"

// twin is another name of the same fact: the path under which the request sent
// the fact. A policy may compare either name, so both change together.
type twin struct {
	name  string
	times rule.Number // factor from the canonical unit to the twin's unit
	was   rule.Value  // the value as sent, which may have fractions of a paisa
}

// A decision request and an evaluate request use different paths for the same field. The path of the score shows which
// kind of request it is.
const (
	scoreOfDecisions = "bureau_report.score"
	scoreOfEvaluate  = "report.scoreData.score"
)

// twins has the paths of the declared FOIR, the amount and the tenure, which a
// request does not send under bureau_report.
var twins = map[string]struct{ decisions, evaluate twin }{
	field.FOIR: {
		decisions: twin{name: "applicant.foir", times: 1},
		evaluate:  twin{name: "report.incomeAssessment.foir", times: 100},
	},
	field.RequestedAmount: {
		decisions: twin{name: "applicant.requested_amount", times: 1},
		evaluate:  twin{name: "report.requestedAmount", times: 1},
	},
	field.RequestedTenureMonths: {
		decisions: twin{name: "applicant.tenure_months", times: 1},
		evaluate:  twin{name: "report.requestedTenureMonths", times: 1},
	},
}

// twinsOf returns the other names of a field, whether or not they were sent.
func twinsOf(name string) []twin {
	if t, ok := twins[name]; ok {
		return []twin{t.decisions, t.evaluate}
	}
	if raw, ok := field.InReport(name); ok {
		return []twin{{name: raw, times: 1}}
	}
	return nil
}

// namesOf returns all names under which a policy may read a field: the field
// itself, its twins, and the field that is derived from it.
func namesOf(name string) []string {
	out := []string{name}
	for _, t := range twinsOf(name) {
		out = append(out, t.name)
	}
	switch {
	case name == field.MonthlyIncome:
		out = append(out, field.IncomeEffective)
	case isObligation(name) && name != field.FOIREffective:
		out = append(out, field.FOIREffective)
	}
	return out
}

// sent returns the twins that must change together with a field. They are the
// twins that the request contains or, if the request omits the field, the twin
// that belongs to this kind of request.
func sent(facts *rule.Facts, name string) []twin {
	var out []twin
	absent := facts.Get(name).Type() == rule.Absent
	for _, t := range twinsOf(name) {
		would := scoreOfDecisions
		if strings.HasPrefix(t.name, "report.") {
			would = scoreOfEvaluate
		}
		t.was = facts.Get(t.name)
		if t.was.Type() != rule.Absent || absent && facts.Get(would).Type() != rule.Absent {
			out = append(out, t)
		}
	}
	return out
}

// canonical returns the name under which the engine reads a field. name may be
// the field's path in the request.
func canonical(name string) string {
	for _, c := range []string{field.FOIR, field.RequestedAmount, field.RequestedTenureMonths} {
		if t := twins[c]; name == t.decisions.name || name == t.evaluate.name {
			return c
		}
	}
	if derived, ok := field.OfReport(name); ok {
		return derived
	}
	return name
}

// obligations lists the facts about obligations from which foir_effective is
// derived.
var obligations = []string{field.FOIR, field.BureauOwnEMI, field.BankDueEMI}

// isObligation reports whether a field states the monthly obligations.
func isObligation(name string) bool {
	return name == field.FOIREffective || slices.Contains(obligations, name)
}

// lower reduces the obligations to the share "to" of the income. It sets the reduced values under every name
// that the request used for them.
func lower(facts *rule.Facts, owed *engine.Obligations, to rule.Number) {
	owed.Lower(to, func(name string, v rule.Value) {
		for _, t := range sent(facts, name) {
			facts.Set(t.name, rule.Num(v.Number()*t.times))
		}
		facts.Set(name, v)
	})
}

// rising lists the fields that an applicant can influence and that are better
// when larger.
var rising = map[string]bool{
	"bank_avg_balance":             true,
	"bank_abb_to_emi":              true,
	"bank_salary_months":           true,
	"bank_statement_days":          true,
	"bureau_oldest_account_months": true,
	"bureau_months_since_30dpd":    true,
}

// advisable reports whether a change of a field may be proposed. The applicant
// only declares the income and cannot choose score or age. Features cannot
// change one at a time. Advice on devices, locations and fraud would help
// fraudsters.
func advisable(name string) bool {
	id, known := field.Catalogue().Lookup(name)
	if strings.Contains(strings.ToLower(name), "income") || strings.Contains(name, "score") || name == "age" {
		return false
	}
	if !known || name == field.FOIREffective {
		return true // an input that the policy declares, or the obligations
	}
	switch f := field.Catalogue().Field(id); f.Group {
	case "applicant", "bureau", "bank":
		return f.Type == rule.NumberType && name != "bureau_ntc_index"
	default:
		return false
	}
}
